import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapeInvisible, plural } from '../../../core/model/names.ts';
import { importDirectory, type ImportedAccount } from '../../../engine/state/postgres/import-directory.ts';
import { systemProcesses } from '../../../engine/state/processes.ts';
import type { Context } from '../../context.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { EXIT, commandFailure, usageError } from '../../exit.ts';
import { openStore } from '../../input/state/open-store.ts';

/** Copies a state directory into the store, account by account. Exits with 1 if one could not be copied. */
export async function stateCommand(
  context: Context,
  { settings, args: [, directory = ''] }: CommandCall,
): Promise<CommandResult> {
  const { store } = settings.state;
  if (store === null) throw usageError('state import needs a store', 'give --store, or set FWDSYNC_STORE');
  const { clock, every } = context;
  const accounts = importDirectory({
    database: await openStore(context, store),
    directory: resolve(context.cwd, directory),
    fs,
    clock,
    every,
    processes: systemProcesses(fs, 'state import'),
  });
  let [count, failed] = [0, 0];
  for await (const imported of accounts) {
    count += 1;
    if (imported.result.ok) context.ending?.noteWrite();
    else failed += 1;
    context.stdout.write(lineOf(imported));
  }
  if (count === 0)
    throw commandFailure(
      `${directory} has no state of any account`,
      'name the directory that --state-dir names',
    );
  return { exit: failed === 0 ? EXIT.done : EXIT.failed };
}

function lineOf({ account, name, result }: ImportedAccount): string {
  const who = escapeInvisible(account ?? name);
  if (!result.ok) return `${who}: not imported: ${escapeInvisible(result.error.message)}\n`;
  const { domains, snapshots, reports, entries } = result.value;
  const what = [
    plural(domains, 'domain'),
    plural(snapshots, 'snapshot'),
    plural(reports, 'report'),
    `${plural(entries, 'line')} of history`,
  ];
  return `${who}: imported ${what.join(', ')}\n`;
}
