import { describe, expect, test } from 'vitest';
import { UNKNOWN_BUDGET, type Budget } from '../../../src/core/rate-limit/budget.ts';
import { createTurnstile, inTurn, together, type VirtualJob } from '../../../src/core/rate-limit/jobs.ts';
import { assumedWindow, createTimeline, type Timeline } from '../../../src/core/rate-limit/scheduler.ts';

function timeline(): Timeline {
  return createTimeline({ budgets: new Map(), assumedLimit: 10, latency: 100, concurrency: 4 }, 1000);
}

describe('a timeline', () => {
  test('sends what nothing waits for last, and what comes after an answer then', () => {
    const line = timeline();
    const ends: [string, number][] = [];
    const note = (name: string) => () => void ends.push([name, line.now()]);
    for (let index = 0; index < 4; index += 1) line.send('a', 'first', note('early'));
    line.send('a', 'last', note('last'));
    line.send('a', 'first', () => {
      note('first')();
      line.send('b', 'first', note('after it'));
    });
    expect([line.now(), line.departures().length]).toEqual([1000, 4]);
    expect(line.run()).toBe(1300);
    expect(line.departures().length).toBe(7);
    expect(ends.slice(4)).toEqual([
      ['first', 1200],
      ['last', 1200],
      ['after it', 1300],
    ]);
  });

  test('waits for a window of one endpoint while another goes on', () => {
    const line = timeline();
    let lastOfA = 0;
    for (let index = 0; index < 11; index += 1) {
      line.send('a', 'first', () => {
        lastOfA = line.now();
      });
    }
    let count = 0;
    const next = (): void => {
      count += 1;
      if (count < 10) line.send('b', 'first', next);
    };
    line.send('b', 'first', next);
    line.run();
    expect([lastOfA, count]).toEqual([62_100, 10]);
  });
});

describe('jobs', () => {
  /** Ends after so many requests. */
  const job =
    (line: Timeline, requests: number, log: string[] = [], name = ''): VirtualJob =>
    (then) => {
      log.push(`${name} at ${line.now()}`);
      const step = (left: number): void => {
        if (left === 0) then();
        else line.send(name, 'first', () => step(left - 1));
      };
      step(requests);
    };

  test.each([
    [1, 1600],
    [2, 1300],
    [9, 1300],
  ])('%i at a time', (limit, end) => {
    const line = timeline();
    let ended = 0;
    together(
      [3, 2, 1].map((requests) => job(line, requests, [], String(requests))),
      limit,
    )(() => {
      ended += 1;
    });
    expect([line.run(), ended]).toEqual([end, 1]);
  });

  test('that take no time, or are none, end at once and once', () => {
    let ended = 0;
    const end = (): void => {
      ended += 1;
    };
    together([])(end);
    inTurn(Array.from({ length: 50_000 }, (): VirtualJob => (then) => then()))(end);
    expect(ended).toBe(2);
  });

  test('through a turnstile go one at a time', () => {
    const line = timeline();
    const log: string[] = [];
    const turnstile = createTurnstile();
    together(['a', 'b', 'c'].map((name) => turnstile(job(line, 2, log, name))))(() => log.push('end'));
    line.run();
    expect(log).toEqual(['a at 1000', 'b at 1200', 'c at 1400', 'end']);
  });
});

describe('windows of endpoints that have not answered yet', () => {
  const seen = (ahead: number, step: number | null, refillAt: number | null): Budget => ({
    ...UNKNOWN_BUDGET,
    limit: 10,
    refillAt,
    window: { ahead: ahead * 1000, step: step === null ? null : step * 1000 },
  });

  test.each<[string, readonly Budget[], number, number | null]>([
    ['nothing is known', [], 60_000, null],
    ['whole windows', [seen(60, null, 61_000), seen(60, 61, 80_000)], 60_000, null],
    ['whole windows of 20 s', [seen(20, null, 21_000), seen(20, 21, 40_000)], 20_000, null],
    ['one that was cut short', [seen(60, 60, 99_000), seen(35, null, 136_000)], 60_000, 136_000],
    ['one that was cut short and is over', [seen(35, null, 36_000)], 60_000, 156_000],
    ['one that is just over', [seen(35, null, 40_000)], 60_000, 100_000],
    ['none that is open', [seen(35, null, null)], 60_000, null],
  ])('%s', (_, budgets, length, endsAt) => {
    expect(assumedWindow(budgets, 100_000)).toEqual({ length, endsAt });
  });

  test('end when they are told to', () => {
    const options = { budgets: new Map(), assumedLimit: 10, latency: 100, concurrency: 4 };
    const line = createTimeline({ ...options, assumedWindow: { length: 20_000, endsAt: 5_000 } }, 1000);
    for (let index = 0; index < 21; index += 1) line.send('a', 'first', () => {});
    // Ten at once, ten from 5 s on, one when a window of 20 s and the second of rounding are over.
    expect(line.run()).toBe(5_000 + 21_000 + 100);
  });
});
