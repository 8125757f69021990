import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openQueue, readQueue, type Queue } from '../../../src/service/fleet/queue.ts';
import { listFleetAccounts } from '../../../src/service/fleet/records.ts';
import {
  claimRun,
  giveBack,
  recordRun,
  resyncAll,
  sendDue,
  showRuns,
  type Claim,
  type RunRecord,
} from '../../../src/service/fleet/runs.ts';
import { becomeScheduler, endWorker } from '../../../src/service/fleet/worker-row.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Database } from '../../../src/engine/state/postgres/database.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openStore, publish } from './support/fleet.ts';

const INTERVAL_MS = 300_000;
const BEFORE = { ran: null, flaps: [], budgets: ['before'], parked: null };
const AFTER = { ran: 1, flaps: [], budgets: ['after'], parked: null };
const DONE: RunRecord = {
  state: 'in-sync',
  error: null,
  notReceiving: null,
  isApplied: true,
  isRead: true,
  drift: 0,
  retryMs: null,
  intervalMs: INTERVAL_MS,
  readMs: 0,
  memory: AFTER,
};

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

interface Scene {
  readonly database: Database;
  readonly queue: Queue;
  readonly send: () => Promise<number>;
  /** Makes everything due. */
  readonly age: () => Promise<unknown>;
  readonly claim: (worker?: string) => Promise<Claim>;
}

/** A store with some published accounts and its queue. */
async function scene(names: readonly string[]): Promise<Scene> {
  const database = await openStore(await server.createDatabase());
  const queue = await openQueue(database, { jobExpiryMs: 60_000, onFault: () => {} });
  onTestFinished(() => queue.close());
  for (const name of names) await publish(database, name);
  return {
    database,
    queue,
    send: () => sendDue(database, queue, INTERVAL_MS),
    age: () => database.query(`UPDATE fwdsync.account_runs SET due_at = now() - interval '1 s'`),
    async claim(worker = randomUUID()) {
      const claim = await claimRun(database, '1', worker);
      if (claim === null) throw new Error('nothing is published');
      return claim;
    },
  };
}

async function takeAll(queue: Queue): Promise<readonly string[]> {
  const jobs = await queue.take(100);
  for (const job of jobs) await queue.done(job);
  return jobs.map(({ account }) => account);
}

test('a revision is sent once and goes first, also where a sweep of the account waits; a sweep is sent when it is due', async () => {
  const { database, queue, send, age } = await scene(['a', 'b', 'c']);
  expect(await send()).toBe(3);
  expect(await send()).toBe(0);
  expect((await takeAll(queue)).toSorted()).toEqual(['1', '2', '3']);
  await age();
  await send();
  expect(await readQueue(database)).toMatchObject({ depth: 3 });
  await publish(database, 'c', { forward: 'ben@corp.example' });
  expect(await send()).toBe(1);
  expect(await readQueue(database)).toMatchObject({ depth: 3 });
  expect((await queue.take(1)).map(({ account }) => account)).toEqual(['3']);
});

test('an account has at most one active run and at most one waiting', async () => {
  const { database, queue, send, age } = await scene(['a']);
  await send();
  const [first] = await queue.take(10);
  for (const forward of ['ben@corp.example', 'eve@corp.example']) {
    await publish(database, 'a', { forward });
    await send();
  }
  await age();
  await send();
  expect(await readQueue(database)).toMatchObject({ depth: 1 });
  expect(await queue.take(10)).toEqual([]);
  if (first !== undefined) await queue.done(first);
  expect(await queue.take(10)).toHaveLength(1);
});

test('the sweeps of many accounts have their places all over the interval, whoever sends them', async () => {
  const { database, send, age } = await scene([]);
  await database.query(
    `INSERT INTO fwdsync.accounts (email, host, wanted) SELECT n || '@fleet.example', '', 1 FROM generate_series(1, 1000) n`,
  );
  await send();
  const places = async () =>
    database.query<{ readonly place: number; readonly ahead: number; readonly behind: number }>(
      `SELECT mod((extract(epoch FROM due_at) * 1000)::bigint, ${INTERVAL_MS})::int AS place,
         count(*) FILTER (WHERE due_at > now()) OVER () :: int AS ahead,
         count(*) FILTER (WHERE due_at > now() + interval '${INTERVAL_MS} ms') OVER () :: int AS behind
       FROM fwdsync.account_runs ORDER BY account`,
    );
  const before = await places();
  // An account whose time is now may be due already.
  expect(before[0]?.ahead).toBeGreaterThan(990);
  expect(before[0]?.behind).toBe(0);
  const tenths = Array.from({ length: 10 }, (_, tenth) =>
    before.filter(({ place }) => Math.floor((place / INTERVAL_MS) * 10) === tenth),
  );
  for (const some of tenths) expect(some.length).toBeGreaterThan(80);
  await age();
  await send();
  const after = await places();
  const moved = before.filter(({ place }, index) => {
    const away = Math.abs(place - (after[index]?.place ?? -1));
    return Math.min(away, INTERVAL_MS - away) > 5;
  });
  expect(moved).toEqual([]);
});

test('after a run an account is due at its place, however late the run began, or later where reading takes long', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  const [sent] = await database.query<{ readonly due: Date }>(
    'SELECT due_at AS due FROM fwdsync.account_runs',
  );
  const place = sent?.due.getTime() ?? NaN;
  for (const [sincePlace, readMs, wait] of [
    [20_000, 0, 280_000],
    [280_000, 5_000, 20_000],
    [280_000, 30_000, 60_000],
    [280_000, 200_000, 400_000],
  ] as const) {
    const begun = await claim();
    const startedAt = new Date(place + sincePlace).toISOString();
    await database.query('UPDATE fwdsync.account_runs SET started_at = $1', [startedAt]);
    await recordRun(database, queue, { ...begun, startedAt }, { ...DONE, readMs });
    const [run] = await database.query<Readonly<Record<'wait' | 'interval', number>>>(
      `SELECT (extract(epoch FROM due_at - started_at) * 1000)::int AS wait, interval_ms::int AS interval FROM fwdsync.account_runs`,
    );
    expect(Math.abs((run?.wait ?? NaN) - wait)).toBeLessThanOrEqual(1);
    expect(run?.interval).toBe(Math.max(INTERVAL_MS, 2 * readMs));
  }
});

interface Places {
  readonly intervals: readonly number[];
  /** Share of the accounts that are due within each fifth of the test's interval. */
  readonly fifths: readonly number[];
}

async function placesOf({ query }: Database): Promise<Places> {
  const rows = await query<{ readonly wait: number; readonly interval: number }>(
    `SELECT (extract(epoch FROM due_at - now()) * 1000)::int AS wait, interval_ms::int AS interval
     FROM fwdsync.account_runs`,
  );
  const within = (from: number, to: number): number =>
    rows.filter(({ wait }) => wait > from && wait <= to).length / rows.length;
  const fifth = INTERVAL_MS / 5;
  return {
    intervals: [...new Set(rows.map(({ interval }) => interval))].toSorted((a, b) => a - b),
    fifths: [0, 1, 2, 3, 4].map((index) => within(index * fifth, (index + 1) * fifth)),
  };
}

test('the interval of the scheduler takes effect at once, with any earlier interval; all accounts keep their places', async () => {
  const { database, queue } = await scene([]);
  await database.query(
    `INSERT INTO fwdsync.accounts (email, host, wanted) SELECT n || '@fleet.example', '', 1 FROM generate_series(1, 1000) n`,
  );
  await sendDue(database, queue, 24 * 3_600_000);
  expect((await placesOf(database)).intervals).toEqual([24 * 3_600_000]);
  await sendDue(database, queue, INTERVAL_MS);
  const shorter = await placesOf(database);
  expect(shorter.intervals).toEqual([INTERVAL_MS]);
  for (const share of shorter.fifths) expect(share).toBeGreaterThan(0.15);
  // A longer interval postpones no account.
  await sendDue(database, queue, 24 * 3_600_000);
  const longer = await placesOf(database);
  expect(longer.intervals).toEqual([24 * 3_600_000]);
  for (const share of longer.fifths) expect(share).toBeGreaterThan(0.15);
});

test('a run that ends at another interval than the scheduler has, or took long to read, is due by the one of the scheduler', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  for (const [readMs, interval] of [
    [0, INTERVAL_MS],
    [400_000, 800_000],
  ] as const) {
    await recordRun(database, queue, await claim(), { ...DONE, intervalMs: 24 * 3_600_000, readMs });
    await send();
    const [run] = await database.query<{ readonly wait: number; readonly interval: number }>(
      `SELECT (extract(epoch FROM due_at - now()) * 1000)::int AS wait, interval_ms::int AS interval FROM fwdsync.account_runs`,
    );
    expect(run?.interval).toBe(interval);
    expect(run?.wait).toBeLessThanOrEqual(interval);
  }
});

test('a run that another has begun after records nothing, and is known to be outdated', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  const [stale, current] = [await claim(), await claim()];
  expect(current).toMatchObject({ silentMs: expect.closeTo(0, -4), failures: 0 });
  expect(await showRuns(database, [stale, current])).toEqual([stale]);
  await recordRun(database, queue, stale, { ...DONE, state: 'failing', retryMs: 1 });
  await giveBack(database, stale, BEFORE);
  expect(await listFleetAccounts(database)).toMatchObject([{ state: 'unknown', failures: 0, applied: null }]);
  await recordRun(database, queue, current, DONE);
  expect(await listFleetAccounts(database)).toMatchObject([{ state: 'in-sync', applied: 1, worker: null }]);
  expect(await claim()).toMatchObject({ silentMs: null, memory: AFTER });
});

test('a run whose epoch the database handed out again, after it failed over to an older standby, records nothing', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  const worker = randomUUID();
  const forgotten = await claim(worker);
  await database.query('UPDATE fwdsync.account_runs SET epoch = epoch - 1');
  const current = await claim(worker);
  expect(current.epoch).toBe(forgotten.epoch);
  expect(await showRuns(database, [forgotten, current])).toEqual([forgotten]);
  await recordRun(database, queue, forgotten, { ...DONE, memory: BEFORE });
  await giveBack(database, forgotten, BEFORE);
  expect(await listFleetAccounts(database)).toMatchObject([{ applied: null, worker }]);
});

test('a resync makes an account due and gives what is parked or frozen a chance, during a run too; budgets stay', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  await takeAll(queue);
  const running = await claim();
  await resyncAll(database);
  const flaps = [['a.example' as DomainName, 3, []]] as const;
  const parked = { revision: 1, key: 'print', message: 'the key was refused' };
  await recordRun(database, queue, running, { ...DONE, memory: { ...AFTER, flaps, parked } });
  expect(await send()).toBe(1);
  expect(await takeAll(queue)).toEqual(['1']);
  expect((await claim()).memory).toEqual(AFTER);
});

test('a run that was given back is due at once, with what it knew, and its revision still goes first', async () => {
  const { database, queue, send, claim } = await scene(['a', 'b']);
  await send();
  await takeAll(queue);
  await giveBack(database, await claim(), BEFORE);
  await database.query('UPDATE fwdsync.account_runs SET due_at = now() WHERE account = 2');
  await send();
  expect((await queue.take(1)).map(({ account }) => account)).toEqual(['1']);
  expect(await claim()).toMatchObject({ silentMs: null, memory: BEFORE });
});

test('an account that fails is due again by itself, and counts its failures', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  await recordRun(database, queue, await claim(), {
    ...DONE,
    state: 'failing',
    isApplied: false,
    retryMs: 5_000,
  });
  await recordRun(database, queue, await claim(), {
    ...DONE,
    state: 'failing',
    isApplied: false,
    retryMs: 9_000,
  });
  const [due] = await database.query(
    `SELECT failures, round(extract(epoch FROM due_at - now()))::int AS seconds FROM fwdsync.account_runs`,
  );
  expect(due).toEqual({ failures: 2, seconds: 9 });
  await recordRun(database, queue, await claim(), DONE);
  expect(await listFleetAccounts(database)).toMatchObject([{ failures: 0 }]);
});

test('a revision that was published during a run is sent at its end', async () => {
  const { database, queue, send, claim } = await scene(['a']);
  await send();
  await takeAll(queue);
  const running = await claim();
  await publish(database, 'a', { forward: 'ben@corp.example' });
  await recordRun(database, queue, running, DONE);
  expect(await takeAll(queue)).toEqual(['1']);
  expect(await claim()).toMatchObject({ revision: { number: 2 } });
});

test('a run of which nothing is published any more is outdated, and none is begun', async () => {
  const { database, send, claim } = await scene(['a']);
  await send();
  const running = await claim();
  await database.query('UPDATE fwdsync.accounts SET wanted = NULL');
  expect(await showRuns(database, [running])).toEqual([running]);
  expect(await claimRun(database, '1', randomUUID())).toBeNull();
});

test('a run without a sign of life goes to another worker, and what its first one does with the job has no effect', async () => {
  const { database, queue, send } = await scene(['a']);
  await send();
  const [dead] = await queue.take(1);
  if (dead === undefined) throw new Error('no job');
  await queue.beat([dead]);
  await database.query(`UPDATE fwdsync_queue.job SET heartbeat_on = now() - interval '61 s'`);
  await expect.poll(() => queue.take(1), { interval: 500 }).toMatchObject([{ account: '1', retryCount: 1 }]);
  await queue.done(dead);
  expect(await database.query('SELECT state FROM fwdsync_queue.job')).toEqual([{ state: 'active' }]);
}, 60_000);

test('one worker is the scheduler until it ends, or shows no sign of life', async () => {
  const { database } = await scene([]);
  const [one, other] = [{ id: randomUUID() }, { id: randomUUID() }];
  expect([await becomeScheduler(database, one), await becomeScheduler(database, other)]).toEqual([
    true,
    false,
  ]);
  expect(await becomeScheduler(database, one)).toBe(true);
  await database.query(`UPDATE fwdsync.scheduler SET until = now() - interval '1 s'`);
  expect([await becomeScheduler(database, other), await becomeScheduler(database, one)]).toEqual([
    true,
    false,
  ]);
  await endWorker(database, other);
  expect(await becomeScheduler(database, one)).toBe(true);
});

test('a role with the privileges of docs/fleet.md on both schemas works with a queue that another role made', async () => {
  const url = await server.createDatabase();
  const owner = await openStore(url);
  await (await openQueue(owner, { jobExpiryMs: 60_000, onFault: () => {} })).close();
  const page = await readFile(join(import.meta.dirname, '../../../docs/fleet.md'), 'utf8');
  const [, grants = ''] = /```sql\n(GRANT .*?)```/s.exec(page) ?? [];
  const role = `worker_${randomUUID().replaceAll('-', '')}`;
  const onQueue = grants.replace(/REVOKE.*\n/, '').replaceAll('SCHEMA fwdsync', 'SCHEMA fwdsync_queue');
  await server.run(
    url,
    `CREATE ROLE ${role} LOGIN; ${(grants + onQueue).replaceAll('fwdsync_worker', role)}`,
  );
  const database = await openStore(url.replace('postgres@', `${role}@`));
  const faults: string[] = [];
  const queue = await openQueue(database, { jobExpiryMs: 60_000, onFault: (fault) => faults.push(fault) });
  onTestFinished(() => queue.close());
  await publish(database, 'a');
  await sendDue(database, queue, INTERVAL_MS);
  expect(await takeAll(queue)).toEqual(['1']);
  expect(faults).toEqual([]);
});
