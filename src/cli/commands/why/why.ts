import { whyDocument, type WhyDocument } from '../../../service/why/document.ts';
import { openJobs } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { EXIT, interruptedExit, usageError, type ExitCode } from '../../exit.ts';
import { parseDuration } from '../../input/arguments.ts';
import { connectShown } from '../../input/connect.ts';
import { discloseManifest } from '../../output/disclose.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { printJson, sentenceColumns } from '../../output/output.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { styleFor } from '../../output/style.ts';
import { accountsDirectory, resolveConnection, resolveFormat, type CommonOptions } from '../../settings.ts';
import { parseMailAddress } from '../route/route.ts';
import { gatherEvidence } from './gather.ts';
import { renderWhy } from './why-text.ts';

export interface WhyOptions extends CommonOptions {
  readonly since: string;
  readonly limitRequests?: number;
}

const USUAL_LIMIT = 60;

/** Verdicts that say that nothing is wrong, or that nothing is known. */
const GOOD: ReadonlySet<WhyDocument['verdict']> = new Set(['discarded', 'delivered', 'not-seen', 'unknown']);

/** Says why a message to an address did not arrive, by the email logs, the account and the manifest. */
export async function whyCommand(
  context: Context,
  options: WhyOptions,
  [text = '']: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const { to, domain } = parseMailAddress(text);
  const sinceMs = parseDuration('--since', options.since);
  const own = await ownOptions(context, options, domain);
  const { disclosure, desired } = await discloseManifest(context, own);
  const connection = await resolveConnection(own, desired?.api ?? {}, context);
  const most = options.limitRequests ?? USUAL_LIMIT;
  const { client, progress } = connectShown(context, connection, 'read-only', { mostReads: most });
  progress.follow(requestsHeadway(context, client, { label: 'reading' }));
  try {
    const since = { at: context.clock.now() - sinceMs, text: options.since };
    const asked = { address: to, domain, since, most };
    const answer = await gatherEvidence(context, own, { client, connection, disclosure, desired }, asked);
    progress.stop();
    if (context.signal.aborted) return interruptedExit(context);
    const document = whyDocument(answer);
    if (format === 'json') printJson(context, document);
    else {
      const style = styleFor(context.stdout, options.color, context.env);
      context.stdout.write(renderWhy(document, { style, columns: sentenceColumns(context.stdout) }));
    }
    return GOOD.has(document.verdict) ? EXIT.done : EXIT.changes;
  } finally {
    progress.stop();
    await client.close();
  }
}

/** With many accounts, the options of the one whose manifest has the domain. */
async function ownOptions(context: Context, options: WhyOptions, domain: string): Promise<CommonOptions> {
  const directory = accountsDirectory(options, context);
  if (directory === null) return options;
  const { jobs } = await openJobs<CommonOptions>(context, options, directory);
  const present = jobs.find(({ desired }) => {
    return [...(desired?.domains.values() ?? [])].some(
      (one) => one.domain === domain && one.state === 'present',
    );
  });
  // It may be in a manifest that is not valid, which ends the command.
  const found = present ?? jobs.find(({ desired }) => desired === null);
  if (found !== undefined) return found.options;
  throw usageError(`no manifest of ${directory} has ${domain}`, 'check the spelling');
}
