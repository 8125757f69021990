/**
 * One rate-limit budget as plain arithmetic: what the service said of it, and when the next request may go.
 * Nothing here waits. `api/pacing.ts` runs it against the real service and a real clock; a forecast runs the very
 * same functions in virtual time:
 *
 *     let budget = budgets.get(endpoint) ?? assumedBudget(limit);
 *     at = whenMayNext(budget, now)      // a moment; at or before `now`: at once. 'after-answer': a request has to end first
 *     budget = spend(budget, at)         // the request goes out at that moment
 *     budget = recordEnd(budget, { status: 200, rate: null, sentAt: at }, at + duration)
 *
 * With no rates in its answers a budget counts by itself: `limit` requests a window, the window running from its
 * first request. All moments are monotonic milliseconds, except in `Rate`.
 * Sources: v4 "Limits" (headers, Retry-After); that they may be absent, wrong or of two limits: field notes.
 */
export interface Budget {
  /** Requests a window; null: not known. */
  readonly limit: number | null;
  /** Requests left, answers in flight not yet taken off; null: not known. */
  readonly remaining: number | null;
  /** Unix seconds of the current window's end by the server's clock; null: not known. */
  readonly reset: number | null;
  /** When the window is surely over; null: no window is open. */
  readonly refillAt: number | null;
  /** Whether an answer has come yet: before the first, one request at a time goes out as a probe. */
  readonly answered: boolean;
  /**
   * When the request left that opened the window, until it or a later one has ended: a sliding window gives back only what was
   * used so long ago, and its answer tells how much. null: none is waited for.
   */
  readonly openedAt: number | null;
  readonly inFlight: number;
  readonly window: WindowLength;
  /** The last window that is over: what answers that left before then say of it is no news. */
  readonly closed: { readonly reset: number | null; readonly at: number } | null;
}

/** What is known of the length of a window, in milliseconds; it is in no header. */
interface WindowLength {
  /** Least distance of two different resets; null: fewer than two were seen. */
  readonly step: number | null;
  /** Longest that a reset was ever ahead: a window is at least that long. */
  readonly ahead: number;
}

/** The rate-limit headers of one answer as numbers; null: absent or not a number. No value is trusted. */
export interface Rate {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Unix seconds. */
  readonly reset: number | null;
  /** Unix seconds by the server's clock (the `Date` header), else by ours. */
  readonly date: number;
  /** Seconds; only on a 429. A date has been turned into seconds. */
  readonly retryAfter: number | null;
}

/** How a request ended. `rate: null`: there was no answer, or it is counted without one. */
export interface EndedRequest {
  readonly status: number | null;
  readonly rate: Rate | null;
  /** The moment given to `spend`. */
  readonly sentAt: number;
}

/** A window's length until two resets were seen (v4: Limits are "per minute"). */
export const ASSUMED_WINDOW_MS = 60_000;
/** A longer wait ends the run instead. */
export const LONGEST_WAIT_MS = 15 * 60_000;
/** However absurd a wait is that a 429 asks for, after an hour it is tried again. */
const LONGEST_BLOCK_MS = 60 * 60_000;
const LEAST_WAIT_MS = 1000;
/** `reset` and `Date` are whole seconds: their difference may be short by nearly one. */
const ROUNDING_MS = 1000;
/** Windows are round numbers of seconds. */
const ROUND_MS = 5000;
/** A reset further ahead is a mistake, such as milliseconds. */
const LONGEST_READABLE_RESET_S = 86_400;
/** Services that compute the reset for each answer are off by one now and then. */
const RESET_JITTER_S = 1;

export const UNKNOWN_BUDGET: Budget = {
  limit: null,
  remaining: null,
  reset: null,
  refillAt: null,
  answered: false,
  openedAt: null,
  inFlight: 0,
  window: { step: null, ahead: 0 },
  closed: null,
};

/** A full budget of an endpoint that has not answered yet, for forecasts. */
export function assumedBudget(limit: number, windowMs: number = ASSUMED_WINDOW_MS): Budget {
  return { ...UNKNOWN_BUDGET, limit, remaining: limit, answered: true, window: { step: windowMs, ahead: 0 } };
}

/**
 * When the next request may go: a moment (now or earlier: at once), or `'after-answer'` when only an answer of
 * a request in flight can tell. `share` is the part of each window that may be used, at least one request and at most
 * all (1).
 */
export function whenMayNext(budget: Budget, now: number, share = 1): number | 'after-answer' {
  const current = refilled(budget, now);
  const { inFlight, remaining } = current;
  const otherwise = inFlight > 0 ? 'after-answer' : now;
  if (isProbing(current)) return otherwise;
  if (remaining === null) return current.refillAt ?? now;
  const left = remaining - keptBack(current, share);
  if (left - inFlight > 0) return now;
  // What is in flight may be counted in `remaining` already: its answer shows whether something is left.
  return left > 0 ? otherwise : (current.refillAt ?? otherwise);
}

/** Whether what may be sent is known only once the first answer has come, of all or of this window. */
function isProbing({ answered, openedAt }: Budget): boolean {
  return !answered || openedAt !== null;
}

/** One request goes out. */
export function spend(budget: Budget, now: number): Budget {
  const current = refilled(budget, now);
  const opens = current.limit !== null && current.refillAt === null;
  return {
    ...current,
    inFlight: current.inFlight + 1,
    openedAt: opens && current.closed !== null ? now : current.openedAt,
    refillAt: opens ? now + windowMs(current) + ROUNDING_MS : current.refillAt,
  };
}

/** One request has ended, with an answer or without. */
export function recordEnd(budget: Budget, request: EndedRequest, now: number): Budget {
  const { rate, status, sentAt } = request;
  const openedAt = budget.openedAt !== null && sentAt >= budget.openedAt ? null : budget.openedAt;
  const current = refilled({ ...budget, openedAt, inFlight: Math.max(0, budget.inFlight - 1) }, now);
  if (status === 429) return blocked(learn(current, request, now), rate, now);
  if (rate === null || count(rate.remaining) === null) return counted(current, status);
  return learn(current, request, now);
}

/**
 * Whether a 429 follows from this budget: nothing was known to be left in the current window, and its numbers are
 * those of this limit. Otherwise there is another limit beside it, of the whole account.
 */
export function explains429(budget: Budget, rate: Rate | null, now: number): boolean {
  const report = windowOf(rate, now);
  if (report !== null && report.remaining > 0) return false;
  const { limit, remaining, reset } = refilled(budget, now);
  if (report?.limit !== undefined && report.limit !== null && limit !== null && report.limit !== limit)
    return false;
  return reset === null || remaining === null || remaining <= 0;
}

/** Holds everything under this budget back for as long as a 429 asks. */
export function blocked(budget: Budget, rate: Rate | null, now: number): Budget {
  const remaining = budget.limit === null ? null : 0;
  const wait = Math.min(waitAfter429(rate), LONGEST_BLOCK_MS);
  return { ...budget, answered: true, remaining, refillAt: now + wait };
}

/** Milliseconds that a 429 asks to wait: Retry-After, else the reset, else a minute. Never under a second. */
export function waitAfter429(rate: Rate | null): number {
  const retryAfter = rate?.retryAfter ?? null;
  if (retryAfter !== null && retryAfter >= 0) return Math.max(LEAST_WAIT_MS, retryAfter * 1000);
  return (rate === null ? null : timeToReset(rate)) ?? ASSUMED_WINDOW_MS;
}

/**
 * The length of a window in milliseconds, once two resets were seen; else null. It lies between the longest that a reset was
 * ahead and the distance of two: where these are the same but for the rounding of either, it is the round number among them.
 */
export function knownWindow({ window: { step, ahead } }: Pick<Budget, 'window'>): number | null {
  if (step === null) return null;
  const round = Math.ceil(ahead / ROUND_MS) * ROUND_MS;
  return step - ahead <= 2 * ROUNDING_MS && round <= step ? round : Math.max(step, ahead);
}

/** The same, assumed where it is not known. */
export function windowMs(budget: Budget): number {
  return knownWindow(budget) ?? ASSUMED_WINDOW_MS;
}

function keptBack(budget: Budget, share: number): number {
  const limit = budget.limit ?? 0;
  return Math.min(Math.max(0, limit - 1), Math.floor(limit * (1 - share)));
}

/** The budget as it stands at `now`: full again once its window is over. */
function refilled(budget: Budget, now: number): Budget {
  if (budget.refillAt === null || now < budget.refillAt) return budget;
  const closed = { reset: budget.reset, at: budget.refillAt };
  return { ...budget, remaining: budget.limit, reset: null, refillAt: null, openedAt: null, closed };
}

/** An answer that says nothing of the budget: it still used one request. */
function counted(budget: Budget, status: number | null): Budget {
  const answered = budget.answered || status !== null;
  if (budget.remaining === null) return { ...budget, answered };
  return { ...budget, answered, remaining: Math.max(0, budget.remaining - 1) };
}

function learn(budget: Budget, { rate, sentAt }: EndedRequest, now: number): Budget {
  const report = windowOf(rate, now);
  if (report === null || isStale(budget, report, sentAt)) return { ...budget, answered: true };
  const known = {
    ...budget,
    answered: true,
    limit: limitOf(budget, report),
    window: observeWindow(budget, report),
  };
  const opened = { ...known, remaining: report.remaining, reset: report.reset, refillAt: report.refillAt };
  const left = budget.remaining ?? Infinity;
  switch (relationOf(budget, report)) {
    case 'new':
      return opened;
    case 'other':
      return report.remaining < left ? opened : known;
    case 'same': {
      // Answers overtake each other: within one window the least is the latest.
      const remaining = Math.min(left, report.remaining);
      return { ...known, remaining, reset: report.reset ?? budget.reset, refillAt: nearest(budget, report) };
    }
  }
}

function limitOf(budget: Budget, report: WindowReport): number {
  return Math.max(1, report.limit ?? budget.limit ?? report.remaining);
}

/** What one answer says of a window, its moments by our clock. */
interface WindowReport {
  readonly limit: number | null;
  readonly remaining: number;
  readonly reset: number | null;
  readonly date: number;
  readonly refillAt: number;
}

function windowOf(rate: Rate | null, now: number): WindowReport | null {
  const remaining = rate === null ? null : count(rate.remaining);
  if (rate === null || remaining === null) return null;
  const wait = timeToReset(rate);
  return {
    limit: count(rate.limit),
    remaining,
    reset: wait === null ? null : rate.reset,
    date: rate.date,
    refillAt: now + (wait ?? ASSUMED_WINDOW_MS),
  };
}

/** Whether an answer left before the last window was over, and speaks of that one. */
function isStale({ closed }: Budget, report: WindowReport, sentAt: number): boolean {
  if (closed === null || sentAt >= closed.at) return false;
  return report.reset === null || closed.reset === null || report.reset <= closed.reset + RESET_JITTER_S;
}

/**
 * Whether an answer speaks of the window that is known, of the one after it, or of another one beside it, as where
 * each concrete path is counted by itself: then whichever has less left counts.
 */
function relationOf(budget: Budget, report: WindowReport): 'same' | 'new' | 'other' {
  if (budget.refillAt === null) return 'new';
  if (budget.reset === null || report.reset === null) return 'same';
  if (Math.abs(report.reset - budget.reset) <= RESET_JITTER_S) return 'same';
  return report.reset > budget.reset && report.date >= budget.reset ? 'new' : 'other';
}

/** Each estimate is late by the rounding and the way of the answer: the least is the best. A stated reset wins. */
function nearest(budget: Budget, report: WindowReport): number {
  if (budget.refillAt === null || (budget.reset === null && report.reset !== null)) return report.refillAt;
  return report.reset === null ? budget.refillAt : Math.min(budget.refillAt, report.refillAt);
}

function observeWindow(budget: Budget, report: WindowReport): WindowLength {
  if (report.reset === null) return budget.window;
  const ahead = Math.max(budget.window.ahead, (report.reset - report.date) * 1000);
  const previous = budget.reset ?? budget.closed?.reset ?? report.reset;
  const step = (report.reset - previous) * 1000;
  if (step <= RESET_JITTER_S * 1000) return { ...budget.window, ahead };
  return { ahead, step: Math.min(budget.window.step ?? step, step) };
}

/** Milliseconds from the answer until its window is surely over; null when the reset is absent, past or absurd. */
function timeToReset(rate: Rate): number | null {
  if (rate.reset === null) return null;
  const ahead = rate.reset - rate.date;
  if (!Number.isFinite(ahead) || ahead < 0 || ahead > LONGEST_READABLE_RESET_S) return null;
  return Math.max(LEAST_WAIT_MS, ahead * 1000 + ROUNDING_MS);
}

/** A number of requests; null for what cannot be one. */
function count(value: number | null): number | null {
  if (value === null || !Number.isFinite(value) || value < 0) return null;
  return Math.floor(value);
}
