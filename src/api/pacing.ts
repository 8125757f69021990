import PQueue from 'p-queue';
import {
  LONGEST_WAIT_MS,
  settle,
  spend,
  UNKNOWN_BUDGET,
  waitAfter429,
  whenMayNext,
  type Budget,
} from '../model/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { RequestTotals } from '../model/report.ts';
import { readRate } from './headers.ts';
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

  async function waitForRoom(lane: Lane): Promise<'room' | 'stopped'> {
    for (;;) {
      if (signal?.aborted === true) return 'stopped';
      const begun = clock.monotonic();
      const moment = whenMayNext(lane.budget, begun);
      if (moment === 'after-answer') {
        await lane.changed.promise;
      } else if (moment <= begun) {
        return 'room';
      } else {
        await clock.sleep(Math.ceil(moment - begun), signal);
        totals.waitedSeconds += (clock.monotonic() - begun) / 1000;
      }
    }
  }

  async function sendOnce(lane: Lane, attempt: () => Promise<Reply>): Promise<Reply> {
    const sentAt = clock.monotonic();
    lane.budget = spend(lane.budget, sentAt);
    totals.total += 1;
    const reply = await attempt();
    const settlement =
      reply.kind === 'answer'
        ? { status: reply.status, rate: readRate(reply.header, clock.now()), sentAt }
        : { status: null, rate: null, sentAt };
    lane.budget = settle(lane.budget, settlement, clock.monotonic());
    lane.changed.resolve();
    lane.changed = Promise.withResolvers();
    return reply;
  }

  async function runPaced(lane: Lane, attempt: () => Promise<Reply>): Promise<PacedReply> {
    for (;;) {
      if ((await waitForRoom(lane)) === 'stopped') return { kind: 'stopped' };
      const reply = await sendOnce(lane, attempt);
      if (reply.kind !== 'answer' || reply.status !== 429) return reply;
      totals.rateLimited += 1;
      const wait = waitAfter429(readRate(reply.header, clock.now()));
      if (wait > LONGEST_WAIT_MS) return { kind: 'too-long', seconds: wait / 1000 };
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
