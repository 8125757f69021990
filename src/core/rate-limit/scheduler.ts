import { createBudgetBook, type BudgetBook } from './book.ts';
import { ASSUMED_WINDOW_MS, assumedBudget, knownWindow, type Budget } from './budget.ts';

/** What each endpoint's limit is thought to be, and how long things take. Milliseconds. */
export interface ScheduleOptions {
  /** By endpoint, and that of the whole account, as the answers so far made them. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Requests a window of endpoints that have not answered yet. */
  readonly assumedLimit: number;
  /** Their windows; absent: a minute from their first request on. */
  readonly assumedWindow?: AssumedWindow;
  /** One request, from sending to its answer. */
  readonly latency: number;
  /** Requests of one endpoint at the same time. */
  readonly concurrency: number;
}

export interface AssumedWindow {
  readonly length: number;
  /** When the one that is open is surely over, monotonic; null: it begins with the first request. */
  readonly endsAt: number | null;
}

/**
 * What the answers of some endpoints say of the windows of others. Where an answer said that a window without an earlier
 * request ends sooner than a whole one does, windows are those of the service's clock, and end together.
 */
export function assumedWindow(budgets: Iterable<Budget>, now: number): AssumedWindow {
  const all = [...budgets];
  const length = Math.max(0, ...all.map((budget) => knownWindow(budget) ?? 0)) || ASSUMED_WINDOW_MS;
  const cut = all.find(
    ({ window, refillAt }) => refillAt !== null && window.ahead > 0 && window.ahead < length - CUT_MS,
  );
  if (cut?.refillAt === undefined || cut.refillAt === null) return { length, endsAt: null };
  const over = Math.max(0, Math.ceil((now - cut.refillAt) / length));
  return { length, endsAt: cut.refillAt + over * length };
}

/** Whole seconds hide as much. */
const CUT_MS = 3000;

/** Whether a request goes before those that nothing waits for; see `Urgency` of the client. */
export type Turn = 'first' | 'last';

/**
 * Sends requests in virtual time, by the budgets that pace the real ones: `send` queues one, and what is to come after its
 * answer does so in `then`.
 */
export interface Timeline {
  now(): number;
  /** When each request left, in order; those that have left by now. */
  departures(): readonly number[];
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
  const book = openBook(options);
  return {
    run(requests, start) {
      const timeline = timelineOf(options, start, book);
      for (const [endpoint, count] of requests) {
        for (let sent = 0; sent < count; sent += 1) timeline.send(endpoint, 'first', () => {});
      }
      return timeline.run();
    },
  };
}

/** Begins at `start`, monotonic milliseconds. */
export function createTimeline(options: ScheduleOptions, start: number): Timeline {
  return timelineOf(options, start, openBook(options));
}

/** A forecast needs a limit: without one it assumes one. */
function openBook({ budgets, assumedLimit, assumedWindow: window }: ScheduleOptions): BudgetBook {
  const known = [...budgets].filter(([, { limit }]) => limit !== null);
  const unknown = { ...assumedBudget(assumedLimit, window?.length), refillAt: window?.endsAt ?? null };
  return createBudgetBook(
    new Map(known.map(([endpoint, budget]) => [endpoint, { ...budget, inFlight: 0 }])),
    unknown,
  );
}

/** The requests of one endpoint. */
interface Lane {
  readonly endpoint: string;
  readonly waiting: Readonly<Record<Turn, Queue<() => void>>>;
  inFlight: number;
  /** When the budgets may hold the next request; null: none waits for them. */
  wakeAt: number | 'after-answer' | null;
}

interface Flight {
  readonly lane: Lane;
  readonly sentAt: number;
  readonly onEnd: () => void;
}

interface State {
  readonly options: ScheduleOptions;
  readonly book: BudgetBook;
  readonly lanes: Map<string, Lane>;
  /** In the order in which they end, which is that in which they were sent. */
  readonly flights: Queue<Flight>;
  now: number;
  readonly departures: number[];
}

function timelineOf(options: ScheduleOptions, start: number, book: BudgetBook): Timeline {
  const lanes = new Map<string, Lane>();
  const state: State = { options, book, lanes, flights: createQueue(), now: start, departures: [] };
  return {
    now: () => state.now,
    departures: () => state.departures,
    send(endpoint, turn, then) {
      const lane = lanes.get(endpoint) ?? openLane(endpoint);
      lanes.set(endpoint, lane);
      lane.waiting[turn].add(then);
      sendWaiting(state, lane);
    },
    run: () => runAll(state),
  };
}

/** Sends what the budgets hold of an endpoint by now. */
function sendWaiting(state: State, lane: Lane): void {
  lane.wakeAt = null;
  while (lane.inFlight < state.options.concurrency) {
    const queue = lane.waiting.first.size() > 0 ? lane.waiting.first : lane.waiting.last;
    if (queue.size() === 0) return;
    const next = state.book.nextMoment(lane.endpoint, state.now, 1);
    if (next === 'after-answer' || next > state.now) {
      lane.wakeAt = next;
      return;
    }
    const onEnd = queue.take();
    if (onEnd === undefined) return;
    state.book.sent(lane.endpoint, state.now);
    lane.inFlight += 1;
    state.departures.push(state.now);
    state.flights.add({ lane, sentAt: state.now, onEnd });
  }
}

function runAll(state: State): number {
  const { lanes, flights, options } = state;
  let end = state.now;
  for (;;) {
    const flight = flights.peek();
    const wake = earliest(lanes.values());
    if (wake !== null && (flight === undefined || wake <= flight.sentAt + options.latency)) {
      state.now = wake;
      for (const lane of lanes.values())
        if (typeof lane.wakeAt === 'number' && lane.wakeAt <= wake) sendWaiting(state, lane);
    } else if (flight === undefined) return end;
    else {
      flights.take();
      land(state, flight);
      end = state.now;
    }
  }
}

function land(state: State, { lane, sentAt, onEnd }: Flight): void {
  state.now = Math.max(state.now, sentAt + state.options.latency);
  lane.inFlight -= 1;
  state.book.ended(lane.endpoint, { status: 200, rate: null, sentAt }, state.now);
  onEnd();
  sendWaiting(state, lane);
  for (const other of state.lanes.values()) if (other.wakeAt === 'after-answer') sendWaiting(state, other);
}

function earliest(lanes: Iterable<Lane>): number | null {
  const moments = Iterator.from(lanes).flatMap(({ wakeAt }) => (typeof wakeAt === 'number' ? [wakeAt] : []));
  return moments.reduce<number | null>((least, moment) => Math.min(least ?? moment, moment), null);
}

function openLane(endpoint: string): Lane {
  return {
    endpoint,
    waiting: { first: createQueue(), last: createQueue() },
    inFlight: 0,
    wakeAt: null,
  };
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
