import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/cli/context.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import { startWorker } from './support/worker-process.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { IS_FULL, runs } from '../../support/share.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { manifestOf, openFleet, type Ended } from './support/fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

function ofEvent({ log }: Ended, event: string): readonly Readonly<Record<string, unknown>>[] {
  return log.filter((line) => line['event'] === event);
}

test('a worker applies what is published while it runs, revision after revision', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  const worker = fleet.worker();
  await fleet.publish('a');
  await expect.poll(() => fleet.forward('a')).toBe('ana@corp.example');
  const published = fleet.atFirst('a', 'write', async () => {
    await fleet.publish('a', { forward: 'eve@corp.example' });
  });
  await fleet.publish('a', { forward: 'ben@corp.example' });
  await published;
  await fleet.publish('b');
  await expect.poll(() => fleet.forward('a')).toBe('eve@corp.example');
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 3, state: 'in-sync' });
  await expect.poll(() => fleet.account('b')).toMatchObject({ applied: 1 });
  const ended = await worker.stop();
  expect(ended.code).toBe(0);
  expect(ofEvent(ended, 'store.unavailable')).toEqual([]);
  expect(await fleet.database.query('SELECT ended_at IS NOT NULL AS ended FROM fwdsync.workers')).toEqual([
    { ended: true },
  ]);
});

test('several workers share the accounts: no two run one at the same time, and each is read in each interval', async () => {
  const names = runs(['a', 'b', 'c', 'd'], ['a', 'b', 'c']);
  const fleet = await openFleet(server, names);
  for (const name of names) await fleet.publish(name);
  const workers = runs([1, 2, 3], [1, 2]).map(() =>
    fleet.worker(['--interval', '1s', '--concurrency', '1', '--log-level', 'debug']),
  );
  for (const name of names) await expect.poll(() => fleet.requests(name)).toBeGreaterThanOrEqual(12);
  const ends = await Promise.all(workers.map((worker) => worker.stop()));
  const started = ends.flatMap((ended) => ofEvent(ended, 'run.started'));
  const epochs = await fleet.database.query<{ readonly runs: number }>(
    'SELECT sum(epoch)::int AS runs FROM fwdsync.account_runs',
  );
  expect(epochs).toEqual([{ runs: started.length }]);
  for (const ended of ends) {
    expect(ofEvent(ended, 'run.started').length).toBeGreaterThan(0);
    expect(ofEvent(ended, 'run.failed')).toEqual([]);
  }
  for (const name of names)
    expect(await fleet.account(name)).toMatchObject({ applied: 1, failures: 0, worker: null });
});

test('after SIGTERM a run ends with the request in flight, and another worker goes on at once', async () => {
  const fleet = await openFleet(server, ['a']);
  const first = fleet.worker();
  let stopped: Promise<Ended> | undefined;
  const stopping = fleet.atFirst('a', 'write', async () => {
    stopped = first.stop();
  });
  const text = `${manifestOf('a', 'ana@corp.example')}  new.example: { aliases: { info: ana@corp.example } }\n`;
  await fleet.publish('a', { text });
  await stopping;
  expect(await stopped).toMatchObject({ code: 0 });
  expect(await fleet.account('a')).toMatchObject({ applied: null, worker: null, failures: 0 });
  const second = fleet.worker();
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 1, state: 'in-sync' });
  await second.stop();
});

test('while a request hangs, a second signal ends a worker at once, and with it nothing more is sent', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  const hanging = Promise.withResolvers<void>();
  onTestFinished(() => hanging.resolve());
  const arrived = new Promise<void>((resolve) => {
    void fleet.atFirst('a', 'write', () => {
      resolve();
      return hanging.promise;
    });
  });
  const worker = await startWorker([], fleet.env);
  await arrived;
  worker.signal('SIGTERM');
  await sleep(300);
  expect(worker.isRunning()).toBe(true);
  expect(await worker.stop()).toBe(143);
  expect(fleet.writes('a')).toBe(0);
  expect(await fleet.account('a')).toMatchObject({ applied: null });
});

test('a run of 23 h is stopped, before its job expires, and made again', async () => {
  const fleet = await openFleet(server, ['a']);
  const passed = Promise.withResolvers<void>();
  let runs = 0;
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    milliseconds === 23 * 3_600_000 && ++runs === 1
      ? passed.promise
      : systemClock.sleep(milliseconds, signal);
  const reading = fleet.atFirst('a', 'list', async () => passed.resolve());
  await fleet.publish('a');
  const worker = fleet.worker([], {}, { ...systemClock, sleep });
  await reading;
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 1, failures: 0, worker: null });
  expect(runs).toBe(2);
  await worker.stop();
});

test.runIf(IS_FULL)(
  'a limit of the whole account, which only a 429 shows, is kept for the next worker',
  async () => {
    const fleet = await openFleet(server, ['a']);
    const account = fleet.emulator.accounts.get('key-of-a');
    const refusal = { kind: 'status', code: 429, headers: { 'retry-after': '3' } } as const;
    account?.faults.push({ match: { path: '^/domains' }, do: refusal });
    await fleet.publish('a');
    const first = fleet.worker();
    const entries = () => account?.journal.entries() ?? [];
    await expect.poll(() => entries().some(({ status }) => status === 429)).toBe(true);
    await first.stop();
    const second = fleet.worker();
    await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 1, state: 'in-sync' });
    await second.stop();
    const at = entries().findIndex(({ status }) => status === 429);
    const [refused, next] = entries().slice(at, at + 2);
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(2_900);
  },
);

test('run --once that is interrupted ends with 3 once something was written, and leaves the rest to others', async () => {
  const fleet = await openFleet(server, ['a']);
  const text = `${manifestOf('a', 'ana@corp.example')}  new.example: { aliases: { info: ana@corp.example } }\n`;
  await fleet.publish('a', { text });
  const once = fleet.worker(['--once']);
  await fleet.atFirst('a', 'write', async () => void once.stop());
  expect(await once.ended).toMatchObject({ code: 3 });
  expect(await fleet.account('a')).toMatchObject({ applied: null, worker: null });
  expect(await fleet.once()).toMatchObject({ code: 0 });
  expect(await fleet.account('a')).toMatchObject({ applied: 1, state: 'in-sync' });
});

test.runIf(IS_FULL)('lines about a revision are logged once, with any number of runs', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  const worker = fleet.worker(['--interval', '1s', '--log-level', 'debug']);
  await expect.poll(() => fleet.requests('a')).toBeGreaterThanOrEqual(12);
  const ended = await worker.stop();
  expect(ofEvent(ended, 'manifest.accepted')).toHaveLength(1);
  expect(
    ofEvent(ended, 'run.started')
      .map(({ cause }) => cause)
      .slice(0, 2),
  ).toEqual(['manifest', 'sweep']);
});

test('an account that fails backs off alone', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  const worker = fleet.worker(['--interval', '1s'], { KEY_B: '' });
  await fleet.publish('a');
  await fleet.publish('b');
  await expect.poll(async () => (await fleet.account('b'))?.failures).toBeGreaterThan(1);
  await expect.poll(() => fleet.account('b')).toMatchObject({ state: 'failing' });
  await expect.poll(() => fleet.account('a')).toMatchObject({ state: 'in-sync', applied: 1 });
  await worker.stop();
});

test('the run of a removed account ends', async () => {
  const fleet = await openFleet(server, ['a']);
  const worker = fleet.worker();
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const written = fleet.atFirst('a', 'write', async () => {
    await fleet.database.query('UPDATE fwdsync.accounts SET wanted = NULL');
    await held;
  });
  const text = `${manifestOf('a', 'ana@corp.example')}  new.example: { aliases: { info: ana@corp.example } }\n`;
  await fleet.publish('a', { text });
  const removed = 'SELECT 1 FROM fwdsync.accounts WHERE wanted IS NULL';
  await expect.poll(() => fleet.database.query(removed)).toHaveLength(1);
  // The worker learns it with its next heartbeat.
  const sign = 'UPDATE fwdsync.workers SET seen_at = $1 RETURNING 1';
  await fleet.database.query(sign, [new Date(0)]);
  const seen = `SELECT 1 FROM fwdsync.workers WHERE seen_at > now() - interval '1 hour'`;
  await expect.poll(() => fleet.database.query(seen)).toHaveLength(1);
  goOn();
  await written;
  const writes = fleet.writes('a');
  await expect.poll(() => fleet.database.query('SELECT 1 FROM fwdsync_queue.job')).toEqual([]);
  expect(fleet.writes('a')).toBeLessThanOrEqual(writes + 1);
  await worker.stop();
});
