import PQueue from 'p-queue';
import {
  answerCame,
  refusedFor,
  requestSent,
  UNKNOWN_BUDGET,
  waitBeforeNext,
  type Budget,
} from '../model/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { RequestTotals } from '../model/report.ts';
import { isTooLong, readBudgetHeaders, retryAfterSeconds } from './headers.ts';
import type { Reply } from './transport.ts';

/** An answer or a failure, a wait that is too long for a run, or a stop before anything was sent. */
export type PacedReply =
  | Reply
  | { readonly kind: 'too-long'; readonly seconds: number }
  | { readonly kind: 'stopped' };

export interface Pacer {
  /** Sends as soon as the endpoint's budget holds it; waits out every 429, which was not processed. */
  run(endpoint: string, priority: number, attempt: () => Promise<Reply>): Promise<PacedReply>;
  budgets(): ReadonlyMap<string, Budget>;
  totals(): RequestTotals;
  /** Counts a request that is sent once more after a failure. */
  countRetry(): void;
}

const CONCURRENCY = 8;

interface Lane {
  readonly queue: PQueue;
  budget: Budget;
  /** Resolved, and replaced, with every answer. */
  changed: PromiseWithResolvers<void>;
}

export function createPacer(clock: Clock, signal: AbortSignal | undefined): Pacer {
  const lanes = new Map<string, Lane>();
  const totals = { total: 0, retried: 0, rateLimited: 0, waitedSeconds: 0 };

  async function waitForRoom(lane: Lane): Promise<boolean> {
    for (;;) {
      if (signal?.aborted === true) return false;
      const wait = waitBeforeNext(lane.budget, clock.monotonic());
      if (wait === 0) return true;
      const begun = clock.monotonic();
      await (wait === 'answer' ? lane.changed.promise : clock.sleep(wait, signal));
      if (wait !== 'answer') totals.waitedSeconds += (clock.monotonic() - begun) / 1000;
    }
  }

  async function sendOnce(lane: Lane, attempt: () => Promise<Reply>): Promise<Reply> {
    lane.budget = requestSent(lane.budget, clock.monotonic());
    totals.total += 1;
    const reply = await attempt();
    const headers = reply.kind === 'answer' ? readBudgetHeaders(reply.header, clock.now()) : null;
    lane.budget = answerCame(lane.budget, headers, clock.monotonic());
    return reply;
  }

  async function runPaced(lane: Lane, attempt: () => Promise<Reply>): Promise<PacedReply> {
    for (;;) {
      if (!(await waitForRoom(lane))) return { kind: 'stopped' };
      const reply = await sendOnce(lane, attempt);
      const limited = reply.kind === 'answer' && reply.status === 429;
      const seconds = limited ? retryAfterSeconds(reply.header, clock.now()) : 0;
      if (limited) {
        totals.rateLimited += 1;
        lane.budget = refusedFor(lane.budget, seconds * 1000, clock.monotonic());
      }
      lane.changed.resolve();
      lane.changed = Promise.withResolvers();
      if (!limited) return reply;
      if (isTooLong(seconds)) return { kind: 'too-long', seconds };
    }
  }

  return {
    run(endpoint, priority, attempt) {
      const lane = laneOf(lanes, endpoint);
      return lane.queue.add(() => runPaced(lane, attempt), { priority });
    },
    budgets: () => new Map([...lanes].map(([endpoint, lane]) => [endpoint, lane.budget])),
    totals: () => ({ ...totals, waitedSeconds: Math.round(totals.waitedSeconds * 10) / 10 }),
    countRetry: () => {
      totals.retried += 1;
    },
  };
}

function laneOf(lanes: Map<string, Lane>, endpoint: string): Lane {
  const known = lanes.get(endpoint);
  if (known !== undefined) return known;
  const lane: Lane = {
    queue: new PQueue({ concurrency: CONCURRENCY }),
    budget: UNKNOWN_BUDGET,
    changed: Promise.withResolvers(),
  };
  lanes.set(endpoint, lane);
  return lane;
}
