import { readFile } from 'node:fs/promises';
import { timingSafeEqual } from 'node:crypto';
import type { Client, Pool, PoolClient, PoolConfig } from 'pg';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { createCipher, type Cipher } from './cipher.ts';
import { MIGRATIONS, VERSION_TABLE } from './migrations.ts';
import type { StoreAddress } from './store-url.ts';

/** An open store in PostgreSQL. Its tables have this version, and the key is the right one. */
export interface Database {
  readonly cipher: Cipher;
  /** Returns the rows of one statement. Rejects if it fails. */
  readonly query: Query;
  /** Runs all statements of `work` or none. Rejects with the error that `work` throws. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Returns the driver's result, which is a list for several statements. Rejects like `query`. */
  raw(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Calls back for each notification of a channel, over a separate connection. Rejects if that is not available. */
  listen(channel: string, onNotified: () => void): Promise<Listener>;
  close(): Promise<void>;
}

export interface Listener {
  /** False if the connection broke, so that no notification arrives any more. */
  isAlive(): boolean;
  close(): Promise<void>;
}

export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface DatabaseFault {
  /** `key` means that the key belongs to another store, is missing, or is set although the store is in clear text. */
  readonly kind: 'unreachable' | 'newer' | 'key';
  readonly message: string;
  readonly hint: string;
}

export interface DatabaseOptions {
  readonly address: StoreAddress;
  /** The key, 32 bytes. null means that the store is in clear text. */
  readonly key: Uint8Array | null;
  /** Maximum number of connections. */
  readonly connections: number;
}

const CONNECT_MS = 10_000;
const STATEMENT_MS = 15_000;
const LOCK_MS = 10_000;
/** Number of the advisory lock for migrations. Any number works that no other program uses. */
const MIGRATION_LOCK = 4_660_921_837;

/**
 * Connects, creates or migrates the tables, and checks version and key. It loads the driver, so call it only if a store is
 * named.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Result<Database, DatabaseFault>> {
  const cipher = createCipher(options.key);
  let pool: Pool | null = null;
  try {
    const { default: pg } = await import('pg');
    const config = await connectionConfig(options);
    pool = new pg.Pool(config);
    // The next use replaces an idle connection that breaks. Without a listener, the event would end the process.
    pool.on('error', () => {});
    const database = databaseOf(pool, cipher, (channel, onNotified) =>
      listen(new pg.Client(config), channel, onNotified),
    );
    const fault = await prepare(database);
    if (fault === null) return succeed(database);
    await database.close();
    return fail(fault);
  } catch (error) {
    await pool?.end();
    return fail(unreachable(error));
  }
}

/** True if the store is readable without a key. */
export function isClear({ cipher }: Database): boolean {
  return cipher.check === null;
}

/** Returns the driver's message. It names hosts and roles, never a password. */
export function describeFailure(error: unknown): string {
  // If several addresses of a name fail, the driver reports one error without a message.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return first instanceof Error ? first.message : String(first);
}

async function connectionConfig({ address, connections }: DatabaseOptions): Promise<PoolConfig> {
  const { host, port, user, password, database } = address;
  return {
    host,
    port,
    user,
    password,
    database,
    ssl: await tlsOptions(address),
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 1_000,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: 'fwdsync',
    allowExitOnIdle: true,
    keepAlive: true,
  };
}

async function listen(client: Client, channel: string, onNotified: () => void): Promise<Listener> {
  let alive = true;
  const ended = (): void => {
    alive = false;
  };
  client.on('error', ended).on('end', ended).on('notification', onNotified);
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
  } catch (error) {
    await client.end();
    throw error;
  }
  return { isAlive: () => alive, close: () => client.end() };
}

async function tlsOptions({ tls, authority }: StoreAddress): Promise<PoolConfig['ssl']> {
  if (tls === 'off') return false;
  if (authority === null) return { rejectUnauthorized: true };
  return { rejectUnauthorized: true, ca: await readFile(authority, 'utf8') };
}

function databaseOf(pool: Pool, cipher: Cipher, listenTo: Database['listen']): Database {
  return {
    cipher,
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as readonly Row[],
    transaction: (work) => inTransaction(pool, work),
    raw: (text, values = []) => pool.query(text, [...values]),
    listen: listenTo,
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const ignore = (): void => {};
  client.on('error', ignore);
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(queryOf(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    failure = error as Error;
    await client.query('ROLLBACK').then(() => (failure = undefined), ignore);
    throw error;
  } finally {
    client.off('error', ignore);
    // A connection whose rollback failed cannot be used again.
    client.release(failure);
  }
}

function queryOf(client: PoolClient): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as readonly Row[];
}

interface StoreRow {
  readonly version: number;
  readonly key_check: Buffer | null;
}

async function prepare(database: Database): Promise<DatabaseFault | null> {
  const { cipher } = database;
  let store = await readStore(database.query);
  if (store !== null && store.version > MIGRATIONS.length) return newer(store.version);
  if (store === null || store.version < MIGRATIONS.length)
    store = await database.transaction((query) => migrate(query, cipher));
  if (store.version > MIGRATIONS.length) return newer(store.version);
  return keyFault(store.key_check, cipher.check);
}

/** Returns the store's row, or null if the database has no store yet. */
async function readStore(query: Query): Promise<StoreRow | null> {
  // to_regclass is not used, because its cache may be older than another process's commit.
  const there = await query(`SELECT 1 FROM pg_tables WHERE schemaname = 'fwdsync' AND tablename = 'store'`);
  if (there.length === 0) return null;
  const [row] = await query<StoreRow>('SELECT version, key_check FROM fwdsync.store');
  return row ?? null;
}

/**
 * Migrates the tables, one process at a time; a second process finds the work done. A new store gets the key of the process
 * that creates it.
 */
async function migrate(query: Query, { check }: Cipher): Promise<StoreRow> {
  await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  const before = await readStore(query);
  if (before === null) await createStore(query);
  const version = before?.version ?? 0;
  for (const step of MIGRATIONS.slice(version)) await query(step);
  const store = { version: Math.max(version, MIGRATIONS.length), key_check: before?.key_check ?? null };
  if (before !== null) {
    await query('UPDATE fwdsync.store SET version = $1', [store.version]);
    return store;
  }
  await query('INSERT INTO fwdsync.store (version, key_check) VALUES ($1, $2)', [store.version, check]);
  return { ...store, key_check: check };
}

/** Creates the store. The schema may exist already, created for a role that may not create one. */
async function createStore(query: Query): Promise<void> {
  const there = await query(`SELECT 1 FROM pg_namespace WHERE nspname = 'fwdsync'`);
  if (there.length === 0) await query('CREATE SCHEMA fwdsync');
  await query(VERSION_TABLE);
}

function keyFault(wanted: Buffer | null, given: Buffer | null): DatabaseFault | null {
  if (wanted === null && given === null) return null;
  if (wanted === null)
    return {
      kind: 'key',
      message: 'FWDSYNC_STORE_KEY is set, and the store is not encrypted',
      hint: 'unset it, or move to a new store that is created with the key',
    };
  if (given === null)
    return {
      kind: 'key',
      message: 'the store is encrypted, and FWDSYNC_STORE_KEY is not set',
      hint: 'set it to the key that the store was created with',
    };
  if (wanted.length === given.length && timingSafeEqual(wanted, given)) return null;
  return {
    kind: 'key',
    message: 'FWDSYNC_STORE_KEY is not the key of this store',
    hint: 'set it to the key that the store was created with',
  };
}

function newer(version: number): DatabaseFault {
  return {
    kind: 'newer',
    message: `the store has version ${version}, and this fwdsync knows versions up to ${MIGRATIONS.length}`,
    hint: 'use the fwdsync that the store was last used with, or a newer one',
  };
}

function unreachable(error: unknown): DatabaseFault {
  return {
    kind: 'unreachable',
    message: `the store cannot be used: ${describeFailure(error)}`,
    hint: 'check that the database runs, and its host, name, role and password; docs/fleet.md lists the privileges',
  };
}
