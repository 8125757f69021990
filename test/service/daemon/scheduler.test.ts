import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/core/model/names.ts';
import { backoff, createScheduler, createTurns } from '../../../src/service/daemon/scheduler.ts';

const ACME = 'acme.example' as DomainName;

test('pauses double up to the interval, a quarter of them left to chance', () => {
  const pauses = [1, 2, 3, 4, 10, 1_000].map((failures) => backoff(failures, 300_000, () => 0) / 1000);
  expect(pauses).toEqual([5, 10, 20, 40, 300, 300]);
  expect(backoff(3, 300_000, () => 0.999)).toBeGreaterThan(15_000);
  expect(backoff(1, 1, () => 0)).toBe(1_000);
});

describe('the scheduler', () => {
  const start = (): ReturnType<typeof createScheduler> =>
    createScheduler({ intervalMs: 300_000, pollMs: 30_000, random: () => 0, now: 0 });

  test('reads the files first; without a manifest nothing else', () => {
    const scheduler = start();
    expect(scheduler.next(0)).toEqual({ kind: 'read-files' });
    scheduler.filesRead(0);
    expect(scheduler.next(0)).toEqual({ kind: 'wait', milliseconds: 30_000 });
    scheduler.filesChanged(1_000);
    scheduler.filesChanged(1_400);
    expect(scheduler.next(1_000)).toEqual({ kind: 'wait', milliseconds: 500 });
  });

  test('changes go before retries and before the sweep', () => {
    const scheduler = start();
    scheduler.filesRead(0);
    scheduler.manage(new Map([[ACME, null]]));
    expect(scheduler.next(0)).toEqual({ kind: 'start-sweep' });
    scheduler.enqueue([ACME]);
    expect(scheduler.next(0)).toEqual({ kind: 'run', cause: 'manifest', domains: [ACME] });
    scheduler.runEnded({ cause: 'manifest', domains: [ACME], failing: 'all' }, 0);
    scheduler.sweepStarted(0);
    expect(scheduler.next(0)).toEqual({ kind: 'wait', milliseconds: 5_000 });
    expect(scheduler.next(5_000)).toEqual({ kind: 'run', cause: 'retry', domains: [ACME] });
    scheduler.sweepRead(5_000, null);
    expect(scheduler.next(5_000)).toEqual({ kind: 'finish-sweep' });
    scheduler.runEnded({ cause: 'sweep', domains: [ACME], failing: [] }, 5_000);
    expect(scheduler.failures()).toBe(0);
    expect(scheduler.nextSweepAt()).toBe(300_000);
  });

  test('the interval is twice as long as reading takes, where that is longer', () => {
    const scheduler = start();
    expect(scheduler.effectiveIntervalMs()).toBe(300_000);
    for (const [readMs, interval] of [
      [400_000, 800_000],
      [1_000, 300_000],
    ] as const) {
      scheduler.sweepStarted(0);
      scheduler.sweepRead(readMs, null);
      scheduler.runEnded({ cause: 'sweep', domains: [ACME], failing: [] }, readMs);
      expect(scheduler.effectiveIntervalMs()).toBe(interval);
    }
  });

  test('never waits for less than a millisecond, nor longer than an hour', () => {
    const scheduler = createScheduler({ intervalMs: 1e12, pollMs: 1e12, random: () => 0, now: 0 });
    scheduler.filesRead(0);
    expect(scheduler.next(0)).toEqual({ kind: 'wait', milliseconds: 3_600_000 });
    expect(scheduler.next(1e12 - 0.25)).toEqual({ kind: 'wait', milliseconds: 1 });
  });
});

describe('the sweeps of many accounts', () => {
  const INTERVAL = 300_000;
  const ACCOUNTS = 500;

  function many() {
    const turn = createTurns(10);
    return Array.from({ length: ACCOUNTS }, (_, index) => {
      const spread = { turn, phaseMs: (index / ACCOUNTS) * INTERVAL };
      const scheduler = createScheduler({
        intervalMs: INTERVAL,
        pollMs: 1e12,
        random: () => 0,
        now: 0,
        spread,
      });
      scheduler.filesRead(0);
      scheduler.manage(new Map([[ACME, null]]));
      return scheduler;
    });
  }

  /** Runs the next sweep when it is due, with a read of this length. Returns its start. */
  function sweep(scheduler: ReturnType<typeof createScheduler>, readMs: number): number {
    const at = scheduler.nextSweepAt() ?? NaN;
    expect(scheduler.next(at - 1).kind).toBe('wait');
    expect(scheduler.next(at)).toEqual({ kind: 'start-sweep' });
    scheduler.sweepStarted(at);
    scheduler.sweepRead(at + readMs, null);
    scheduler.runEnded({ cause: 'sweep', domains: [ACME], failing: [] }, at + readMs);
    return at;
  }

  function mostWithin(milliseconds: number, times: readonly number[]): number {
    const counts = times.map((from) => times.filter((at) => at >= from && at < from + milliseconds).length);
    return Math.max(...counts);
  }

  test('begin in turn, then keep apart, and none waits longer than an interval', () => {
    const schedulers = many();
    const first = schedulers.map((scheduler) => sweep(scheduler, 50));
    expect(first).toEqual(schedulers.map((_, index) => index * 10));
    const second = schedulers.map((scheduler) => sweep(scheduler, 50));
    const third = schedulers.map((scheduler) => sweep(scheduler, 50));
    for (const [index, at] of second.entries()) {
      expect(at - (first[index] ?? NaN)).toBeLessThanOrEqual(INTERVAL);
      expect((third[index] ?? NaN) - at).toBeCloseTo(INTERVAL);
    }
    expect(mostWithin(10_000, second)).toBeLessThan(40);
    expect(mostWithin(10_000, third)).toBeLessThan(20);
  });

  test('begin in turn where all are to be read again, and go back to their places', () => {
    const schedulers = many();
    for (const scheduler of schedulers) sweep(scheduler, 50);
    for (const scheduler of schedulers) {
      scheduler.resync(1_000_000);
      scheduler.filesRead(1_000_000);
    }
    const again = schedulers.map((scheduler) => sweep(scheduler, 50));
    expect(again).toEqual(schedulers.map((_, index) => 1_000_000 + index * 10));
    expect(
      mostWithin(
        10_000,
        schedulers.map((scheduler) => sweep(scheduler, 50)),
      ),
    ).toBeLessThan(40);
  });

  test('leave half of the time to others where reading takes long', () => {
    const [scheduler] = many().slice(-1);
    if (scheduler === undefined) throw new Error('none');
    const first = sweep(scheduler, 200_000);
    expect(scheduler.nextSweepAt()).toBe(first + 400_000);
    const [other] = many().slice(1);
    if (other === undefined) throw new Error('none');
    expect(sweep(other, 100_000)).toBe(10);
    expect(other.nextSweepAt()).toBe(10 + 200_000);
  });
});
