import type { DomainName } from '../../../core/model/names.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { accountName } from '../account-name.ts';
import type { StateFault } from '../store.ts';
import type { Cipher, SealedPlace } from './cipher.ts';
import { describeFailure, type Database, type Query } from './database.ts';

/**
 * The lock under which rows are written. A database that failed over to an older standby can repeat an epoch, but never an
 * acquisition (a random UUID).
 */
export interface HeldLock {
  readonly epoch: string;
  readonly acquisition: string;
}

/** The rows of one account. */
export interface AccountRows {
  readonly email: string;
  readonly cipher: Cipher;
  /** Name of the place, for people. */
  readonly place: string;
  /** Returns the account's number, or null if nothing is stored for it. Rejects if the database cannot be used. */
  find(): Promise<string | null>;
  /** Returns the account's number, and adds the account if it does not exist. */
  findOrAdd(): Promise<string>;
  /** The lock under which these rows are written, or null. */
  lock: HeldLock | null;
  /** Why the last read failed. null means that it succeeded or that nothing was read yet. */
  readFault: string | null;
  readonly query: Query;
  /**
   * Runs statements in one transaction, and only while `lock` is held, so that nothing is written after another run took
   * over. Never rejects.
   */
  write<T>(work: (query: Query, account: string) => Promise<T>): Promise<Result<T, StateFault>>;
}

/** Returns the rows of an account that may not exist yet. */
export function accountRows(database: Database, account: string, apiUrl: string): AccountRows {
  const { query, cipher } = database;
  const { email, host } = accountName(account, apiUrl);
  const key = [email, cipher.lookUp(host)];
  let known: string | null = null;
  return rowsOf(database, email, {
    async find() {
      const text = 'SELECT id FROM fwdsync.accounts WHERE email = $1 AND host = $2';
      known ??= (await query<{ readonly id: string }>(text, key))[0]?.id ?? null;
      return known;
    },
    add: () =>
      query('INSERT INTO fwdsync.accounts (email, host) VALUES ($1, $2) ON CONFLICT DO NOTHING', key),
  });
}

/**
 * Returns the rows of all accounts of an email, with any API host, or of all emails if it is null. Rejects if they cannot be
 * read.
 */
export async function knownAccountRows(
  database: Database,
  email: string | null,
): Promise<readonly AccountRows[]> {
  const found = await database.query<{ readonly id: string; readonly email: string }>(
    'SELECT id, email FROM fwdsync.accounts WHERE $1::text IS NULL OR email = $1 ORDER BY email, id',
    [email === null ? null : accountName(email, '').email],
  );
  return found.map(({ id, email: name }) =>
    rowsOf(database, name, { find: () => Promise.resolve(id), add: () => Promise.resolve() }),
  );
}

interface AccountAccess {
  readonly find: AccountRows['find'];
  readonly add: () => Promise<unknown>;
}

function rowsOf(database: Database, email: string, { find, add }: AccountAccess): AccountRows {
  const rows: AccountRows = {
    email,
    cipher: database.cipher,
    place: `the state of ${email} in the store`,
    find,
    async findOrAdd() {
      const found = await find();
      if (found !== null) return found;
      await add();
      const added = await find();
      if (added === null) throw new Error(`${email} was removed from the store`);
      return added;
    },
    lock: null,
    readFault: null,
    query: database.query,
    async write(work) {
      try {
        const id = await rows.findOrAdd();
        return await database.transaction(async (inside) => {
          const stale = await staleness(rows, inside, id);
          return stale === null ? succeed(await work(inside, id)) : fail({ message: stale });
        });
      } catch (error) {
        return fail({ message: `${rows.place} cannot be written: ${describeFailure(error)}` });
      }
    },
  };
  return rows;
}

/** Returns why the lock is lost, or null if it is held. The lock cannot change hands before the transaction ends. */
async function staleness(
  { lock, place }: AccountRows,
  query: Query,
  account: string,
): Promise<string | null> {
  if (lock === null) return null;
  const held = await query(
    'SELECT 1 FROM fwdsync.locks WHERE account = $1 AND epoch = $2 AND acquisition = $3 AND held FOR SHARE',
    [account, lock.epoch, lock.acquisition],
  );
  return held.length === 1 ? null : `${place} is not written: another run has taken over`;
}

/** A text of the account: its row in `memories`. */
export interface MemoryText {
  readonly text: string;
  readonly revision: string;
}

export type MemoryName =
  | 'manifests'
  | 'references'
  | 'salt'
  | 'receiving'
  | `${'delivery' | 'moves'}/${DomainName}`;

/** Reads a text. null means that there is none; `damaged` means that it exists but cannot be opened. */
export async function readMemory(
  { cipher }: AccountRows,
  query: Query,
  account: string,
  name: MemoryName,
): Promise<MemoryText | null | 'damaged'> {
  const [row] = await query<{ revision: string; memory: Buffer }>(
    'SELECT revision, memory FROM fwdsync.memories WHERE account = $1 AND name = $2',
    [account, name],
  );
  if (row === undefined) return null;
  const text = cipher.open(placeOfMemory(account, name, row.revision), row.memory);
  return text === null ? 'damaged' : { text, revision: row.revision };
}

export function placeOfMemory(account: string, name: MemoryName, revision: string): SealedPlace {
  return { table: 'memories', account, row: name, revision };
}

/**
 * Replaces a text with the result of `change`. Within the transaction of `query`, nothing else changes it. A damaged text
 * counts as missing. If the result is null or equal, the text stays.
 */
export async function changeMemory(
  rows: AccountRows,
  query: Query,
  { account, name }: { readonly account: string; readonly name: MemoryName },
  change: (before: string | null) => string | null,
): Promise<void> {
  // A row that does not exist cannot be locked, so the account's row is locked.
  await query('SELECT 1 FROM fwdsync.accounts WHERE id = $1 FOR NO KEY UPDATE', [account]);
  const found = await readMemory(rows, query, account, name);
  const before = found === 'damaged' ? null : found;
  const text = change(before?.text ?? null);
  if (text === null || text === before?.text) return;
  const [last] = await query<{ revision: string }>(
    'SELECT revision FROM fwdsync.memories WHERE account = $1 AND name = $2',
    [account, name],
  );
  const revision = String(BigInt(last?.revision ?? '0') + 1n);
  await query(
    `INSERT INTO fwdsync.memories (account, name, revision, memory) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account, name) DO UPDATE SET revision = excluded.revision, memory = excluded.memory`,
    [account, name, revision, rows.cipher.seal(placeOfMemory(account, name, revision), text)],
  );
}
