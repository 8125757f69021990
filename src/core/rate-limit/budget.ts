/**
 * One rate-limit budget as plain arithmetic: what the service stated, and when the next request may be sent.
 * Nothing here waits; `client/http/pacing.ts` runs it with a clock:
 *
 *     at = whenMayNext(budget, now)      // a time; at or before `now` means at once. 'after-answer': a request has to end first
 *     budget = spend(budget, at)         // the request is sent at that time
 *     budget = recordEnd(budget, { status: 200, rate, sentAt: at }, at + duration)
 *
 * If answers state no rates, the budget counts by itself: `limit` requests per window, which begins with its first
 * request. All times are monotonic milliseconds, except in `Rate`.
 * Sources: v4 "Limits" (headers, Retry-After). Field notes: headers may be missing, wrong or of two limits.
 */
export interface Budget {
  /** Requests per window. null means unknown. */
  readonly limit: number | null;
  /** Requests left; answers in flight are not subtracted yet. null means unknown. */
  readonly remaining: number | null;
  /** End of the current window as Unix seconds of the server's clock. null means unknown. */
  readonly reset: number | null;
  /** Time at which the window is certainly over. null means that no window is open. */
  readonly refillAt: number | null;
  /** True once an answer has come. Until then, one request at a time is sent as a probe. */
  readonly answered: boolean;
  /**
   * Send time of the request that opened the window, until it or a later one has ended. A sliding window returns only what
   * was used a full window ago, and this answer shows how much. null means that no such answer is awaited.
   */
  readonly openedAt: number | null;
  readonly inFlight: number;
  readonly window: WindowLength;
  /** The last window that is over. Answers to requests sent before its end cannot update the current window. */
  readonly closed: { readonly reset: number | null; readonly at: number } | null;
}

/** Known facts about the length of a window, in milliseconds. No header states it. */
interface WindowLength {
  /** Smallest difference between two resets. null means that fewer than two were seen. */
  readonly step: number | null;
  /** Longest time that a reset was ahead. A window is at least that long. */
  readonly ahead: number;
}

/** The rate-limit headers of one answer as numbers. null means absent or not a number. No value is trusted. */
export interface Rate {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** End of the window in Unix seconds. */
  readonly reset: number | null;
  /** Time of the answer in Unix seconds, by the server's clock (the `Date` header) or else ours. */
  readonly date: number;
  /** Wait in seconds, only on a 429. A date has been converted to seconds. */
  readonly retryAfter: number | null;
}

/** The end of a request. `rate` is null if there was no answer, or if the answer must not be used. */
export interface EndedRequest {
  readonly status: number | null;
  readonly rate: Rate | null;
  /** The time passed to `spend`. */
  readonly sentAt: number;
}

/** Assumed length of a window until two resets were seen (v4: Limits are "per minute"). */
export const ASSUMED_WINDOW_MS = 60_000;
/** A longer wait ends the run. */
export const LONGEST_WAIT_MS = 15 * 60_000;
/** Longest pause after a 429, even if it asks for more. Then requests are tried again. */
const LONGEST_BLOCK_MS = 60 * 60_000;
const LEAST_WAIT_MS = 1000;
/** `reset` and `Date` are whole seconds, so their difference may be too short by nearly a second. */
export const ROUNDING_MS = 1000;
/** Windows are round numbers of seconds. */
const ROUND_MS = 5000;
/** A reset further ahead is taken for a mistake, such as milliseconds. */
const LONGEST_READABLE_RESET_S = 86_400;
/** Services that compute the reset for each answer are sometimes off by one. */
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

/**
 * Returns the time at which the next request may be sent; a time at or before `now` means at once. Returns `'after-answer'`
 * if only the answer to a request in flight can tell. `share` is the part of each window that may be used: at least one
 * request, and at most all (1).
 */
export function whenMayNext(budget: Budget, now: number, share = 1): number | 'after-answer' {
  const current = refilled(budget, now);
  const { inFlight, remaining } = current;
  const otherwise = inFlight > 0 ? 'after-answer' : now;
  if (isProbing(current)) return otherwise;
  if (remaining === null) return current.refillAt ?? now;
  const left = remaining - keptBack(current, share);
  if (left - inFlight > 0) return now;
  // Requests in flight may already be counted in `remaining`. Their answers show if any are left.
  return left > 0 ? otherwise : (current.refillAt ?? otherwise);
}

/** True if only the first answer, ever or of this window, shows how many requests may be sent. */
function isProbing({ answered, openedAt }: Budget): boolean {
  return !answered || openedAt !== null;
}

/** Counts a request that is sent. */
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

/** Counts a request that has ended, with or without an answer. */
export function recordEnd(budget: Budget, request: EndedRequest, now: number): Budget {
  const { rate, status, sentAt } = request;
  const openedAt = budget.openedAt !== null && sentAt >= budget.openedAt ? null : budget.openedAt;
  const current = refilled({ ...budget, openedAt, inFlight: Math.max(0, budget.inFlight - 1) }, now);
  if (status === 429) return blocked(learn(current, request, now), rate, now);
  if (rate === null || count(rate.remaining) === null) return counted(current, status);
  return learn(current, request, now);
}

/**
 * True if this budget explains a 429: nothing was known to be left in the current window, and the numbers belong to this
 * limit. Otherwise there is a second limit, for the whole account.
 */
export function explains429(budget: Budget, rate: Rate | null, now: number): boolean {
  const report = windowOf(rate, now);
  if (report !== null && report.remaining > 0) return false;
  const { limit, remaining, reset } = refilled(budget, now);
  if (report?.limit !== undefined && report.limit !== null && limit !== null && report.limit !== limit)
    return false;
  return reset === null || remaining === null || remaining <= 0;
}

/** Pauses everything under this budget for as long as a 429 asks. */
export function blocked(budget: Budget, rate: Rate | null, now: number): Budget {
  const remaining = budget.limit === null ? null : 0;
  const wait = Math.min(waitAfter429(rate), LONGEST_BLOCK_MS);
  return { ...budget, answered: true, remaining, refillAt: now + wait };
}

/** Returns the milliseconds that a 429 asks to wait: Retry-After, else the reset, else a minute. The minimum is a second. */
export function waitAfter429(rate: Rate | null): number {
  const retryAfter = rate?.retryAfter ?? null;
  if (retryAfter !== null && retryAfter >= 0) return Math.max(LEAST_WAIT_MS, retryAfter * 1000);
  return (rate === null ? null : timeToReset(rate)) ?? ASSUMED_WINDOW_MS;
}

/**
 * Returns the length of a window in milliseconds, or null until two resets were seen. It lies between the longest time that
 * a reset was ahead and the distance of two resets. If these differ only by rounding, it is the round number between them.
 */
export function knownWindow({ window: { step, ahead } }: Pick<Budget, 'window'>): number | null {
  if (step === null) return null;
  const round = Math.ceil(ahead / ROUND_MS) * ROUND_MS;
  return step - ahead <= 2 * ROUNDING_MS && round <= step ? round : Math.max(step, ahead);
}

/** Returns the length of a window in milliseconds, or the assumed length if it is unknown. */
export function windowMs(budget: Budget): number {
  return knownWindow(budget) ?? ASSUMED_WINDOW_MS;
}

function keptBack(budget: Budget, share: number): number {
  const limit = budget.limit ?? 0;
  return Math.min(Math.max(0, limit - 1), Math.floor(limit * (1 - share)));
}

/** Returns the budget at `now`. It is full again once its window is over. */
function refilled(budget: Budget, now: number): Budget {
  if (budget.refillAt === null || now < budget.refillAt) return budget;
  const closed = { reset: budget.reset, at: budget.refillAt };
  return { ...budget, remaining: budget.limit, reset: null, refillAt: null, openedAt: null, closed };
}

/** Counts one request whose answer says nothing about the budget. */
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
      // Answers may arrive out of order. Within one window, the smallest number is the latest.
      const remaining = Math.min(left, report.remaining);
      return { ...known, remaining, reset: report.reset ?? budget.reset, refillAt: nearest(budget, report) };
    }
  }
}

function limitOf(budget: Budget, report: WindowReport): number {
  return Math.max(1, report.limit ?? budget.limit ?? report.remaining);
}

/** Facts about a window from one answer, with times of our clock. */
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

/** True if the request was sent before the last window ended, and its answer describes that window. */
function isStale({ closed }: Budget, report: WindowReport, sentAt: number): boolean {
  if (closed === null || sentAt >= closed.at) return false;
  return report.reset === null || closed.reset === null || report.reset <= closed.reset + RESET_JITTER_S;
}

/**
 * Returns how an answer's window relates to the known one: the same, the next, or another one beside it. Another one appears
 * if the service counts each concrete path separately; then the one with less left applies.
 */
function relationOf(budget: Budget, report: WindowReport): 'same' | 'new' | 'other' {
  if (budget.refillAt === null) return 'new';
  if (budget.reset === null || report.reset === null) return 'same';
  if (Math.abs(report.reset - budget.reset) <= RESET_JITTER_S) return 'same';
  return report.reset > budget.reset && report.date >= budget.reset ? 'new' : 'other';
}

/**
 * Returns the best estimate of the window's end. Each estimate is late by rounding and by the answer's travel time, so the
 * smallest is best. A stated reset takes precedence.
 */
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

/**
 * Returns the milliseconds from the answer until its window is certainly over, or null if the reset is absent, past or
 * absurd.
 */
function timeToReset(rate: Rate): number | null {
  if (rate.reset === null) return null;
  const ahead = rate.reset - rate.date;
  if (!Number.isFinite(ahead) || ahead < 0 || ahead > LONGEST_READABLE_RESET_S) return null;
  return Math.max(LEAST_WAIT_MS, ahead * 1000 + ROUNDING_MS);
}

/** Returns a number of requests, or null if the value cannot be one. */
function count(value: number | null): number | null {
  if (value === null || !Number.isFinite(value) || value < 0) return null;
  return Math.floor(value);
}
