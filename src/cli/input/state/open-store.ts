import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { isClear, openDatabase, type Database } from '../../../engine/state/postgres/database.ts';
import { readPublished, revisionsOf } from '../../../engine/state/postgres/published/revisions.ts';
import { readStored } from '../../../engine/state/postgres/stored-documents.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { commandLine } from '../../output/command-lines.ts';
import { printWarning } from '../../output/output.ts';
import type { Secrets } from '../../process/secrets.ts';
import type { StoreSettings } from '../../settings/store-settings.ts';

/** Connections of one process: a run has few statements at a time. */
const CONNECTIONS = 10;

/** Contexts of many accounts in one process share their secrets, and the store. */
const opened = new WeakMap<Secrets, Promise<Database>>();

/**
 * Opens the store, once for all accounts of the process; this loads the driver. A wrong key ends the command with 64, a
 * database that cannot be used with 1.
 */
export function openStore(context: Context, store: StoreSettings): Promise<Database> {
  const before = opened.get(context.secrets);
  if (before !== undefined) return before;
  const opening = open(context, store);
  opened.set(context.secrets, opening);
  // A database that is down now may be there at the next call.
  opening.catch(() => opened.delete(context.secrets));
  return opening;
}

const PUBLISHED = 'store:manifest/';

/** Reads manifests in the store by name: snapshots, and the published manifest of an account. */
export async function readStoredManifests(
  context: Context,
  store: StoreSettings,
  names: readonly string[],
): Promise<readonly ManifestText[]> {
  const database = await openStore(context, store);
  const found = await Promise.all(
    names.map(async (name) => {
      if (name.startsWith(PUBLISHED))
        return readPublishedTexts(context, database, name.slice(PUBLISHED.length));
      const read = await readStored(database, name);
      if (!read.ok) throw commandFailure(read.error.message, 'check the database');
      if (read.value !== null) return [{ file: name, text: read.value }];
      throw commandFailure(`the store has no ${name}`, 'it keeps the newest 50 snapshots of each account');
    }),
  );
  return found.flat();
}

async function readPublishedTexts(
  context: Context,
  database: Database,
  email: string,
): Promise<readonly ManifestText[]> {
  const found = await revisionsOf(database, email);
  if (!found.ok) throw commandFailure(found.error.message, 'check the database');
  const [one, ...more] = found.value.filter(({ revision }) => revision !== null);
  if (one === undefined)
    throw commandFailure(
      `no manifest of ${email} is published`,
      'publish one: `fwdsync publish --help` says how',
    );
  if (more.length > 0)
    throw commandFailure(`manifests of ${email} are published for several APIs`, 'remove one of them');
  const read = await readPublished(database, one);
  if (!read.ok) throw commandFailure(read.error.message, 'check the database');
  if (read.value !== 'damaged') return read.value?.texts ?? [];
  const number = one.revision ?? 0;
  const command = commandLine({ ...context, given: { ...context.given, account: email } });
  throw commandFailure(
    `revision ${number} of ${email} is damaged in the store`,
    number > 1
      ? `publish its manifest again, or an earlier revision: \`${command(`publish --rollback ${number - 1}`)}\``
      : 'publish its manifest again',
  );
}

async function open(context: Context, { address, key }: StoreSettings): Promise<Database> {
  const database = await openDatabase({ address, key, connections: CONNECTIONS });
  if (!database.ok) {
    const { kind, message, hint } = database.error;
    throw kind === 'key' ? usageError(message, hint) : commandFailure(message, hint);
  }
  if (isClear(database.value))
    printWarning(
      context,
      'the store keeps addresses in clear: it was created without FWDSYNC_STORE_KEY',
      'store-clear',
    );
  return database.value;
}
