import { ASSUMED_WINDOW_MS, UNKNOWN_BUDGET, windowMs, type Budget } from './budget.ts';

/** Budgets for another process, as JSON; moments are epoch milliseconds. */
export type KeptBudgets = readonly (readonly [
  endpoint: string,
  Pick<Budget, 'limit' | 'remaining' | 'reset' | 'refillAt' | 'window'>,
])[];

/** One moment by both clocks, milliseconds. */
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
 * The same in another process. `usedMsAgo`: when somebody may have sent requests since that are not counted in them, milliseconds
 * ago; then nothing is left until a window from there is over, and until what is used up or paused ends. null: nobody has.
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

/** What is used once an hour shows windows an hour apart: without a reset that was so far ahead none is taken to be so long. */
function likelyWindowMs(budget: Budget): number {
  return Math.min(windowMs(budget), Math.max(ASSUMED_WINDOW_MS, budget.window.ahead));
}
