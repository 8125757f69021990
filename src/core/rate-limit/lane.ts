import { ASSUMED_WINDOW_MS, knownWindow, ROUNDING_MS, UNKNOWN_BUDGET, type Budget } from './budget.ts';

/** The windows of one budget, as an estimate counts them. Moments are monotonic milliseconds. */
export interface Lane {
  /** Requests a window. */
  readonly limit: number;
  /** Milliseconds from the first request of a window to that of the next one. */
  readonly window: number;
  /** Requests that the open window has left. */
  readonly left: number;
  /** When the open window is over; null means that none is open. */
  readonly endsAt: number | null;
}

/** The moment at which the last of some requests leave. */
export interface Departure {
  readonly lane: Lane;
  readonly at: number;
  /** The share of the requests that leaves then. */
  readonly share: number;
}

interface AssumedWindow {
  readonly length: number;
  /** When the open window is surely over; null means that a window begins with its first request. */
  readonly endsAt: number | null;
}

/** Takes the limit and the window as assumed, where no answer has told them. */
export function openLane(budget: Budget = UNKNOWN_BUDGET, limit: number, window: AssumedWindow): Lane {
  const lane = {
    limit: budget.limit ?? limit,
    window: (knownWindow(budget) ?? window.length) + ROUNDING_MS,
  };
  if (budget.limit === null && budget.refillAt === null)
    return { ...lane, left: limit, endsAt: window.endsAt };
  const left = budget.remaining ?? (budget.refillAt === null ? lane.limit : 0);
  return { ...lane, left, endsAt: budget.refillAt };
}

/** Sends requests at once as far as the open window holds them, and the rest as the next windows open. */
export function depart(lane: Lane, count: number, at: number): Departure {
  if (count === 0) return { lane, at, share: 1 };
  const { limit, window } = lane;
  const isOpen = lane.endsAt !== null && at < lane.endsAt;
  const open = isOpen ? lane.left : limit;
  const windows = Math.ceil(Math.max(0, count - open) / limit);
  const left = open + windows * limit - count;
  const endsAt = (isOpen ? lane.endsAt : at + window) + windows * window;
  const after = { limit, window, left, endsAt };
  if (windows === 0) return { lane: after, at, share: 1 };
  return { lane: after, at: endsAt - window, share: Math.min(1, (limit - left) / count) };
}

/** A window is cut short if it is shorter by more than this: resets are whole seconds. Milliseconds. */
const CUT_MS = 3000;

/**
 * Tells the windows of endpoints that have not answered from those that have. Where an answer said that a window without an
 * earlier request ends sooner than a whole one does, windows are those of the service's clock, and end together.
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
