import { describe, expect, test } from 'vitest';
import { UNKNOWN_BUDGET, type Budget } from '../../../src/core/rate-limit/budget.ts';
import { NO_REQUESTS } from '../../../src/core/rate-limit/counts.ts';
import { durationOf, legsAfter, type Leg, type Pace } from '../../../src/core/rate-limit/estimate.ts';

type Numbers = Readonly<Record<string, number>>;

const START = 1000;

function pace(budgets: Readonly<Record<string, Budget>> = {}): Pace {
  return { budgets: new Map(Object.entries(budgets)), assumedLimit: 10, latency: 100 };
}

function steps(all: readonly Numbers[], trips = 0, meanwhile: Numbers = {}): Leg {
  const counts = all.map((step) => new Map(Object.entries(step)));
  return { steps: counts, trips, meanwhile: new Map(Object.entries(meanwhile)) };
}

function told(limit: number, remaining = limit, refillAt: number | null = null): Budget {
  const window = { step: 60_000, ahead: 60_000 };
  return { ...UNKNOWN_BUDGET, limit, remaining, answered: true, refillAt, window };
}

function lasts(legs: readonly Leg[], budgets: Readonly<Record<string, Budget>> = {}): number {
  return durationOf(legs, pace(budgets), START);
}

describe('requests of one endpoint', () => {
  test.each([
    [0, 0],
    [1, 100],
    [8, 100],
    [9, 200],
    [10, 200],
    // The client waits a second longer than the window, because the service gives it in whole seconds.
    [11, 61_100],
    [20, 61_200],
    [21, 122_100],
  ])('%i at 10 a minute take %i ms', (count, ends) => {
    expect(lasts([steps([{ a: count }])])).toBe(ends);
  });

  test('go on with what the headers say is left, until when', () => {
    const budgets = { a: told(10, 3, START + 20_000) };
    expect(lasts([steps([{ a: 3 }])], budgets)).toBe(100);
    expect(lasts([steps([{ a: 4 }])], budgets)).toBe(20_100);
    expect(lasts([steps([{ a: 14 }])], budgets)).toBe(81_100);
    expect(lasts([steps([{ a: 10 }])], { a: told(10, 0, START - 1) })).toBe(200);
  });

  test('that wait for each other take as many answers', () => {
    expect(lasts([steps([{ a: 5 }], 5)])).toBe(500);
    // Ten requests in the first window, five of the answers in the second.
    expect(lasts([steps([{ a: 15 }], 15)])).toBe(61_500);
  });
});

describe('several endpoints', () => {
  test('go side by side', () => {
    expect(lasts([steps([{ a: 11, b: 21, c: 3 }])])).toBe(122_100);
  });

  test('add up where one step depends on another', () => {
    expect(lasts([steps([{ a: 11 }, { b: 11 }])])).toBe(122_100);
    expect(lasts([steps([{ a: 11 }]), steps([{ b: 11 }])])).toBe(122_200);
    // The second step uses the rest of the first step's window, because both use the same endpoint.
    expect(lasts([steps([{ a: 11 }, { a: 9 }])])).toBe(61_200);
    expect(lasts([steps([{ a: 11 }, { a: 10 }])])).toBe(122_100);
  });

  test('share the budget of the account, once it is known', () => {
    const legs = [steps([{ a: 6, b: 6 }])];
    expect(lasts(legs)).toBe(100);
    expect(lasts(legs, { '*': told(10) })).toBe(61_100);
    const paused = { ...UNKNOWN_BUDGET, answered: true, refillAt: START + 30_000 };
    expect(lasts(legs, { '*': paused })).toBe(30_100);
  });
});

describe('requests that no leg waits for', () => {
  test('goes side by side with the legs', () => {
    expect(lasts([steps([{ write: 31 }], 0, { read: 25 })])).toBe(183_100);
    expect(lasts([steps([{ write: 11 }], 0, { read: 25 })])).toBe(122_100);
  });

  test('takes of the same windows', () => {
    expect(lasts([steps([{ read: 10 }], 0, { read: 10 })])).toBe(61_200);
    expect(lasts([steps([{ a: 8 }], 0, { b: 8 })])).toBe(100);
    expect(lasts([steps([{ a: 8 }], 0, { b: 8 })], { '*': told(10) })).toBe(61_100);
  });
});

test('sent requests are subtracted from the rest, earlier legs first', () => {
  const legs = [steps([{ a: 4 }, { b: 2 }], 4, { c: 3 }), steps([{ a: 4 }], 4)];
  const sent = new Map([
    ['a', 6],
    ['b', 1],
    ['c', 3],
  ]);
  expect(legsAfter(legs, sent)).toEqual([steps([{ a: 0 }, { b: 1 }], 4 / 6, { c: 0 }), steps([{ a: 2 }], 2)]);
  expect(legsAfter(legs, NO_REQUESTS)).toEqual(legs);
});

describe('windows of endpoints that have not answered yet', () => {
  const seen = (ahead: number, step: number | null, refillAt: number | null): Budget => ({
    ...UNKNOWN_BUDGET,
    limit: 10,
    remaining: 0,
    answered: true,
    refillAt,
    window: { ahead: ahead * 1000, step: step === null ? null : step * 1000 },
  });
  const NOW = 100_000;
  /** Returns the time from now until an endpoint without an answer yet sends its eleventh request, in milliseconds. */
  const next = (budgets: readonly Budget[]): number => {
    const known = Object.fromEntries(budgets.map((budget, index) => [`known ${index}`, budget]));
    return durationOf([steps([{ a: 11 }])], pace(known), NOW) - 100;
  };

  test.each<[string, readonly Budget[], number]>([
    ['nothing is known', [], 61_000],
    ['whole windows', [seen(60, null, 161_000), seen(60, 61, 180_000)], 61_000],
    ['whole windows of 20 s', [seen(20, null, 121_000), seen(20, 21, 140_000)], 21_000],
    ['one that was cut short', [seen(60, 60, 199_000), seen(35, null, 136_000)], 36_000],
    ['one that was cut short and is over', [seen(35, null, 36_000)], 56_000],
    ['none that is open', [seen(35, null, null)], 61_000],
  ])('%s', (_, budgets, milliseconds) => {
    expect(next(budgets)).toBe(milliseconds);
  });
});
