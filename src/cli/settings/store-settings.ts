import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KEY_BYTES } from '../../engine/state/postgres/cipher.ts';
import type { DatabaseOptions } from '../../engine/state/postgres/database.ts';
import { hasPassword, parseStoreUrl } from '../../engine/state/postgres/store-url.ts';
import type { ProcessContext } from '../context.ts';
import { commandFailure, usageError } from '../exit.ts';
import type { GivenFlags } from './flags.ts';

/** The store that keeps the state of accounts, and its encryption key. */
export type StoreSettings = Pick<DatabaseOptions, 'address' | 'key'>;

/** Reads URL and key of the store. If one is invalid, the command ends with 64 before anything else is read. */
export async function readStoreSettings(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  given: GivenFlags,
): Promise<StoreSettings> {
  const { text, origin } = await storeText(context, given);
  const address = parseStoreUrl(text);
  if (!address.ok) throw usageError(`${origin}: ${address.error.message}`, address.error.hint);
  const key = keyOf(context);
  context.secrets.forbid(text, 'the URL of the store');
  if (address.value.password !== undefined)
    context.secrets.forbid(address.value.password, 'the password of the store');
  return { address: address.value, key };
}

async function storeText(
  { env, cwd }: Pick<ProcessContext, 'env' | 'cwd'>,
  { store, stateDir }: GivenFlags,
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

/** Returns the key of the store; null if there is none. */
function keyOf({ env, secrets }: Pick<ProcessContext, 'env' | 'secrets'>): Uint8Array | null {
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
