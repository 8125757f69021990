import type { Client } from '../../../client/client.ts';
import { assumedBudget, windowMs, type Budget } from '../../../core/rate-limit/budget.ts';
import { stillToCome } from '../../../core/rate-limit/demand.ts';
import { createSchedule } from '../../../core/rate-limit/scheduler.ts';
import { leftOf, type Timetable } from '../../../core/rate-limit/timetable.ts';
import { scheduleOf } from '../../../core/plan/requests/forecast.ts';
import type { Context } from '../../context.ts';
import type { Headway } from './run-progress.ts';

/** Whose requests are waited for. */
type Sender = Pick<Client, 'knownBudgets' | 'demands' | 'latencyMs' | 'totals' | 'waitsUntil'>;

interface Requested extends Pick<Headway, 'end'> {
  readonly label: string;
  readonly foreseen?: ReadonlyMap<string, number> | undefined;
}

/**
 * How long the requests take that a client was asked for, and those that are only `foreseen`, by endpoint: until the first
 * request to an endpoint shows what the account really has.
 */
export function requestsHeadway(
  context: Pick<Context, 'clock'>,
  sender: Sender,
  { label, end, foreseen = new Map() }: Requested,
): Headway {
  const unbegun = (): ReadonlyMap<string, number> => {
    const demands = sender.demands();
    return new Map([...foreseen].filter(([endpoint]) => !demands.has(endpoint)));
  };
  return {
    label: () => label,
    end,
    left: () => requestsLeft(context, sender, unbegun()),
    waitsUntil: () => waitsUntil(context, sender),
  };
}

export interface AppliedHeadway {
  readonly label: () => string;
  /** The run from now on, by budgets as they are, or as they turn out to have been. */
  readonly foresee: (budgets: ReadonlyMap<string, Budget>) => Timetable;
}

/** How long a plan takes that is applied, by the timetable of its forecast. */
export function timetableHeadway(
  context: Pick<Context, 'clock'>,
  sender: Sender,
  { label, foresee }: AppliedHeadway,
): Headway {
  const { clock } = context;
  const [sentBefore, budgetsBefore] = [sender.totals().total, sender.knownBudgets()];
  let limits = limitsOf(budgetsBefore);
  let timetable = foresee(budgetsBefore);
  let last = { sent: 0, since: clock.monotonic() };
  return {
    label,
    left() {
      const now = clock.monotonic();
      const sent = sender.totals().total - sentBefore;
      if (sent !== last.sent) last = { sent, since: now };
      if (limitsOf(sender.knownBudgets()) !== limits) {
        limits = limitsOf(sender.knownBudgets());
        timetable = foresee(asTheyWere(budgetsBefore, sender.knownBudgets()));
      }
      // Whatever was not foreseen has been asked for, at least.
      return Math.max(leftOf(timetable, { ...last, now }), requestsLeft(context, sender, new Map()));
    },
    waitsUntil: () => waitsUntil(context, sender),
  };
}

/** What is known of the limits, as a text that can be compared. */
function limitsOf(budgets: ReadonlyMap<string, Budget>): string {
  return [...budgets].map(([endpoint, { limit }]) => `${endpoint} ${limit}`).join('\n');
}

/** Budgets of which nothing was known were full, and have the limits that are known by now. */
function asTheyWere(
  before: ReadonlyMap<string, Budget>,
  now: ReadonlyMap<string, Budget>,
): ReadonlyMap<string, Budget> {
  const learnt = [...now].flatMap(([endpoint, budget]) => {
    if (budget.limit === null || (before.get(endpoint)?.limit ?? null) !== null) return [];
    return [[endpoint, assumedBudget(budget.limit, windowMs(budget))] as const];
  });
  return new Map([...before, ...learnt]);
}

function requestsLeft(
  { clock }: Pick<Context, 'clock'>,
  sender: Sender,
  foreseen: ReadonlyMap<string, number>,
): number {
  const now = clock.monotonic();
  const learnt = { budgets: sender.knownBudgets(), latency: sender.latencyMs(), monotonic: now };
  const schedule = createSchedule(scheduleOf({ ...learnt, batches: 'allowed' }));
  return schedule.run(stillToCome(sender.demands(), foreseen), now) - now;
}

/** By the clock of the day. */
function waitsUntil({ clock }: Pick<Context, 'clock'>, sender: Sender): number | null {
  const moment = sender.waitsUntil();
  return moment === null ? null : clock.now() + moment - clock.monotonic();
}
