import type { RunEntry } from '../../../core/model/history/entries.ts';
import { readRuns } from '../../../engine/state/history/recorded.ts';
import type { HistoryStore } from '../../../engine/state/store.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { answerOf, connect } from '../../input/connect.ts';
import { openStates } from '../../input/state/open-states.ts';
import { commandLine } from '../../output/command-lines.ts';
import type { Connection } from '../../../client/connection.ts';
import type { Settings, StateSettings } from '../../settings/resolve-settings.ts';
import { openHistoriesOf } from '../history/open-history.ts';

export interface RunQuestion {
  readonly connection: Connection;
  /** Undefined: the last run that wrote. */
  readonly name: string | undefined;
}

/**
 * Finds the run to undo. A named run is looked up without a request, in the history of every account. null means that
 * the run belongs to another of many accounts, or that this account has none.
 */
export async function findUndoable(
  context: Context,
  { state }: Pick<Settings, 'state'>,
  { connection, name }: RunQuestion,
): Promise<RunEntry | null> {
  const run =
    name === undefined
      ? await findLast(context, state, connection)
      : await findNamed(context, state, { connection, name });
  if (run === null) return null;
  if (run.api.url === connection.url) return run;
  throw usageError(
    `run ${run.run} was made at ${run.api.url}, not at ${connection.url}`,
    `give its address: --api-url ${run.api.url}`,
  );
}

async function findNamed(
  context: Context,
  state: StateSettings,
  { connection: { account }, name }: { readonly connection: Connection; readonly name: string },
): Promise<RunEntry | null> {
  // A run of another account is found too. The error is then that the account is wrong.
  const stores = await openHistoriesOf(context, state, null);
  const found: RunEntry[] = [];
  for (const { history } of stores) {
    for await (const { start } of readRuns(history, { run: name })) found.push(start);
  }
  const own = found.find((run) => account === null || run.account.toLowerCase() === account.toLowerCase());
  if (own !== undefined) return own;
  const [other] = found;
  if (other === undefined) {
    const { account: _, ...everywhere } = context.given;
    const history = commandLine({ ...context, given: everywhere })('history');
    throw usageError(`no run is named ${JSON.stringify(name)}`, `\`${history}\` lists the runs`);
  }
  if (context.member !== undefined) return null;
  throw usageError(
    `run ${name} was made for the account ${other.account}, not for ${account}`,
    'leave out --account, or name a run of that account',
  );
}

async function findLast(
  context: Context,
  state: StateSettings,
  connection: Connection,
): Promise<RunEntry | null> {
  const account = connection.account ?? (await readAccount(context, connection));
  const openState = await openStates(context, state, 'undo');
  const { history } = openState(connection, account);
  const run = await lastThatWrote(history);
  if (run !== null || context.member !== undefined) return run;
  throw usageError(
    `no run of the account ${account} is in the history`,
    'check --state-dir: only runs that wrote with it can be undone',
  );
}

async function readAccount(context: Context, connection: Connection): Promise<string> {
  const client = connect(context, connection, 'read-only');
  try {
    return answerOf(await client.getAccount()).email;
  } finally {
    await client.close();
  }
}

/** Returns the last run that wrote. A run that was killed may have written. */
async function lastThatWrote(history: HistoryStore): Promise<RunEntry | null> {
  for await (const { start, end } of readRuns(history)) if (end?.outcome !== 'failed') return start;
  return null;
}
