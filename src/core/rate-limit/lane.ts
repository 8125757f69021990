import { ASSUMED_WINDOW_MS, knownWindow, ROUNDING_MS, UNKNOWN_BUDGET, type Budget } from './budget.ts';

/** The windows of one budget in an estimate. Times are monotonic milliseconds. */
export interface Lane {
  /** Requests per window. */
  readonly limit: number;
  /** Milliseconds between the starts of two windows. */
  readonly window: number;
  /** Requests left in the open window. */
  readonly left: number;
  /** End of the open window. null means that none is open. */
  readonly endsAt: number | null;
}

/** The time at which the last of some requests are sent. */
export interface Departure {
  readonly lane: Lane;
  readonly at: number;
  /** Share of the requests that are sent then. */
  readonly share: number;
}

interface AssumedWindow {
  readonly length: number;
  /** Time at which the open window is certainly over. null means that a window begins with its first request. */
  readonly endsAt: number | null;
}

/** Opens the lane of a budget. Limit and window are assumed if no answer has stated them. */
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

/** Sends as many requests at once as the open window allows, and the rest as the next windows open. */
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

/** A window counts as cut short if it is shorter by more than these milliseconds, because resets are whole seconds. */
const CUT_MS = 3000;

/**
 * Derives the windows of endpoints that have not answered from those that have. If an answer stated that a window without an
 * earlier request ends early, windows follow the service's clock and end together.
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
