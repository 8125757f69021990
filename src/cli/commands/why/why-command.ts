import { whyDocument, type WhyDocument } from '../../../service/why/why-document.ts';
import { settingsOfOwner } from '../../accounts/settings-of-owner.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, interruptedExit } from '../../exit.ts';
import { parseDuration } from '../../input/arguments.ts';
import { connectShown } from '../../input/connect.ts';
import { commandLine } from '../../output/command-lines.ts';
import { discloseManifest } from '../../output/disclose.ts';
import { sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { resolveConnection } from '../../settings/connection.ts';
import { parseMailAddress } from '../route/route-command.ts';
import { gatherEvidence } from './gather.ts';
import { renderWhy } from './why-text.ts';

export interface WhyOptions {
  readonly since: string;
  readonly limitRequests?: number;
}

const USUAL_LIMIT = 60;

/** Verdicts that say that nothing is wrong, or that nothing is known. */
const GOOD: ReadonlySet<WhyDocument['verdict']> = new Set(['discarded', 'delivered', 'not-seen', 'unknown']);

/** Says why a message to an address did not arrive, by the email logs, the account and the manifest. */
export async function whyCommand(
  context: Context,
  { settings, options, args: [text = ''] }: CommandCall<WhyOptions>,
): Promise<CommandResult> {
  const { to, domain } = parseMailAddress(text);
  const sinceMs = parseDuration('--since', options.since);
  const own = await settingsOfOwner(context, settings, domain);
  const { disclosure, desired } = await discloseManifest(context, own.manifest);
  const connection = await resolveConnection(context, own, desired?.api ?? {});
  const most = options.limitRequests ?? USUAL_LIMIT;
  const { client, progress } = connectShown(context, connection, 'read-only', { mostReads: most });
  progress.follow(requestsHeadway(context, client, { label: 'reading' }));
  try {
    const since = { at: context.clock.now() - sinceMs, text: options.since };
    const asked = { address: to, domain, since, most };
    const sources = { client, connection, disclosure, desired };
    const answer = await gatherEvidence(context, own.state, sources, asked);
    progress.stop();
    if (context.signal.aborted) return { exit: interruptedExit(context) };
    const command = commandLine(context, desired?.api);
    const document = whyDocument(answer, command);
    const look = {
      style: styleFor(context.stdout, context.color),
      columns: sentenceColumns(context.stdout),
      command,
    };
    return {
      exit: GOOD.has(document.verdict) ? EXIT.done : EXIT.changes,
      ...chooseOutput(context, document, () => renderWhy(document, look)),
    };
  } finally {
    progress.stop();
    await client.close();
  }
}
