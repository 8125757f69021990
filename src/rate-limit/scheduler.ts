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

/** Whether a request goes before those that nothing waits for; see `Urgency` of the client. */
export type Turn = 'first' | 'last';

/**
 * Sends requests in virtual time, by the budgets that pace the real ones: `send` queues one, and what is to come after its
 * answer does so in `then`.
 */
export interface Timeline {
  now(): number;
  /** Requests that have left by now. */
  sent(): number;
  send(endpoint: string, turn: Turn, then: () => void): void;
  /** Until nothing is left to be sent or answered; the moment of the last answer. */
  run(): number;
}

/** Runs requests in virtual time; what endpoints have spent carries over from one call to the next. */
export interface Schedule {
  /** Sends that many requests to each endpoint, side by side from `start` on; answers when the last one has ended. */
  readonly run: (requests: ReadonlyMap<string, number>, start: number) => number;
}

export function createSchedule(options: ScheduleOptions): Schedule {
  let budgets = options.budgets;
  return {
    run(requests, start) {
      const lanes = new Map<string, Lane>();
      const timeline = timelineOf({ ...options, budgets }, start, lanes);
      for (const [endpoint, count] of requests) {
        for (let sent = 0; sent < count; sent += 1) timeline.send(endpoint, 'first', () => {});
      }
      const end = timeline.run();
      budgets = new Map([
        ...budgets,
        ...lanes.entries().map(([name, { budget }]) => [name, budget] as const),
      ]);
      return end;
    },
  };
}

/** Begins at `start`, monotonic milliseconds. */
export function createTimeline(options: ScheduleOptions, start: number): Timeline {
  return timelineOf(options, start, new Map());
}

/** The requests of one endpoint. */
interface Lane {
  budget: Budget;
  readonly waiting: Readonly<Record<Turn, Queue<() => void>>>;
  inFlight: number;
  /** When its budget may hold the next request; null: after an answer, or there is none. */
  wakeAt: number | null;
}

interface Flight {
  readonly lane: Lane;
  readonly sentAt: number;
  readonly then: () => void;
}

function timelineOf(options: ScheduleOptions, start: number, lanes: Map<string, Lane>): Timeline {
  const { latency, concurrency } = options;
  let now = start;
  let sent = 0;
  // In the order in which they end, which is that in which they were sent.
  const flights = createQueue<Flight>();
  const laneOf = (endpoint: string): Lane => {
    const lane = lanes.get(endpoint) ?? openLane(endpoint, options);
    lanes.set(endpoint, lane);
    return lane;
  };
  const sendWaiting = (lane: Lane): void => {
    lane.wakeAt = null;
    while (lane.inFlight < concurrency) {
      const queue = lane.waiting.first.size() > 0 ? lane.waiting.first : lane.waiting.last;
      if (queue.size() === 0) return;
      const next = whenMayNext(lane.budget, now);
      if (next === 'after-answer') return;
      if (next > now) {
        lane.wakeAt = next;
        return;
      }
      const then = queue.take();
      if (then === undefined) return;
      lane.budget = spend(lane.budget, now);
      lane.inFlight += 1;
      sent += 1;
      flights.add({ lane, sentAt: now, then });
    }
  };
  const land = ({ lane, sentAt, then }: Flight): void => {
    now = Math.max(now, sentAt + latency);
    lane.inFlight -= 1;
    lane.budget = recordEnd(lane.budget, { status: 200, rate: null, sentAt }, now);
    then();
    sendWaiting(lane);
  };
  return {
    now: () => now,
    sent: () => sent,
    send(endpoint, turn, then) {
      const lane = laneOf(endpoint);
      lane.waiting[turn].add(then);
      sendWaiting(lane);
    },
    run() {
      let end = now;
      for (;;) {
        const flight = flights.peek();
        const wake = earliest(lanes.values());
        if (wake !== null && (flight === undefined || wake <= flight.sentAt + latency)) {
          now = wake;
          for (const lane of lanes.values())
            if (lane.wakeAt !== null && lane.wakeAt <= now) sendWaiting(lane);
        } else if (flight === undefined) return end;
        else {
          flights.take();
          land(flight);
          end = now;
        }
      }
    },
  };
}

function earliest(lanes: Iterable<Lane>): number | null {
  let least: number | null = null;
  for (const { wakeAt } of lanes) if (wakeAt !== null && (least === null || wakeAt < least)) least = wakeAt;
  return least;
}

function openLane(endpoint: string, options: ScheduleOptions): Lane {
  const budget = known(options.budgets.get(endpoint), options);
  return { budget, waiting: { first: createQueue(), last: createQueue() }, inFlight: 0, wakeAt: null };
}

/** A forecast needs a limit: without one it assumes one. */
function known(budget: Budget | undefined, { assumedLimit }: ScheduleOptions): Budget {
  return budget === undefined || budget.limit === null
    ? assumedBudget(assumedLimit)
    : { ...budget, inFlight: 0 };
}

interface Queue<T> {
  readonly add: (item: T) => void;
  readonly peek: () => T | undefined;
  readonly take: () => T | undefined;
  readonly size: () => number;
}

/** An array that is shifted a hundred thousand times takes its time. */
function createQueue<T>(): Queue<T> {
  const items: T[] = [];
  let taken = 0;
  return {
    add: (item) => void items.push(item),
    peek: () => items[taken],
    take() {
      const item = items[taken];
      if (taken < items.length) taken += 1;
      return item;
    },
    size: () => items.length - taken,
  };
}
