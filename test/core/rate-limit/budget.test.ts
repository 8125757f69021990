import { describe, expect, test } from 'vitest';
import {
  ASSUMED_WINDOW_MS,
  explains429,
  recordEnd,
  spend,
  UNKNOWN_BUDGET,
  waitAfter429,
  whenMayNext,
  knownWindow,
  windowMs,
  type Budget,
  type Rate,
} from '../../../src/core/rate-limit/budget.ts';

const DATE = 1_800_000_000;
const NOW = 5000;

function rate(overrides: Partial<Rate> = {}): Rate {
  return { limit: 10, remaining: 9, reset: DATE + 30, date: DATE, retryAfter: null, ...overrides };
}

/** Sends a request that is answered at once. */
function exchange(budget: Budget, told: Rate | null, now = NOW, status: number | null = 200): Budget {
  return recordEnd(spend(budget, now), { status, rate: told, sentAt: now }, now);
}

/** An unused budget. */
function full(limit: number): Budget {
  return { ...UNKNOWN_BUDGET, limit, remaining: limit, answered: true };
}

describe('before the first answer', () => {
  test('one request goes as a probe, the next waits for its answer', () => {
    expect(whenMayNext(UNKNOWN_BUDGET, NOW)).toBe(NOW);
    expect(whenMayNext(spend(UNKNOWN_BUDGET, NOW), NOW)).toBe('after-answer');
  });

  test('a probe without an answer is followed by another probe', () => {
    const budget = exchange(UNKNOWN_BUDGET, null, NOW, null);
    expect(whenMayNext(budget, NOW)).toBe(NOW);
    expect(whenMayNext(spend(budget, NOW), NOW)).toBe('after-answer');
  });

  test('an answer without headers leaves the endpoint without a limit', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ limit: null, remaining: null, reset: null }));
    for (let sent = 0; sent < 100; sent += 1) budget = spend(budget, NOW);
    expect(whenMayNext(budget, NOW)).toBe(NOW);
  });
});

describe('within a window', () => {
  test('requests in flight count', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 2 }));
    budget = spend(spend(budget, NOW), NOW);
    expect(whenMayNext(budget, NOW)).toBe('after-answer');
  });

  test('the least Remaining counts when answers overtake each other', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 9 }));
    for (let sent = 0; sent < 3; sent += 1) budget = spend(budget, NOW);
    for (const remaining of [6, 8, 7]) {
      budget = recordEnd(budget, { status: 200, rate: rate({ remaining }), sentAt: NOW }, NOW);
    }
    expect(budget.remaining).toBe(6);
  });

  test('used up: the wait is reset minus Date plus a second', () => {
    const budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 0 }));
    expect(whenMayNext(budget, NOW)).toBe(NOW + 31_000);
    expect(whenMayNext(budget, NOW + 31_000)).toBe(NOW + 31_000);
  });

  test('the whole of the next window may be used', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 0 }));
    const next = NOW + 31_000;
    budget = exchange(budget, rate({ remaining: 9, reset: DATE + 91, date: DATE + 31 }), next);
    for (let sent = 1; sent < 10; sent += 1) {
      expect(whenMayNext(budget, next)).toBe(next);
      budget = spend(budget, next);
    }
    expect(whenMayNext(budget, next)).not.toBe(next);
  });

  test('the first answer of the next window shows how much of a sliding one came back', () => {
    const next = NOW + 31_000;
    const used = spend(exchange(UNKNOWN_BUDGET, rate({ remaining: 1 })), NOW);
    let budget = spend(used, next);
    expect(whenMayNext(budget, next)).toBe('after-answer');
    // A request that was sent before the end of the window does not show it; a request without an answer must do.
    const late = recordEnd(budget, { status: 200, rate: rate({ remaining: 0 }), sentAt: NOW }, next);
    expect(whenMayNext(late, next)).toBe('after-answer');
    expect(whenMayNext(recordEnd(late, { status: null, rate: null, sentAt: next }, next), next)).toBe(next);
    budget = exchange(late, rate({ remaining: 1, reset: DATE + 40, date: DATE + 31 }), next);
    expect(whenMayNext(spend(budget, next), next)).toBe('after-answer');
    // A window without an answer does not delay the next one.
    expect(whenMayNext(late, next + 61_000)).toBe(next + 61_000);
  });

  test('an answer that took long does not bring the old window back', () => {
    let budget = spend(exchange(UNKNOWN_BUDGET, rate({ remaining: 1 })), NOW);
    const next = NOW + 31_000;
    budget = spend(budget, next);
    budget = recordEnd(budget, { status: 200, rate: rate({ remaining: 0 }), sentAt: NOW }, next);
    expect(budget.remaining).toBe(10);
    const fresh = rate({ remaining: 9, reset: DATE + 91, date: DATE + 31 });
    budget = recordEnd(budget, { status: 200, rate: fresh, sentAt: next }, next);
    expect(budget).toMatchObject({ remaining: 9, inFlight: 0 });
  });

  test('a reset that is off by a second now and then is the same window', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 3, reset: DATE + 30 }));
    budget = exchange(budget, rate({ remaining: 5, reset: DATE + 31 }));
    expect(budget.remaining).toBe(3);
  });

  test('a window told by the server before ours is over replaces it', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 3 }));
    budget = exchange(budget, rate({ remaining: 9, reset: DATE + 90, date: DATE + 30 }), NOW + 30_000);
    expect(budget.remaining).toBe(9);
  });

  test('two windows side by side, as where each path is counted by itself: the tighter one counts', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 0, reset: DATE + 30 }));
    budget = exchange(budget, rate({ remaining: 9, reset: DATE + 60, date: DATE + 2 }));
    expect(whenMayNext(budget, NOW)).toBe(NOW + 31_000);
    let other = exchange(UNKNOWN_BUDGET, rate({ remaining: 9, reset: DATE + 30 }));
    other = exchange(other, rate({ remaining: 0, reset: DATE + 60, date: DATE + 2 }));
    expect(whenMayNext(other, NOW)).toBe(NOW + 59_000);
  });

  test('a share keeps the rest of the window back, and always lets one through', () => {
    const budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 6 }));
    expect(whenMayNext(budget, NOW, 0.5)).toBe(NOW);
    expect(whenMayNext(exchange(budget, rate({ remaining: 5 })), NOW, 0.5)).toBe(NOW + 31_000);
    expect(whenMayNext(full(10), NOW, 0)).toBe(NOW);
  });
});

describe('numbers that cannot be', () => {
  test.each([
    ['absent', null],
    ['past', DATE - 1],
    ['milliseconds', DATE * 1000],
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['negative', -5],
  ])('a reset that is %s: a minute from the answer', (_, reset) => {
    const budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 0, reset }));
    expect(whenMayNext(budget, NOW)).toBe(NOW + ASSUMED_WINDOW_MS);
  });

  test.each([
    ['NaN', Number.NaN],
    ['negative', -1],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('a Remaining that is %s is not believed: the budget counts by itself', (_, remaining) => {
    const known = exchange(UNKNOWN_BUDGET, rate({ remaining: 5 }));
    expect(exchange(known, rate({ remaining })).remaining).toBe(4);
  });

  test.each([[Number.NaN], [-3], [0]])('a Limit of %d leaves at least one request a window', (limit) => {
    const budget = exchange(UNKNOWN_BUDGET, rate({ limit, remaining: 0 }));
    expect(whenMayNext(budget, NOW + 31_000)).toBe(NOW + 31_000);
  });

  test('a reset of this very second is a wait of a second', () => {
    const budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 0, reset: DATE }));
    expect(whenMayNext(budget, NOW)).toBe(NOW + 1000);
  });

  test('without a reset the least Remaining counts for a minute', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ remaining: 3, reset: null }));
    budget = exchange(budget, rate({ remaining: 4, reset: null }), NOW + 10);
    expect(budget.remaining).toBe(3);
    budget = exchange(budget, rate({ remaining: 9, reset: null }), NOW + 60_000);
    expect(budget.remaining).toBe(9);
  });
});

describe('a 429', () => {
  test.each([
    ['Retry-After', { retryAfter: 7 }, 7000],
    ['Retry-After of 0', { retryAfter: 0 }, 1000],
    ['Retry-After of -1: the reset', { retryAfter: -1 }, 31_000],
    ['no Retry-After: the reset', {}, 31_000],
    ['no Retry-After, a reset in the past: a minute', { reset: DATE - 100 }, 60_000],
    ['no Retry-After, a reset in milliseconds: a minute', { reset: DATE * 1000 }, 60_000],
    ['no Retry-After, no reset: a minute', { reset: null }, 60_000],
    ['an absurd Retry-After stays what it is', { retryAfter: 1e10 }, 1e13],
  ])('%s', (_, told, wait) => {
    expect(waitAfter429(rate({ remaining: 0, ...told }))).toBe(wait);
  });

  test('holds the endpoint back for as long as it asks, and no longer than an hour', () => {
    const known = exchange(UNKNOWN_BUDGET, rate());
    const refused = exchange(known, rate({ remaining: 0, retryAfter: 5 }), NOW, 429);
    expect(whenMayNext(refused, NOW)).toBe(NOW + 5000);
    const absurd = exchange(known, rate({ remaining: 0, retryAfter: 1e10 }), NOW, 429);
    expect(whenMayNext(absurd, NOW)).toBe(NOW + 3_600_000);
  });

  test('holds an endpoint without headers back as well', () => {
    const refused = exchange(UNKNOWN_BUDGET, rate({ limit: null, remaining: null, retryAfter: 5 }), NOW, 429);
    expect(whenMayNext(refused, NOW)).toBe(NOW + 5000);
    expect(whenMayNext(refused, NOW + 5000)).toBe(NOW + 5000);
  });

  const told = exchange(UNKNOWN_BUDGET, rate({ remaining: 5 }));
  test.each([
    ['a probe', UNKNOWN_BUDGET, rate({ remaining: 0 }), true],
    ['a window that is used up', exchange(told, rate({ remaining: 0 })), rate({ remaining: 0 }), true],
    ['a window that is not used up', told, rate({ remaining: 0 }), false],
    ['numbers with something left', exchange(told, rate({ remaining: 0 })), rate({ remaining: 3 }), false],
    [
      'numbers of another limit',
      exchange(told, rate({ remaining: 0 })),
      rate({ limit: 150, remaining: 0 }),
      false,
    ],
    ['no numbers, a window not used up', told, null, false],
  ])('%s', (_, budget, answer, explained) => {
    expect(explains429(budget, answer, NOW)).toBe(explained);
  });
});

describe('the length of a window', () => {
  test('is a minute until two resets were seen', () => {
    expect(windowMs(UNKNOWN_BUDGET)).toBe(60_000);
    expect(windowMs(exchange(UNKNOWN_BUDGET, rate({ reset: DATE + 10 })))).toBe(60_000);
  });

  test('is the distance of two resets', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ reset: DATE + 10 }));
    budget = exchange(budget, rate({ reset: DATE + 25, date: DATE + 12 }), NOW + 12_000);
    expect(windowMs(budget)).toBe(15_000);
  });

  test('is no longer than the least distance: nothing was sent in between', () => {
    let budget = exchange(UNKNOWN_BUDGET, rate({ reset: DATE + 10 }));
    budget = exchange(budget, rate({ reset: DATE + 400, date: DATE + 390 }), NOW + 390_000);
    budget = exchange(budget, rate({ reset: DATE + 430, date: DATE + 401 }), NOW + 401_000);
    expect(windowMs(budget)).toBe(30_000);
  });

  test.each([
    // The window is seen a second after its start. A request that waited a second too long started it.
    [59, 60, 60],
    [60, 61, 60],
    [19, 21, 20],
    // A sliding window: its reset time moves with every request.
    [60, 7, 60],
    [43, 60, 60],
    [61, 62, 62],
  ])('with resets up to %i s ahead and %i s apart it lasts %i s', (ahead, step, seconds) => {
    const window = { ahead: ahead * 1000, step: step * 1000 };
    expect(knownWindow({ window })).toBe(seconds * 1000);
  });

  test('with one reset seen its length is not known', () => {
    expect(knownWindow(exchange(UNKNOWN_BUDGET, rate({ reset: DATE + 60 })))).toBe(null);
  });
});

describe('answers that say nothing of the budget', () => {
  /** Seconds that `what is asked` requests take, each answered after `durationMs`, eight at a time. */
  function secondsFor(requests: number, start: Budget, durationMs: number): number {
    let budget = start;
    let now = 0;
    const inFlight: { until: number; sentAt: number }[] = [];
    for (let sent = 0; sent < requests || inFlight.length > 0;) {
      const at = sent < requests && inFlight.length < 8 ? whenMayNext(budget, now) : 'after-answer';
      const first = inFlight[0];
      if (at !== 'after-answer' && (first === undefined || at <= first.until)) {
        now = Math.max(now, at);
        budget = spend(budget, now);
        inFlight.push({ until: now + durationMs, sentAt: now });
        sent += 1;
      } else if (first !== undefined) {
        inFlight.shift();
        now = Math.max(now, first.until);
        budget = recordEnd(budget, { status: 200, rate: null, sentAt: first.sentAt }, now);
      }
    }
    return now / 1000;
  }

  test.each([
    [10, 0, 1],
    [200, 0, 5.1],
    [201, 61, 62],
    [1000, 4 * 61, 4 * 61 + 6],
  ])('%d requests at 200 a minute burst, then wait for windows', (requests, least, most) => {
    const seconds = secondsFor(requests, full(200), 200);
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
  });
});
