import { UNKNOWN_BUDGET, windowMs, type Budget } from './budget.ts';

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

/** The same where nobody else has used them since; `used-up`: somebody may have, and a whole window is waited for. */
export function restoreBudgets(
  kept: KeptBudgets,
  { now, monotonic }: Moment,
  reading: 'as-kept' | 'used-up',
): ReadonlyMap<string, Budget> {
  return new Map(
    kept.map(([endpoint, known]) => {
      const refillAt = known.refillAt === null ? null : known.refillAt - now + monotonic;
      const budget: Budget = { ...UNKNOWN_BUDGET, ...known, refillAt, answered: true };
      if (reading === 'as-kept') return [endpoint, budget];
      const remaining = known.limit === null ? null : 0;
      return [endpoint, { ...budget, remaining, refillAt: monotonic + windowMs(budget) }];
    }),
  );
}
