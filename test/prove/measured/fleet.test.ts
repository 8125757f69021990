import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { longestGap, overlaps, readsOf } from '../support/fleet/sweeps.ts';
import { useScene, type RunningScene } from '../support/fleet/use-scene.ts';
import type { Arrival, WatchedAccount } from '../support/fleet/watched-account.ts';
import type { WorkerProcess } from '../../service/fleet/support/worker-process.ts';

// Worker processes with thousands of accounts, for minutes. `test/service/fleet/worker.test.ts` runs a few workers in `npm test`, and
// `test/simulation/fleet.test.ts` simulates faults of workers during writes, in virtual time.

const INTERVAL_S = 90;
const INTERVAL_MS = INTERVAL_S * 1_000;
const ROUNDS = 10;
const FIRST_WRITE_S = 2;

/** Number of accounts with slow writes when a worker has a fault, and how many of them it runs at the same time. */
const BUSY = 200;
const AT_ONCE = 10;
const SLOW_MS = 500;

vi.setConfig({ testTimeout: 1_200_000 });

describe('workers that have nothing else to do', () => {
  // An interval so long that no account is due during the tests.
  const opened = useScene(['--interval', '365d']);

  test(`of all manifests that are published, only the one that changed is run, its first write within ${FIRST_WRITE_S} s`, async () => {
    const scene = opened();
    const listener = new pg.Client({ connectionString: scene.url });
    await listener.connect();
    onTestFinished(() => listener.end());
    await listener.query('LISTEN fwdsync_fleet');
    const latencies: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const changed = scene.accounts[round * 7] as WatchedAccount;
      const before = scene.accounts.map((account) => readsOf(account).length);
      const committed = once(listener, 'notification').then(() => Date.now());
      await scene.publish([changed], round);
      const committedAt = await committed;
      await vi.waitUntil(() => changed.isAsWanted(), { timeout: 30_000, interval: 10 });
      const write = changed.arrivals.find(({ at, method }) => at >= committedAt && method !== 'GET');
      latencies.push((write?.at ?? Infinity) - committedAt);
      // Other published manifests would have run within this time.
      await sleep(3_000);
      const ran = scene.accounts.filter((account, index) => readsOf(account).length !== before[index]);
      expect(ran.map(({ email }) => email)).toEqual([changed.email]);
      expect(readsOf(changed)).toHaveLength((before[changed.index] ?? 0) + 1);
    }
    latencies.sort((a, b) => a - b);
    console.info(`publish to first write, ${scene.accounts.length} accounts: ${latencies.join(', ')} ms`);
    expect(latencies[Math.floor(latencies.length / 2)]).toBeLessThan(FIRST_WRITE_S * 1_000);
  });
});

describe('workers that sweep', () => {
  const args = ['--interval', `${INTERVAL_S}s`];
  const opened = useScene(args);

  test('every account is read once an interval, and none twice at a time', async () => {
    const scene = opened();
    // The first sweep is as fast as possible. After it each account is read at its own time in the interval.
    await sleep(INTERVAL_MS);
    const since = Date.now();
    await sleep(2 * INTERVAL_MS);
    const until = Date.now();
    const counts = Map.groupBy(scene.accounts, (account) => readsOf(account, since).length);
    const gap = Math.max(...scene.accounts.map((account) => longestGap(account, since, until)));
    const shown = [...counts].map(([reads, those]) => `${those.length} read ${reads} times`).join(', ');
    const reads = scene.accounts.flatMap((account) => readsOf(account, since).filter((at) => at < until));
    const tenths = Map.groupBy(reads, (at) => Math.floor((((at - since) % INTERVAL_MS) / INTERVAL_MS) * 10));
    const busiest = Math.max(...[...tenths.values()].map(({ length }) => length / reads.length));
    console.info(
      `in two intervals of ${INTERVAL_S} s: ${shown}; longest gap ${gap} ms; ${busiest.toFixed(2)} of the reads in one tenth`,
    );
    expect(scene.accounts.flatMap((account) => overlaps(account, since))).toEqual([]);
    expect([...counts.keys()].filter((reads) => reads < 1 || reads > 3)).toEqual([]);
    // Reads are spread over the interval.
    expect(busiest).toBeLessThanOrEqual(0.15);
    // A skipped read would make it two intervals.
    expect(gap).toBeLessThan(1.5 * INTERVAL_MS);
  });

  test('while all workers are replaced under load, no account waits for more than two intervals', async () => {
    const scene = opened();
    const since = Date.now();
    const changed = scene.accounts.filter(({ index }) => index % 10 === 0);
    for (const [index, worker] of scene.workers.entries()) {
      await scene.publish(changed, index + 1);
      const [stopped] = await Promise.all([worker.stop(), scene.startWorkers(1, args)]);
      expect(stopped).toBe(0);
    }
    const replacedAt = Date.now();
    await vi.waitUntil(() => changed.every((account) => account.isAsWanted()), { timeout: 120_000 });
    await sleep(INTERVAL_MS);
    const gap = Math.max(...scene.accounts.map((account) => longestGap(account, since, Date.now())));
    console.info(
      `${scene.workers.length} workers replaced in ${replacedAt - since} ms: longest gap ${gap} ms`,
    );
    expect(gap).toBeLessThan(2 * INTERVAL_MS);
    expect(changed.flatMap((account) => account.takeBreaches())).toEqual([]);
  });
});

describe('a worker in the middle of writing', () => {
  const args = ['--interval', '120s'];
  const opened = useScene(args);
  let round = 0;

  /** Publishes changes, and waits until the worker runs `AT_ONCE` of them. */
  async function makeBusy(scene: RunningScene, worker: WorkerProcess): Promise<readonly WatchedAccount[]> {
    const busy = scene.accounts.filter(({ index }) => index % (scene.accounts.length / BUSY) === 0);
    for (const account of busy) account.slowDown(SLOW_MS);
    round += 1;
    const since = Date.now();
    await scene.publish(busy, round);
    await vi.waitUntil(
      async () => {
        const own = await scene.runBy(worker);
        return own.filter((account) => writesOf(account, since).length > 0).length >= AT_ONCE;
      },
      { timeout: 60_000, interval: 50 },
    );
    return busy;
  }

  async function untilAsWanted(busy: readonly WatchedAccount[], timeout: number): Promise<void> {
    await vi.waitUntil(() => busy.every((account) => account.isAsWanted()), { timeout, interval: 50 });
  }

  function expectNoBreach(busy: readonly WatchedAccount[]): void {
    expect(busy.flatMap((account) => account.takeBreaches())).toEqual([]);
  }

  test('the runs of a killed worker continue within 90 s', async () => {
    const scene = opened();
    const [victim, ...others] = scene.workers as [WorkerProcess, ...WorkerProcess[]];
    const busy = await makeBusy(scene, victim);
    const left = await scene.runBy(victim);
    const killedAt = Date.now();
    await victim.kill();
    for (const account of busy) account.slowDown(0);
    await sleep(SLOW_MS + 500);
    const since = Date.now();
    const wentOn = (account: WatchedAccount): number => (readsOf(account, since)[0] ?? Infinity) - killedAt;
    await vi.waitUntil(() => left.every((account) => wentOn(account) < Infinity), { timeout: 200_000 });
    const waits = left.map(wentOn);
    console.info(
      `killed amid ${left.length} runs, which went on after ${Math.min(...waits)} to ${Math.max(...waits)} ms`,
    );
    expect(Math.max(...waits)).toBeLessThan(90_000);
    await untilAsWanted(busy, 200_000);
    expectNoBreach(busy);
    scene.workers = [...others, ...(await scene.startWorkers(1, args))];
  });

  test('a worker that stood still writes nothing to what others have taken over', async () => {
    const scene = opened();
    const [victim] = scene.workers as [WorkerProcess];
    const busy = await makeBusy(scene, victim);
    victim.signal('SIGSTOP');
    const stoppedAt = Date.now();
    const left = await scene.runBy(victim);
    await untilAsWanted(busy, 300_000);
    for (const account of busy) account.slowDown(0);
    await sleep(5_000);
    const resumedAt = Date.now();
    victim.signal('SIGCONT');
    await sleep(20_000);
    const late = left.flatMap((account) => writesOf(account, resumedAt));
    console.info(
      `stopped for ${resumedAt - stoppedAt} ms amid ${left.length} runs: ${late.length} writes after it`,
    );
    expect(late).toEqual([]);
    expect(left.length).toBeGreaterThanOrEqual(AT_ONCE);
    await untilAsWanted(busy, 1_000);
    expectNoBreach(busy);
  });

  test('without the database nothing is written, and all goes on when it is back', async () => {
    const scene = opened();
    const [worker] = scene.workers as [WorkerProcess];
    const busy = await makeBusy(scene, worker);
    await scene.postgres.crash();
    // Waits for requests that passed the check earlier.
    await sleep(500);
    const goneAt = Date.now();
    await sleep(30_000);
    const late = scene.accounts.flatMap((account) => writesOf(account, goneAt));
    await scene.postgres.restart();
    const backAt = Date.now();
    for (const account of busy) account.slowDown(0);
    expect(late).toEqual([]);
    await untilAsWanted(busy, 300_000);
    const wantedAt = Date.now();
    await vi.waitUntil(() => scene.accounts.every((account) => readsOf(account, backAt).length > 0), {
      timeout: 300_000,
    });
    console.info(
      `the database was gone for 30 s: no write; all as wanted ${wantedAt - backAt} ms after it, all read after ${Date.now() - backAt} ms`,
    );
    expectNoBreach(busy);
  });
});

function writesOf({ arrivals }: WatchedAccount, since: number): readonly Arrival[] {
  return arrivals.filter(({ at, method }) => at >= since && method !== 'GET');
}
