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
  /** Requests that wait for what others leave of a window. */
  readonly behind: number;
}

/** The moment at which the last of some requests leaves. */
export interface Departure {
  readonly lane: Lane;
  readonly at: number;
  /** The share of the requests that leaves in the last window. */
  readonly share: number;
}

/** Assumptions about a budget of which no answer has told. */
export interface Assumed {
  readonly limit: number;
  readonly window: AssumedWindow;
}

interface AssumedWindow {
  readonly length: number;
  /** When the open window is surely over; null means that a window begins with its first request. */
  readonly endsAt: number | null;
}

export function openLane(budget: Budget = UNKNOWN_BUDGET, { limit, window }: Assumed): Lane {
  const isUnknown = budget.limit === null && budget.refillAt === null;
  const length = knownWindow(budget) ?? window.length;
  const lane = { limit: budget.limit ?? limit, window: length + ROUNDING_MS, behind: 0 };
  if (isUnknown) return { ...lane, left: limit, endsAt: window.endsAt };
  const left = budget.remaining ?? (budget.refillAt === null ? lane.limit : 0);
  return { ...lane, left, endsAt: budget.refillAt };
}

/** Sends requests at once as far as the open window holds them, and the rest as the next windows open. */
export function depart(before: Lane, count: number, at: number): Departure {
  if (count === 0) return { lane: before, at, share: 1 };
  const { limit, window, ...open } = refill(before, at);
  const windows = Math.ceil(Math.max(0, count - open.left) / limit);
  const left = open.left + windows * limit - count;
  const endsAt = (open.endsAt ?? at + window) + windows * window;
  const lane = { ...open, limit, window, left, endsAt };
  if (windows === 0) return { lane, at, share: 1 };
  return { lane, at: endsAt - window, share: Math.min(1, (limit - left) / count) };
}

/** Adds requests that others go before. */
export function leaveBehind(before: Lane, count: number, at: number): Lane {
  const lane = refill(before, at);
  return { ...lane, endsAt: lane.endsAt ?? at + lane.window, behind: lane.behind + count };
}

/** Sends what was left behind, as far as the open window holds it. */
export function catchUp(before: Lane, at: number): Lane {
  const lane = refill(before, at);
  const sent = Math.min(lane.behind, lane.left);
  const { lane: after } = depart(lane, sent, at);
  return { ...after, behind: lane.behind - sent };
}

/** Closes a window that is over. What it had left, and whole windows since, went to what was left behind. */
function refill(lane: Lane, at: number): Lane {
  const { endsAt, limit, window, left } = lane;
  if (endsAt === null || at < endsAt) return lane;
  const unused = left + limit * Math.floor((at - endsAt) / window);
  return { ...lane, left: limit, endsAt: null, behind: Math.max(0, lane.behind - unused) };
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
