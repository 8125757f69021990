import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../../../src/engine/state/postgres/database.ts';
import { MIGRATIONS } from '../../../../src/engine/state/postgres/migrations.ts';
import { openPostgresState } from '../../../../src/engine/state/postgres/postgres-store.ts';
import { parseStoreUrl } from '../../../../src/engine/state/postgres/store-url.ts';
import { virtualClock } from '../../../support/clock.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import type { TestDatabases } from '../../../support/postgres.ts';
import { sharedPostgres } from '../../../support/shared-postgres.ts';
import { runEntry } from '../support/history-contract.ts';
import { rememberAcme, take } from '../support/store-contract.ts';

const KEY = randomBytes(32);

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

async function open(url: string): Promise<Database> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key: null, connections: 2 });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Why it could not be opened; null means that it was opened. */
async function openAndClose(
  url: string,
  key: Uint8Array | null = null,
): Promise<{ kind: string; message: string } | null> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key, connections: 2 });
  if (!opened.ok) return opened.error;
  await opened.value.close();
  return null;
}

test('if many processes find an empty database, one creates the tables', async () => {
  const url = await server.createDatabase();
  const all = await Promise.all(Array.from({ length: 8 }, () => openAndClose(url)));
  expect(all).toEqual(Array.from({ length: 8 }, () => null));
  expect(await server.run(url, 'SELECT version FROM fwdsync.store')).toEqual([
    { version: MIGRATIONS.length },
  ]);
});

test('a store that was made before its history had bounds knows how much each day has', async () => {
  const url = await server.createDatabase();
  const before = MIGRATIONS.slice(0, 2).join('');
  const entries = `
    INSERT INTO fwdsync.accounts (email, host) VALUES ('ops@acme.example', 'h');
    INSERT INTO fwdsync.history (account, subject, at, keys, entry) VALUES
      (1, 'drift', '2026-09-01T23:59:59Z', '{}', 'four'), (1, 'run', '2026-09-02T00:00:00Z', '{}', 'fourfour')`;
  const made = `CREATE SCHEMA fwdsync; CREATE TABLE fwdsync.store (version integer, key_check bytea);`;
  await server.run(url, `${made} INSERT INTO fwdsync.store VALUES (2, NULL); ${before} ${entries}`);
  expect(await openAndClose(url)).toBeNull();
  const days = await server.run(url, 'SELECT day::text, bytes FROM fwdsync.history_days ORDER BY 1');
  expect(days).toEqual([
    { day: '2026-09-01', bytes: '4' },
    { day: '2026-09-02', bytes: '8' },
  ]);
});

test('a store of a newer version is refused, and stays as it is', async () => {
  const url = await server.createDatabase();
  await openAndClose(url);
  await server.run(url, 'UPDATE fwdsync.store SET version = 99');
  expect(await openAndClose(url)).toMatchObject({
    kind: 'newer',
    message: expect.stringContaining('version 99'),
  });
  expect(await server.run(url, 'SELECT version FROM fwdsync.store')).toEqual([{ version: 99 }]);
});

test('the key with which a store was made opens it, and no other, nor none; a store in clear takes none', async () => {
  const [sealed, clear] = [await server.createDatabase(), await server.createDatabase()];
  expect(await openAndClose(sealed, KEY)).toBeNull();
  expect(await openAndClose(sealed, KEY)).toBeNull();
  expect(await openAndClose(sealed, randomBytes(32))).toMatchObject({ kind: 'key' });
  expect(await openAndClose(sealed)).toMatchObject({ kind: 'key' });
  expect(await openAndClose(clear)).toBeNull();
  expect(await openAndClose(clear, KEY)).toMatchObject({ kind: 'key' });
});

test('a role with the privileges of docs/fleet.md uses a store that another role created', async () => {
  const url = await server.createDatabase();
  const worker = url.replace('postgres@', 'fwdsync_worker@');
  await server.run(url, 'CREATE ROLE fwdsync_worker LOGIN');
  expect(await openAndClose(worker)).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('permission denied'),
  });
  await openAndClose(url);
  const page = await readFile(join(import.meta.dirname, '../../../../docs/fleet.md'), 'utf8');
  const [, grants = ''] = /```sql\n(GRANT .*?)```/s.exec(page) ?? [];
  await server.run(url, grants);
  const store = await open(worker);
  try {
    const account = { account: 'ops@acme.example', apiUrl: 'https://api.example/v4' };
    const processes = { pid: 1, host: 'worker', command: 'run' };
    const state = openPostgresState({ ...account, database: store, clock: virtualClock(), processes });
    const lock = await take(state);
    await rememberAcme(state);
    expect(await state.saveSnapshot('version: 1\n')).toMatchObject({ ok: true });
    expect(await state.history.append([runEntry('a', '2026-09-01T00:00:00.000Z')], 'synced')).toMatchObject({
      ok: true,
    });
    await lock.release();
  } finally {
    await store.close();
  }
  await expect(server.run(worker, 'UPDATE fwdsync.store SET version = 99')).rejects.toThrow(
    'permission denied',
  );
});

test('with verified TLS it connects only to a server with a certificate for its name from a known authority', async () => {
  const plain = await server.createDatabase();
  const tls = `${plain}?sslmode=verify-full`;
  const refusal = async (url: string): Promise<string | undefined> => (await openAndClose(url))?.message;
  expect(await refusal(tls)).toContain('does not support SSL');
  // Runs as the server's user, in its directory.
  const certify =
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=store ' +
    '-addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.crt 2>&1';
  await server.run(plain, `COPY (SELECT 1) TO PROGRAM '${certify} > server.log'`);
  await server.run(plain, 'ALTER SYSTEM SET ssl = on');
  await server.run(plain, 'SELECT pg_reload_conf()');
  await expect.poll(() => server.run(plain, 'SHOW ssl')).toEqual([{ ssl: 'on' }]);
  expect(await refusal(tls)).toContain('self-signed certificate');
  const [certificate] = await server.run(plain, `SELECT pg_read_file('server.crt') AS text`);
  const authority = join(await temporaryDirectory(), 'ca.pem');
  await writeFile(authority, String(certificate?.['text']));
  const known = `${tls}&sslrootcert=${encodeURIComponent(authority)}`;
  expect(await refusal(known.replace('127.0.0.1', 'localhost'))).toContain('Hostname/IP does not match');
  const database = await open(known);
  const using = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  expect(await database.query(using)).toEqual([{ ssl: true }]);
  await database.close();
});

test('a database that is not there fails in words', async () => {
  const url = await server.createDatabase();
  expect(await openAndClose(`${url}_gone`)).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('does not exist'),
  });
  expect(await openAndClose('postgres://u:hunter2@127.0.0.1:1/x')).toMatchObject({
    kind: 'unreachable',
    message: expect.not.stringContaining('hunter2'),
  });
});
