import type { FullClient } from '../../../client/create.ts';
import { readDelivery } from '../../../service/delivery/read-delivery.ts';
import { deliveryDocument, type DeliveryDocument } from '../../../service/delivery/document.ts';
import { safeTextWith } from '../../../service/delivery/safe-text.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import { quote } from '../../../core/model/names.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import type { Context } from '../../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import { EXIT, interruptedExit, strongestExit, usageError, type ExitCode } from '../../exit.ts';
import { parseDuration, requireDomain } from '../../input/arguments.ts';
import { answerOf, assertAccountOf, connectShown } from '../../input/connect.ts';
import { readValid } from '../../input/manifest/desired.ts';
import { openStates } from '../../input/state/open-states.ts';
import { commandLine } from '../../output/command-lines.ts';
import { disclosing } from '../../../service/conceal/disclosing.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { renderDelivery } from './delivery-text.ts';

/**
 * Says from the email logs who got mail and who did not. Exits with 2 when messages that failed reach the threshold of their
 * domain, with 1 when a domain could not be read.
 */
export async function deliveryCommand(
  context: Context,
  { settings, options, args: names }: CommandCall<DeliveryOptions>,
): Promise<CommandResult> {
  const { stdout, color, clock } = context;
  const { manifest, state } = settings;
  const sinceMs = parseDuration('--since', options.since);
  const { desired } = await readValid(context, manifest, { references: 'required', warnings: 'silent' });
  const domains = wantedDomains(desired, names, commandLine(context, desired.api));
  const connection = await resolveConnection(context, settings, desired.api);
  const { client, progress } = connectShown(context, connection, 'read-only');
  progress.follow(requestsHeadway(context, client, { label: 'reading logs' }));
  try {
    const limited = limitRequests(client, options.limitRequests);
    const account = answerOf(await limited.ask(() => client.getAccount()));
    assertAccountOf(account, connection);
    const live = answerOf(await limited.ask(() => client.listDomains()));
    const openState = await openStates(context, state, 'delivery');
    const store = openState(connection, account.email);
    const findings = await readDelivery({
      client,
      domains,
      live: new Map(live.map((domain) => [domain.domain, domain])),
      account,
      history: store.history,
      references: desired.references,
      since: clock.now() - sinceMs,
      now: () => clock.now(),
      mayAsk: limited.mayAsk,
    });
    const disclosure = { references: desired.references, mask: context.mask };
    const disclose = disclosing(disclosure, await store.openReferences());
    const document = deliveryDocument(findings, options.failOn, safeTextWith(disclose));
    progress.stop();
    const text = (): string => renderDelivery(document, styleFor(stdout, color), sentenceColumns(stdout));
    return { exit: exitOf(document, context), ...chooseOutput(context, document, text) };
  } finally {
    progress.stop();
    await client.close();
  }
}

interface LimitedRequests {
  readonly mayAsk: () => boolean;
  /** Asks a question that the command needs to begin. If the limit is reached, the command ends. */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>;
}

/** Requests that were sent again count as well. */
function limitRequests(client: FullClient, most: number | undefined): LimitedRequests {
  let asked = 0;
  const mayAsk = (): boolean => {
    const { retried, rateLimited } = client.totals();
    if (most !== undefined && asked + retried + rateLimited >= most) return false;
    asked += 1;
    return true;
  };
  return {
    mayAsk,
    async ask(question) {
      if (mayAsk()) return question();
      throw usageError(`--limit-requests ${most} is not enough to begin`, 'give a higher number');
    },
  };
}

function wantedDomains(
  desired: Desired,
  names: readonly string[],
  command: CommandLine,
): readonly PresentDomain[] {
  const all = [...desired.domains.values()].filter((domain) => domain.state === 'present');
  if (names.length === 0) return all;
  const address = names.find((name) => name.includes('@'));
  if (address !== undefined) {
    throw usageError(
      `${quote(address)} is an address, not a domain`,
      `ask why mail to it did not arrive: \`${command(`why ${quoteForShell(address)}`)}\``,
    );
  }
  const wanted = new Set(names.map((name) => requireDomain(name)));
  for (const name of wanted) {
    const entry = desired.domains.get(name);
    if (entry?.state === 'present') continue;
    const what = entry === undefined ? 'does not name' : 'wants to delete';
    throw usageError(
      `the manifest ${what} ${name}`,
      `check the spelling; \`${command(`logs ${name}`)}\` reads any domain`,
    );
  }
  return all.filter(({ domain }) => wanted.has(domain));
}

function exitOf({ domains, rows }: DeliveryDocument, context: Context): ExitCode {
  const failed = domains.some(({ failure }) => failure !== null);
  if (context.signal.aborted && failed) return interruptedExit(context);
  return strongestExit([
    ...(failed ? [EXIT.failed] : []),
    ...(rows.some(({ failing }) => failing) ? [EXIT.changes] : []),
  ]);
}
