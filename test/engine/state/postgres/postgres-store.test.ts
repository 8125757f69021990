import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Database } from '../../../../src/engine/state/postgres/database.ts';
import { openPostgresSharedText } from '../../../../src/engine/state/postgres/postgres-shared-text.ts';
import { openPostgresState } from '../../../../src/engine/state/postgres/postgres-store.ts';
import { parseStoreUrl } from '../../../../src/engine/state/postgres/store-url.ts';
import type { StateStore } from '../../../../src/engine/state/store.ts';
import { virtualClock } from '../../../support/clock.ts';
import { itemEntry, runEntry } from '../support/history-contract.ts';
import { startPostgres, type TestDatabases } from '../../../support/postgres.ts';
import { fromEnvironment } from '../../../support/references.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';
import { sharedPostgres } from '../../../support/shared-postgres.ts';
import {
  ACME,
  ACME_MEMORY,
  rememberAcme,
  storeContract,
  take,
  type StoreOptions,
} from '../support/store-contract.ts';

const KEY = randomBytes(32);
const AT = '2026-09-01T00:00:00.000Z';

let server: TestDatabases;
/** Has the tables, which take longer to make than to copy. */
let template: string;
const databases: Database[] = [];

beforeAll(async () => {
  server = await sharedPostgres();
  template = await server.createDatabase();
  await (await openAt(template)).close();
});

afterAll(() => Promise.all(databases.map((database) => database.close())));

async function openAt(url: string, key: Uint8Array | null = KEY): Promise<Database> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key, connections: 12 });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

async function openWorld(key: Uint8Array | null = KEY) {
  return openWorldAt(await server.createDatabase(key === null ? undefined : template), key);
}

async function openWorldAt(url: string, key: Uint8Array | null = KEY) {
  const database = await openAt(url, key);
  databases.push(database);
  const clock = virtualClock();
  let pid = 0;
  const open = (
    {
      account = 'ops@acme.example',
      apiUrl = 'https://api.example/v4',
      command = 'apply',
      history,
      leaseMs,
    }: StoreOptions & { readonly leaseMs?: number } = {},
    through = database,
  ): StateStore =>
    openPostgresState({
      database: through,
      account,
      apiUrl,
      clock,
      history,
      leaseMs,
      processes: { pid: (pid += 1), host: 'worker', command },
      moment: () => new Date(clock.now()),
    });
  const openShared = () => openPostgresSharedText(database);
  return { url, database, clock, open, openShared };
}

storeContract('PostgreSQL', openWorld);

describe('what is kept', () => {
  /** Everything that the tables hold, as one text. */
  async function dump(url: string): Promise<string> {
    const tables = [
      'store',
      'accounts',
      'domains',
      'memories',
      'documents',
      'locks',
      'history',
      'history_days',
      'notifications',
    ];
    const rows = await Promise.all(tables.map((table) => server.run(url, `SELECT * FROM fwdsync.${table}`)));
    const plain = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('latin1') : value);
    return JSON.stringify(rows, (_key, value: unknown) => {
      const buffer = value as { readonly type?: string; readonly data?: readonly number[] } | null;
      return buffer?.type === 'Buffer' ? plain(Buffer.from(buffer.data ?? [])) : value;
    });
  }

  async function fill({ open, database }: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
    const store = open({ command: 'secret-command' });
    await rememberAcme(store);
    await store.saveSnapshot('forward: boss@home.example');
    await store.saveReport('{"secret":"boss@home.example"}');
    await store.rememberReferences(fromEnvironment({ 'boss@home.example': 'BOSS' }));
    await store.history.append([runEntry('run-of-boss', AT), itemEntry('run-of-boss', 1, AT)], 'synced');
    await openPostgresSharedText(database).change(() => 'drift of boss@home.example');
    await take(store);
  }

  test('with a key: only emails, domains, times, revisions and counts are in clear', async () => {
    const world = await openWorld();
    await fill(world);
    const text = await dump(world.url);
    for (const secret of [
      'boss@home',
      'sales',
      'BOSS',
      'scrypt',
      'api.example',
      'secret-command',
      'applied',
      'run-of-boss',
      'corp.example',
    ])
      expect(text).not.toContain(secret);
    for (const clear of ['ops@acme.example', 'acme.example']) expect(text).toContain(clear);
    expect(text).not.toContain(KEY.toString('latin1'));
  });

  test('without one everything is readable, which the test of the key would see', async () => {
    const world = await openWorld(null);
    await fill(world);
    const text = await dump(world.url);
    for (const plain of ['boss@home', 'sales', 'BOSS', 'secret-command', 'run-of-boss', 'corp.example'])
      expect(text).toContain(plain);
  });

  test('a text that was moved to another row, account or revision opens no more', async () => {
    const { url, open } = await openWorld();
    await rememberAcme(open());
    await rememberAcme(open({ account: 'other@acme.example' }));
    for (const spoil of [
      `UPDATE fwdsync.domains SET memory = (SELECT memory FROM fwdsync.domains WHERE account = 2) WHERE account = 1`,
      `UPDATE fwdsync.domains SET revision = revision + 1 WHERE account = 2`,
    ])
      await server.run(url, spoil);
    for (const account of ['ops@acme.example', 'other@acme.example']) {
      const { prior, warnings } = await open({ account }).prior();
      expect(prior.domains.size).toBe(0);
      expect(warnings).toMatchObject([{ code: 'state-damaged', message: expect.stringContaining(ACME) }]);
      await rememberAcme(open({ account }));
      expect((await open({ account }).prior()).prior.domains.get(ACME)).toEqual(ACME_MEMORY);
    }
  });

  test('the newest 50 snapshots and the newest 50 reports', async () => {
    const { url, open } = await openWorld();
    for (let count = 0; count < 55; count += 1) await open().saveSnapshot('version: 1\n');
    await open().saveReport('{}');
    const counted = await server.run(
      url,
      'SELECT kind, count(*)::int FROM fwdsync.documents GROUP BY kind ORDER BY kind',
    );
    expect(counted).toEqual([
      { kind: 'report', count: 1 },
      { kind: 'snapshot', count: 50 },
    ]);
  });

  test('nothing by reading alone', async () => {
    const { url, open } = await openWorld();
    await open().prior();
    await open().openReferences();
    expect(await server.run(url, 'SELECT * FROM fwdsync.accounts')).toEqual([]);
  });
});

describe('an epoch that has passed', () => {
  test('writes nothing more, and its successor is not disturbed', async () => {
    const { open, clock } = await openWorld();
    const stopped = open({ command: 'stopped' });
    const lock = await take(stopped);
    await rememberAcme(stopped);
    clock.advance(60_000);
    const successor = open({ command: 'run' });
    await take(successor);
    const forgotten = { domains: new Map([[ACME, null]]), manifest: null };
    for (const refused of [
      await stopped.remember(forgotten),
      await stopped.saveSnapshot('version: 1\n'),
      await stopped.saveReport('{}'),
      await stopped.history.append([itemEntry('late', 1, AT)], 'synced'),
      await stopped.rememberReferences(fromEnvironment({ 'a@b.example': 'A' })),
    ])
      expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('taken over') } });
    expect((await successor.prior()).prior.domains.get(ACME)).toEqual(ACME_MEMORY);
    await lock.release();
    expect((await successor.remember(forgotten)).ok).toBe(true);
  });
});

test('an epoch that a database hands out twice, after it failed over to an older standby, is of its second holder alone', async () => {
  const { open, database } = await openWorld();
  const forgotten = open({ command: 'forgotten' });
  const lock = await take(forgotten);
  await database.query('UPDATE fwdsync.locks SET epoch = epoch - 1, held = false');
  const successor = open({ command: 'run' });
  const held = await take(successor);
  expect(await lock.lost()).toMatchObject({ kind: 'held' });
  expect((await forgotten.saveReport('{}')).ok).toBe(false);
  await lock.release();
  expect(await held.lost()).toBeNull();
  expect((await successor.saveReport('{}')).ok).toBe(true);
});

describe('a lease of its own', () => {
  test('is kept by others, whose own is shorter', async () => {
    const { open, clock } = await openWorld();
    const long = await take(open({ leaseMs: 120_000 }));
    clock.advance(100_000);
    expect(await open({ leaseMs: 30_000 }).lock()).toMatchObject({ ok: false, error: { kind: 'held' } });
    expect(await long.lost()).toBeNull();
    clock.advance(120_000);
    await take(open({ leaseMs: 30_000 }));
    expect(await long.lost()).toMatchObject({ kind: 'held' });
  });

  const pauses = [
    [30_000, 14_000, 0],
    [30_000, 16_000, 1],
    [60_000, 34_000, 0],
    [60_000, 36_000, 1],
  ] as const;

  test.each(everyNth(3, pauses))(
    'of %i ms: an answer from %i ms ago counts, or is requested again',
    async (leaseMs, pauseMs, repeats) => {
      const { database, clock, open } = await openWorld();
      let asked = 0;
      const slow: Database = {
        ...database,
        query: async <Row>(text: string, values?: readonly unknown[]) => {
          const rows = await database.query<Row>(text, values);
          if (text.startsWith('UPDATE fwdsync.locks SET refreshed_at') && (asked += 1) === 1)
            clock.advance(pauseMs);
          return rows;
        },
      };
      const lock = await take(open({ leaseMs }, slow));
      expect(await lock.lost()).toBeNull();
      expect(asked).toBe(1 + repeats);
    },
  );
});

describe('a process that is paused while it asks whether the lock is still its own', () => {
  test('asks again, for what it hears is old', async () => {
    const { database, clock, open } = await openWorld();
    let pauses = 1;
    // Paused after the database has answered.
    const paused: Database = {
      ...database,
      query: async <Row>(text: string, values?: readonly unknown[]) => {
        const rows = await database.query<Row>(text, values);
        if (text.startsWith('UPDATE fwdsync.locks SET refreshed_at') && (pauses -= 1) >= 0) {
          clock.advance(60_000);
          await take(open({ command: 'successor' }));
        }
        return rows;
      },
    };
    const lock = await take(open({ command: 'paused' }, paused));
    expect(await lock.lost()).toMatchObject({ kind: 'held', message: expect.stringContaining('successor') });
  });
});

// The test of a lost database in test/service/fleet/ ends a PostgreSQL every day.
describe.runIf(IS_FULL)('a database that cannot be reached', () => {
  test('fails in words, throws nothing, and is used again once it is there', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { open } = await openWorldAt(await server.createDatabase());
    const store = open();
    const lock = await take(store);
    await rememberAcme(store);
    await server.crash();
    expect(await lock.lost()).toMatchObject({ kind: 'lost' });
    expect(await open().lock()).toMatchObject({ ok: false, error: { kind: 'unwritable' } });
    expect(await store.saveSnapshot('version: 1\n')).toMatchObject({ ok: false });
    expect(await store.openReferences()).toBeNull();
    expect(await store.fingerprint('correct horse')).toBeNull();
    const { prior, warnings } = await store.prior();
    expect([prior.domains.size, warnings.map(({ code }) => code)]).toEqual([0, ['state-damaged']]);
    await server.restart();
    // The guards of this run had nothing to compare with.
    expect(await lock.lost()).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining('cannot be read'),
    });
    expect((await store.prior()).prior.domains.get(ACME)).toEqual(ACME_MEMORY);
    expect(await lock.lost()).toBeNull();
    expect(await store.fingerprint('correct horse')).toMatch(/^scrypt:/);
    await lock.release();
  });
});
