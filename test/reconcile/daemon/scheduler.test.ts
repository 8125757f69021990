import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/model/names.ts';
import { backoff, createScheduler } from '../../../src/reconcile/daemon/scheduler.ts';

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

  test('what changed goes before what failed and before the sweep', () => {
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

  test('never waits for less than a millisecond, nor longer than an hour', () => {
    const scheduler = createScheduler({ intervalMs: 1e12, pollMs: 1e12, random: () => 0, now: 0 });
    scheduler.filesRead(0);
    expect(scheduler.next(0)).toEqual({ kind: 'wait', milliseconds: 3_600_000 });
    expect(scheduler.next(1e12 - 0.25)).toEqual({ kind: 'wait', milliseconds: 1 });
  });
});
