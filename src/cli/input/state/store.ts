import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { KEY_BYTES } from '../../../engine/state/postgres/cipher.ts';
import {
  isClear,
  openDatabase,
  type Database,
  type DatabaseOptions,
} from '../../../engine/state/postgres/database.ts';
import { readPublished, revisionsOf } from '../../../engine/state/postgres/revisions.ts';
import { hasPassword, parseStoreUrl } from '../../../engine/state/postgres/store-url.ts';
import { readStored } from '../../../engine/state/postgres/stored-documents.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { commandLine } from '../../output/command-lines.ts';
import { styleFor } from '../../output/style.ts';
import type { Secrets } from '../../process/secrets.ts';
import type { CommonOptions } from '../../settings.ts';

/** Connections of one process: a run has few statements at a time. */
const CONNECTIONS = 10;

/** Contexts of many accounts in one process share their secrets, and the store. */
const opened = new WeakMap<Secrets, Promise<Database>>();

/**
 * The store that flag or environment name, open; one for all accounts of the process. Call it only where one is named: it loads the
 * driver. What is wrong with URL or key ends the command with 64, a database that cannot be used with 1.
 */
export function openStore(context: Context, options: CommonOptions): Promise<Database> {
  const before = opened.get(context.secrets);
  if (before !== undefined) return before;
  const opening = open(context, options);
  opened.set(context.secrets, opening);
  // A database that is down now may be there at the next call.
  opening.catch(() => opened.delete(context.secrets));
  return opening;
}

/** Reads URL and key of the store. What is wrong with them ends the command with 64, before anything else is read. */
export async function storeSettings(
  context: Context,
  options: CommonOptions,
): Promise<Pick<DatabaseOptions, 'address' | 'key'>> {
  const { text, origin } = await storeText(context, options);
  const address = parseStoreUrl(text);
  if (!address.ok) throw usageError(`${origin}: ${address.error.message}`, address.error.hint);
  const key = keyOf(context);
  context.secrets.forbid(text, 'the URL of the store');
  if (address.value.password !== undefined)
    context.secrets.forbid(address.value.password, 'the password of the store');
  return { address: address.value, key };
}

const PUBLISHED = 'store:manifest/';

/** The manifests that the store keeps, by their names: snapshots, and the published manifest of an account. */
export async function readStoredManifests(
  context: Context,
  options: CommonOptions,
  names: readonly string[],
): Promise<readonly ManifestText[]> {
  const database = await openStore(context, options);
  const found = await Promise.all(
    names.map(async (name) => {
      if (name.startsWith(PUBLISHED))
        return readPublishedTexts(context, options, database, name.slice(PUBLISHED.length));
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
  options: CommonOptions,
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
  const command = commandLine(context, { ...options, account: email });
  throw commandFailure(
    `revision ${number} of ${email} is damaged in the store`,
    number > 1
      ? `publish its manifest again, or an earlier revision: \`${command(`publish --rollback ${number - 1}`)}\``
      : 'publish its manifest again',
  );
}

async function open(context: Context, options: CommonOptions): Promise<Database> {
  const { address, key } = await storeSettings(context, options);
  const database = await openDatabase({ address, key, connections: CONNECTIONS });
  if (!database.ok) {
    const { kind, message, hint } = database.error;
    throw kind === 'key' ? usageError(message, hint) : commandFailure(message, hint);
  }
  if (isClear(database.value)) warnOfClear(context, options);
  return database.value;
}

async function storeText(
  { env, cwd }: Context,
  { store, stateDir }: CommonOptions,
): Promise<{ readonly text: string; readonly origin: string }> {
  if (stateDir !== undefined)
    throw usageError('--state-dir and a store cannot be used together', 'give one of them');
  if (store !== undefined && hasPassword(store))
    throw usageError(
      'the URL of --store has a password in it, which every user of this machine can see',
      'set FWDSYNC_STORE, or FWDSYNC_STORE_FILE to a file with the URL',
    );
  if (store !== undefined) return { text: store, origin: '--store' };
  if (env['FWDSYNC_STORE']) return { text: env['FWDSYNC_STORE'], origin: 'FWDSYNC_STORE' };
  const path = env['FWDSYNC_STORE_FILE'] ?? '';
  try {
    const text = (await readFile(resolve(cwd, path), 'utf8')).trim();
    return { text, origin: 'the URL in the file of FWDSYNC_STORE_FILE' };
  } catch {
    throw commandFailure(
      `FWDSYNC_STORE_FILE names ${path}, which cannot be read`,
      'check the path and its permissions',
    );
  }
}

/** Null: there is none. */
function keyOf({ env, secrets }: Context): Uint8Array | null {
  const text = env['FWDSYNC_STORE_KEY'];
  if (!text) return null;
  secrets.forbid(text, 'the key of the store');
  const key = Buffer.from(text, 'base64');
  if (
    key.length === KEY_BYTES &&
    key.toString('base64').replace(/=+$/, '') === text.trim().replace(/=+$/, '')
  )
    return key;
  throw usageError(
    `FWDSYNC_STORE_KEY is not ${KEY_BYTES} bytes in base64`,
    'make one with: openssl rand -base64 32',
  );
}

function warnOfClear(context: Context, options: CommonOptions): void {
  const { warning, dim } = styleFor(context.stderr, options.color, context.env);
  context.stderr.write(
    `${warning('warning')}: the store keeps addresses in clear: it was made without FWDSYNC_STORE_KEY ${dim('[store-clear]')}\n`,
  );
}
