import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasDestination } from '../../../core/fields/fields.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import { systemProcesses } from '../../../engine/state/processes.ts';
import { isSnapshot, openStateDirectory } from '../../../engine/state/directory.ts';
import { openSharedText } from '../../../engine/state/shared-text.ts';
import type { SharedText } from '../../../engine/state/store.ts';
import type { OpenState } from '../../../service/account/host.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';
import type { ManifestSettings, StateSettings } from '../../settings/resolve-settings.ts';
import { printWarning } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';

/** Opens the state of accounts: the store, which it connects to, or the state directory. */
export async function openStates(
  context: Context,
  { directory, store, historyMs, leaseMs }: StateSettings,
  command: string,
): Promise<OpenState> {
  const { clock, every } = context;
  const ports = { clock, every, processes: systemProcesses(fs, command), history: { maxAgeMs: historyMs } };
  if (store === null)
    return ({ url }, account) => openStateDirectory({ ...ports, directory, account, apiUrl: url, fs });
  const { openStore } = await import('./open-store.ts');
  const { openPostgresState } = await import('../../../engine/state/postgres/postgres-store.ts');
  const database = await openStore(context, store);
  return ({ url }, account) => openPostgresState({ ...ports, database, leaseMs, account, apiUrl: url });
}

/** Opens the text that all processes with this state share. */
export async function openSharedState(
  context: Context,
  { directory, store }: StateSettings,
): Promise<SharedText> {
  const { clock, every } = context;
  if (store === null)
    return openSharedText({ directory, clock, every, fs, processes: systemProcesses(fs, 'run') });
  const { openStore } = await import('./open-store.ts');
  const { openPostgresSharedText } = await import('../../../engine/state/postgres/postgres-shared-text.ts');
  return openPostgresSharedText(await openStore(context, store));
}

/** True if the manifests are snapshots, which earlier runs wrote. */
export function namesSnapshots({ cwd }: Context, { paths, stateDirectory }: ManifestSettings): boolean {
  return paths.every(
    (path) => path.startsWith('store:snapshot/') || isSnapshot(stateDirectory, resolve(cwd, path)),
  );
}

/** Prints warnings about parts of the state directory that could not be read. A missing aid is not a failure. */
export function printStateWarnings(context: Context, { warnings }: Planned): void {
  for (const { code, message } of warnings) printWarning(context, message, code);
}

/**
 * Prints a notice if the plan may show values that came from references. That can happen if earlier runs did not
 * remember such values.
 */
export function printUnknownValues({ stderr, color, mask }: Context, { memory, plan, input }: Planned): void {
  const showsLive = plan.changes.some(
    ({ kind, observed }) => observed !== null && hasDestination(KINDS[kind].fields),
  );
  if (memory === 'some' || input.desired.references.size === 0 || !showsLive || mask !== false) return;
  stderr.write(`${styleFor(stderr, color).dim('notice')}: ${UNKNOWN_VALUES}\n`);
}

const UNKNOWN_VALUES =
  'the state directory has no record of an earlier run: live destinations that were once behind a reference of the manifest are shown; use --mask to hide their local parts';
