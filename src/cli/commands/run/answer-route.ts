import type { Desired } from '../../../model/desired.ts';
import type { Disclosure } from '../../../model/destinations.ts';
import type { RouteAnswer } from '../../../status/page/views/route-box.ts';
import { CommandError } from '../../exit.ts';
import { routeDocument } from '../../output/documents/route-document.ts';
import { renderRoute } from '../../output/documents/route-text.ts';
import { parseMailAddress } from '../route/route.ts';
import { traceDesired } from '../route/manifest.ts';

/** Where mail to an address goes by the manifests that are loaded: what `fwdsync route` prints. */
export function answerRoute(
  text: string,
  manifests: readonly Desired[],
  disclosure: Disclosure,
): RouteAnswer {
  try {
    const { to, domain } = parseMailAddress(text);
    const named = manifests.find(({ domains }) => domains.has(domain));
    const mail = { to, from: '', subject: '', body: '' };
    const findings = traceDesired(named ?? { domains: new Map() }, mail, disclosure);
    const [headline = '', ...lines] = renderRoute(routeDocument(mail, findings), findings, Infinity)
      .trimEnd()
      .split('\n');
    return { kind: 'way', headline, lines };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { kind: 'unclear', headline: error.message, lines: [error.hint] };
  }
}
