import type { Desired, DesiredApi } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import type { RouteAnswer } from '../../../service/status/page/views/route-box.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import { CommandError } from '../../exit.ts';
import { routeDocument } from '../../output/documents/route-document.ts';
import { renderRoute } from '../../output/documents/route-text.ts';
import type { Commands } from '../../../service/reports.ts';
import { parseMailAddress } from '../route/route-command.ts';
import { traceDesired, type Knowledge } from '../route/ask-manifest.ts';

/** Says where mail to an address goes by the manifests that are loaded and the engines that were read, as `fwdsync route` does. */
export function answerRoute(
  text: string,
  manifests: readonly Desired[],
  disclosure: Disclosure,
  { engineOf, about }: Pick<Knowledge, 'engineOf'> & Pick<Commands, 'about'>,
): RouteAnswer {
  try {
    const { to, domain } = parseMailAddress(text);
    const named = manifests.find(({ domains }) => domains.has(domain));
    const mail = { to, from: '', subject: '', body: '' };
    const findings = traceDesired(named ?? { domains: new Map() }, mail, disclosure, {
      ...knowledgeFor(to, about, (named ?? (manifests.length === 1 ? manifests[0] : undefined))?.api),
      engineOf,
    });
    const [headline = '', ...lines] = renderRoute(routeDocument(mail, findings), findings, Infinity)
      .trimEnd()
      .split('\n');
    return { kind: 'way', headline, lines };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { kind: 'unclear', headline: error.message, lines: [error.hint] };
  }
}

/** Returns what says how to ask the account: in a browser there is no command to which a flag could be added. */
function knowledgeFor(
  address: string,
  about: Commands['about'],
  api: DesiredApi | undefined,
): Omit<Knowledge, 'engineOf'> {
  const askAccount =
    api === undefined
      ? 'add it to the manifest of its account'
      : `ask the account: \`${about(null, api)(`route ${quoteForShell(address)} --live`)}\``;
  return {
    askAccount,
    notes: {
      unnamed: `live aliases and rules that the manifest does not name are not considered; ${askAccount}`,
      engine: `it is not known if rules or aliases decide; ${askAccount}`,
    },
  };
}
