import { readFleet } from '../../../service/fleet/records.ts';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import { describeFailure } from '../../../engine/state/postgres/database.ts';
import { fleetDocument } from '../../../service/status/fleet-document.ts';
import type { Context } from '../../context.ts';
import { EXIT, commandFailure, usageError, type ExitCode } from '../../exit.ts';
import { openStore } from '../../input/state/store.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { printJson, sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/style.ts';
import { namesStore, resolveFormat, type CommonOptions } from '../../settings.ts';
import { renderStatus } from './status-text.ts';

/** Prints how the accounts of a store are, who works on them, and what waits; 0 whatever it finds. Sends no requests. */
export async function statusCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  if (!namesStore(options, context))
    throw usageError('status needs a store', 'give --store, or set FWDSYNC_STORE');
  const fleet = await read(context, options);
  if (format === 'json') printJson(context, fleetDocument(fleet));
  else {
    const style = styleFor(context.stdout, options.color, context.env);
    const columns = sentenceColumns(context.stdout);
    const command = commandLineHere(context, options);
    context.stdout.write(renderStatus(fleet, { style, columns, command }));
  }
  return EXIT.done;
}

async function read(context: Context, options: CommonOptions): Promise<Fleet> {
  const database = await openStore(context, options);
  try {
    return await readFleet(database);
  } catch (error) {
    throw commandFailure(`the store cannot be read: ${describeFailure(error)}`, 'check the database');
  }
}
