import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasDestination } from '../../../core/fields/fields.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import { systemProcesses } from '../../../engine/state/processes.ts';
import { isSnapshot, openStateDirectory } from '../../../engine/state/directory.ts';
import type { StateStore } from '../../../engine/state/store.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';
import { parseDuration } from '../arguments.ts';
import {
  leaseOf,
  manifestPaths,
  namesStore,
  resolveStateDirectory,
  wantsMask,
  type CommonOptions,
  type Connection,
} from '../../settings.ts';
import { styleFor } from '../../output/style.ts';

/** What earlier runs of an account left behind, by its email. */
export type OpenState = (connection: Pick<Connection, 'url'>, account: string) => StateStore;

/** Where the state of accounts is: in the store, which is connected to, or else in the state directory. */
export async function openStates(
  context: Context,
  options: CommonOptions,
  command: string,
): Promise<OpenState> {
  const { clock, every } = context;
  const history = { maxAgeMs: resolveHistoryAge(options, context) };
  const ports = { clock, every, processes: systemProcesses(fs, command), history };
  if (namesStore(options, context)) {
    const { openStore } = await import('./store.ts');
    const { openPostgresState } = await import('../../../engine/state/postgres/postgres-store.ts');
    const database = await openStore(context, options);
    const leaseMs = leaseOf(options);
    return ({ url }, account) => openPostgresState({ ...ports, database, leaseMs, account, apiUrl: url });
  }
  const directory = resolveStateDirectory(options, context);
  return ({ url }, account) => openStateDirectory({ ...ports, directory, account, apiUrl: url, fs });
}

/** How long the history is kept, milliseconds. */
function resolveHistoryAge({ history }: CommonOptions, { env }: Context): number {
  if (history !== undefined) return parseDuration('--history', history);
  return parseDuration('FWDSYNC_HISTORY', env['FWDSYNC_HISTORY'] || '400d');
}

/** True if the manifests are snapshots, which earlier runs wrote. */
export function namesSnapshots(context: Context, options: CommonOptions): boolean {
  const directory = resolveStateDirectory(options, context);
  return manifestPaths(options, context).every(
    (path) => path.startsWith('store:snapshot/') || isSnapshot(directory, resolve(context.cwd, path)),
  );
}

/** What of the state directory could not be read: an aid that is missing, not a failure. */
export function printStateWarnings(context: Context, options: CommonOptions, { warnings }: Planned): void {
  const style = styleFor(context.stderr, options.color, context.env);
  for (const { code, message } of warnings) {
    context.stderr.write(`${style.warning('warning')}: ${message} ${style.dim(`[${code}]`)}\n`);
  }
}

/** Where values of references in earlier runs are not remembered, a plan of a manifest with references may show one. */
export function printUnknownValues(
  context: Context,
  options: CommonOptions,
  { memory, plan, input }: Planned,
): void {
  const showsLive = plan.changes.some(
    ({ kind, observed }) => observed !== null && hasDestination(KINDS[kind].fields),
  );
  if (memory === 'some' || input.desired.references.size === 0 || !showsLive || wantsMask(options, context))
    return;
  const style = styleFor(context.stderr, options.color, context.env);
  context.stderr.write(`${style.dim('notice')}: ${UNKNOWN_VALUES}\n`);
}

const UNKNOWN_VALUES =
  'the state directory has no record of an earlier run: destinations that the account has, and that the manifest once kept behind a reference, are shown; use --mask to hide their local parts';
