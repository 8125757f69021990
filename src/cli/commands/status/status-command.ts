import { readFleet } from '../../../service/fleet/records.ts';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import { describeFailure } from '../../../engine/state/postgres/database.ts';
import { fleetDocument } from '../../../service/status/fleet-document.ts';
import type { Context } from '../../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import { EXIT, commandFailure, usageError } from '../../exit.ts';
import { openStore } from '../../input/state/open-store.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import type { StoreSettings } from '../../settings/store-settings.ts';
import { renderStatus } from './status-text.ts';

/** Prints the state of all accounts of a store, its workers and its queue. Always exits with 0. Sends no requests. */
export async function statusCommand(context: Context, { settings }: CommandCall): Promise<CommandResult> {
  const { store } = settings.state;
  if (store === null) throw usageError('status needs a store', 'give --store, or set FWDSYNC_STORE');
  const fleet = await read(context, store);
  const { stdout, color } = context;
  const command = commandLineHere(context);
  const text = (): string =>
    renderStatus(fleet, { style: styleFor(stdout, color), columns: sentenceColumns(stdout), command });
  return { exit: EXIT.done, ...chooseOutput(context, fleetDocument(fleet), text) };
}

async function read(context: Context, store: StoreSettings): Promise<Fleet> {
  const database = await openStore(context, store);
  try {
    return await readFleet(database);
  } catch (error) {
    throw commandFailure(`the store cannot be read: ${describeFailure(error)}`, 'check the database');
  }
}
