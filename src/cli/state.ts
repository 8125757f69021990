import * as fs from 'node:fs/promises';
import { systemProcesses } from '../apply/process-table.ts';
import { openStateDirectory } from '../apply/state-directory.ts';
import type { StateStore } from '../apply/state-store.ts';
import type { Warning } from '../model/plan.ts';
import type { Context } from './context.ts';
import { resolveStateDirectory, type CommonOptions, type Connection } from './settings.ts';
import { styleFor } from './style.ts';

/** What earlier runs of this account left behind. */
export function openState(
  context: Context,
  options: CommonOptions,
  connection: Pick<Connection, 'url'>,
  account: string,
  command: string,
): StateStore {
  return openStateDirectory({
    directory: resolveStateDirectory(options, context),
    account,
    apiUrl: connection.url,
    fs,
    clock: context.clock,
    processes: systemProcesses(fs, command),
    every: context.every,
  });
}

/** What of the state directory could not be read: an aid that is missing, not a failure. */
export function printStateWarnings(
  context: Context,
  options: CommonOptions,
  warnings: readonly Warning[],
): void {
  const style = styleFor(context.stderr, options.color, context.env);
  for (const { code, message } of warnings) {
    context.stderr.write(`${style.warning('warning')}: ${message} ${style.dim(`[${code}]`)}\n`);
  }
}
