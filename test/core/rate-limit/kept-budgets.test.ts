import { expect, test } from 'vitest';
import { recordEnd, spend, UNKNOWN_BUDGET, whenMayNext } from '../../../src/core/rate-limit/budget.ts';
import { keepBudgets, restoreBudgets, type KeptBudgets } from '../../../src/core/rate-limit/kept-budgets.ts';

const THERE = { now: 1_800_000_000_000, monotonic: 5_000 };
/** 20 s later, on another machine. */
const HERE = { now: THERE.now + 20_000, monotonic: 900_000 };

/** A budget from another process: two of ten requests are left until 40 s after `THERE`. */
function kept(): KeptBudgets {
  const date = THERE.now / 1000;
  const rate = { limit: 10, remaining: 2, reset: date + 39, date, retryAfter: null };
  const sent = spend(UNKNOWN_BUDGET, THERE.monotonic);
  const known = recordEnd(sent, { status: 200, rate, sentAt: THERE.monotonic }, THERE.monotonic);
  return JSON.parse(JSON.stringify(keepBudgets(new Map([['GET /account', known]]), THERE))) as KeptBudgets;
}

function restored(usedMsAgo: number | null, at = HERE) {
  return restoreBudgets(kept(), at, usedMsAgo).get('GET /account') ?? UNKNOWN_BUDGET;
}

test('another process goes on with what is left, and waits for the same end of the window', () => {
  let budget = restored(null);
  expect(budget).toMatchObject({ limit: 10, remaining: 2, inFlight: 0, answered: true });
  for (let sent = 0; sent < 2; sent += 1) {
    expect(whenMayNext(budget, HERE.monotonic)).toBe(HERE.monotonic);
    budget = recordEnd(
      spend(budget, HERE.monotonic),
      { status: 200, rate: null, sentAt: HERE.monotonic },
      HERE.monotonic,
    );
  }
  expect(whenMayNext(budget, HERE.monotonic)).toBe(HERE.monotonic + 20_000);
});

test('a window that is over meanwhile is full again', () => {
  const later = { now: HERE.now + 60_000, monotonic: HERE.monotonic + 60_000 };
  expect(whenMayNext(restored(null, later), later.monotonic)).toBe(later.monotonic);
});

test('if another process may have used it since, nothing is left until a window from then has ended', () => {
  expect(whenMayNext(restored(0), HERE.monotonic)).toBe(HERE.monotonic + 60_000);
  expect(whenMayNext(restored(45_000), HERE.monotonic)).toBe(HERE.monotonic + 15_000);
  expect(whenMayNext(restored(61_000), HERE.monotonic)).toBe(HERE.monotonic);
  const unknown = keepBudgets(new Map([['GET /account', UNKNOWN_BUDGET]]), THERE);
  const budget = restoreBudgets(unknown, HERE, 0).get('GET /account') ?? UNKNOWN_BUDGET;
  expect(whenMayNext(budget, HERE.monotonic)).toBe(HERE.monotonic + 60_000);
});

test('a pause by a 429 stays, even if another process may have used the budget since', () => {
  const paused = { ...UNKNOWN_BUDGET, answered: true, refillAt: THERE.monotonic + 900_000 };
  const keeping = keepBudgets(new Map([['*', paused]]), THERE);
  for (const usedMsAgo of [null, 0]) {
    const budget = restoreBudgets(keeping, HERE, usedMsAgo).get('*') ?? UNKNOWN_BUDGET;
    expect(whenMayNext(budget, HERE.monotonic)).toBe(HERE.monotonic + 880_000);
  }
});

test('an endpoint that is used once an hour does not wait for a window of an hour', () => {
  const hourly = { ...UNKNOWN_BUDGET, limit: 10, remaining: 9, window: { step: 3_600_000, ahead: 59_000 } };
  const keeping = keepBudgets(new Map([['GET /account', hourly]]), THERE);
  const budget = restoreBudgets(keeping, HERE, 0).get('GET /account') ?? UNKNOWN_BUDGET;
  expect(whenMayNext(budget, HERE.monotonic)).toBe(HERE.monotonic + 60_000);
});
