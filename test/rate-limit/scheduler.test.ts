import { describe, expect, test } from 'vitest';
import { createTurnstile, inTurn, together, type VirtualJob } from '../../src/rate-limit/jobs.ts';
import { createTimeline, type Timeline } from '../../src/rate-limit/scheduler.ts';

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
