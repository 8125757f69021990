import type { FullClient } from '../../../client/create.ts';
import { readDelivery } from '../../../service/delivery/delivery.ts';
import { deliveryDocument, type DeliveryDocument } from '../../../service/delivery/document.ts';
import { safeTextWith } from '../../../service/delivery/safe-text.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import type { Context } from '../../context.ts';
import { EXIT, interruptedExit, strongestExit, usageError, type ExitCode } from '../../exit.ts';
import { parseDuration, requireDomain } from '../../input/arguments.ts';
import { answerOf, assertAccountOf, connectShown } from '../../input/connect.ts';
import { requireDesired } from '../../input/manifest/desired.ts';
import { openStates } from '../../input/state/state.ts';
import { commandLine } from '../../output/command-lines.ts';
import { disclosing } from '../../output/disclose.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { disclosureOf, printJson, sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/style.ts';
import { resolveConnection, resolveFormat, type Connection } from '../../settings.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { renderDelivery } from './delivery-text.ts';

/**
 * Says from the email logs who got mail and who did not. Exits with 2 when messages that failed reach the threshold of their
 * domain, with 1 when a domain could not be read.
 */
export async function deliveryCommand(
  context: Context,
  options: DeliveryOptions,
  names: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const sinceMs = parseDuration('--since', options.since);
  const manifest = await requireDesired(context, options, { unnamed: 'ignored', warnings: 'silent' });
  const { desired } = manifest;
  const domains = wantedDomains(desired, names, commandLine(context, options, desired.api));
  const connection = await resolveConnection(options, desired.api, context);
  const { client, progress } = connectShown(context, connection, 'read-only');
  progress.follow(requestsHeadway(context, client, { label: 'reading logs' }));
  try {
    const request = { context, options, client, connection, sinceMs };
    const document = await readDocument(request, desired, domains);
    progress.stop();
    if (format === 'json') printJson(context, document);
    else {
      const style = styleFor(context.stdout, options.color, context.env);
      context.stdout.write(renderDelivery(document, style, sentenceColumns(context.stdout)));
    }
    return exitOf(document, context);
  } finally {
    progress.stop();
    await client.close();
  }
}

interface DeliveryRequest {
  readonly context: Context;
  readonly options: DeliveryOptions;
  readonly client: FullClient;
  readonly connection: Connection;
  readonly sinceMs: number;
}

async function readDocument(
  { context, options, client, connection, sinceMs }: DeliveryRequest,
  desired: Desired,
  domains: readonly PresentDomain[],
): Promise<DeliveryDocument> {
  const mayAsk = requestLimit(client, options.limitRequests);
  const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (mayAsk()) return ask();
    throw usageError(
      `--limit-requests ${options.limitRequests} does not suffice to begin`,
      'give a higher number',
    );
  };
  const account = answerOf(await asked(() => client.getAccount()));
  assertAccountOf(account, connection);
  const live = answerOf(await asked(() => client.listDomains()));
  const { clock } = context;
  const openState = await openStates(context, options, 'delivery');
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
    mayAsk,
  });
  const disclosure = disclosureOf(desired, options, context);
  const disclose = disclosing(disclosure, await store.openReferences());
  return deliveryDocument(findings, options.failOn, safeTextWith(disclose));
}

/** Requests that were sent again count as well. */
function requestLimit(client: FullClient, most: number | undefined): () => boolean {
  let asked = 0;
  return () => {
    const { retried, rateLimited } = client.totals();
    if (most !== undefined && asked + retried + rateLimited >= most) return false;
    asked += 1;
    return true;
  };
}

function wantedDomains(
  desired: Desired,
  names: readonly string[],
  command: CommandLine,
): readonly PresentDomain[] {
  const all = [...desired.domains.values()].filter((domain) => domain.state === 'present');
  if (names.length === 0) return all;
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
