import { assumedBudget, recordEnd, spend, whenMayNext, type Budget } from './budget.ts';

/** What each endpoint's limit is thought to be, and how long things take. Milliseconds. */
export interface ScheduleOptions {
  /** By endpoint, as the answers so far made them. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Requests a window of endpoints that have not answered yet. */
  readonly assumedLimit: number;
  /** One request, from sending to its answer. */
  readonly latency: number;
  /** Requests of one endpoint at the same time. */
  readonly concurrency: number;
}

/** Runs requests in virtual time; what endpoints have spent carries over from one call to the next. */
export interface Schedule {
  /** Sends that many requests to each endpoint, side by side from `start` on; answers when the last one has ended. */
  readonly run: (requests: ReadonlyMap<string, number>, start: number) => number;
}

export function createSchedule(options: ScheduleOptions): Schedule {
  const budgets = new Map(options.budgets);
  return {
    run(requests, start) {
      let end = start;
      for (const [endpoint, count] of requests) {
        const budget = known(budgets.get(endpoint), options);
        const done = runEndpoint(budget, count, start, options);
        budgets.set(endpoint, done.budget);
        end = Math.max(end, done.end);
      }
      return end;
    },
  };
}

/** A forecast needs a limit: without one it assumes one. */
function known(budget: Budget | undefined, { assumedLimit }: ScheduleOptions): Budget {
  return budget === undefined || budget.limit === null
    ? assumedBudget(assumedLimit)
    : { ...budget, inFlight: 0 };
}

interface Sent {
  readonly sentAt: number;
  readonly end: number;
}

function runEndpoint(
  first: Budget,
  count: number,
  start: number,
  { latency, concurrency }: ScheduleOptions,
): { readonly budget: Budget; readonly end: number } {
  let budget = first;
  let now = start;
  /** In the order in which they end, which is that in which they were sent. */
  const flying: Sent[] = [];
  let landed = 0;
  const land = (): void => {
    const sent = flying[landed];
    if (sent === undefined) return;
    landed += 1;
    now = Math.max(now, sent.end);
    budget = recordEnd(budget, { status: 200, rate: null, sentAt: sent.sentAt }, sent.end);
  };
  while (flying.length < count) {
    const full = flying.length - landed >= concurrency;
    const next = full ? 'after-answer' : whenMayNext(budget, now);
    if (next === 'after-answer') land();
    else if (next > now) now = next;
    else {
      budget = spend(budget, now);
      flying.push({ sentAt: now, end: now + latency });
    }
  }
  while (landed < flying.length) land();
  return { budget, end: now };
}
