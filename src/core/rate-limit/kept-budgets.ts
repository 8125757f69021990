import { ASSUMED_WINDOW_MS, UNKNOWN_BUDGET, windowMs, type Budget } from './budget.ts';

/** Budgets for another process, as JSON. Times are epoch milliseconds. */
export type KeptBudgets = readonly (readonly [
  endpoint: string,
  Pick<Budget, 'limit' | 'remaining' | 'reset' | 'refillAt' | 'window'>,
])[];

/** One moment by both clocks, in milliseconds. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

export function keepBudgets(budgets: ReadonlyMap<string, Budget>, { now, monotonic }: Moment): KeptBudgets {
  return [...budgets].map(([endpoint, { limit, remaining, reset, refillAt, window }]) => [
    endpoint,
    { limit, remaining, reset, refillAt: refillAt === null ? null : refillAt - monotonic + now, window },
  ]);
}

/**
 * Restores budgets in another process. `usedMsAgo` is set if other requests may have been sent since, which these budgets do
 * not count: the milliseconds since the last of them. Then nothing is left until a window from there is over, and until a
 * used-up window or pause ends. null means that there were none.
 */
export function restoreBudgets(
  kept: KeptBudgets,
  { now, monotonic }: Moment,
  usedMsAgo: number | null,
): ReadonlyMap<string, Budget> {
  return new Map(
    kept.map(([endpoint, known]) => {
      const refillAt = known.refillAt === null ? null : known.refillAt - now + monotonic;
      const budget: Budget = { ...UNKNOWN_BUDGET, ...known, refillAt, answered: true };
      if (usedMsAgo === null) return [endpoint, budget];
      const remaining = known.limit === null ? null : 0;
      const usedUntil = monotonic + likelyWindowMs(budget) - usedMsAgo;
      const pausedUntil = (known.remaining ?? 0) > 0 ? null : refillAt;
      return [endpoint, { ...budget, remaining, refillAt: Math.max(usedUntil, pausedUntil ?? -Infinity) }];
    }),
  );
}

/**
 * Returns the window length to assume. A limit used once an hour shows resets an hour apart, so a window counts as long only
 * if a reset was that far ahead.
 */
function likelyWindowMs(budget: Budget): number {
  return Math.min(windowMs(budget), Math.max(ASSUMED_WINDOW_MS, budget.window.ahead));
}
