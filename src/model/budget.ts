/**
 * One rate-limit budget: what is known of an endpoint's window, as pure arithmetic (v4: Limits).
 * The client runs it in real time, the forecast in virtual time. Times are milliseconds of one monotonic clock.
 */
export interface Budget {
  /** Requests a window holds; null until an answer said so. */
  readonly limit: number | null;
  /** The least `Remaining` of the current window; null when unknown. */
  readonly remaining: number | null;
  /** When the window ends; null when unknown. */
  readonly resetAt: number | null;
  /** Sent and not yet answered. */
  readonly inFlight: number;
  /** Nothing may be sent before; set by a 429. */
  readonly blockedUntil: number;
  /** Whether any answer was seen: before the first one there is a single probe. */
  readonly probed: boolean;
}

/** What an answer's headers say; null where absent or absurd. */
export interface BudgetHeaders {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Milliseconds from now until the window resets, by the server's own clock. */
  readonly resetIn: number | null;
}

/** Until two resets were seen a window is taken to last a minute. */
export const DEFAULT_WINDOW_MS = 60_000;
/** The headers are whole seconds, so a reset may be up to a second later than it says. */
const RESET_MARGIN_MS = 1_000;
const SAME_RESET_MS = 1_500;

export const UNKNOWN_BUDGET: Budget = {
  limit: null,
  remaining: null,
  resetAt: null,
  inFlight: 0,
  blockedUntil: 0,
  probed: false,
};

/** Milliseconds until the next request may go; `answer`: not before an answer has come. */
export function waitBeforeNext(budget: Budget, now: number): number | 'answer' {
  if (now < budget.blockedUntil) return budget.blockedUntil - now;
  if (!budget.probed) return budget.inFlight === 0 ? 0 : 'answer';
  const current = refresh(budget, now);
  if (current.remaining === null || current.remaining > current.inFlight) return 0;
  if (current.resetAt === null) return current.inFlight === 0 ? 0 : 'answer';
  return Math.max(1, current.resetAt - now);
}

export function requestSent(budget: Budget, now: number): Budget {
  const current = refresh(budget, now);
  return { ...current, inFlight: current.inFlight + 1 };
}

/** Takes in an answer, or with null headers the failure to get one. */
export function answerCame(budget: Budget, headers: BudgetHeaders | null, now: number): Budget {
  const current = refresh(budget, now);
  const inFlight = Math.max(0, current.inFlight - 1);
  if (headers === null || headers.remaining === null) {
    const remaining = current.remaining === null ? null : Math.max(0, current.remaining - 1);
    return { ...current, inFlight, remaining, probed: true };
  }
  const resetAt = headers.resetIn === null ? null : now + headers.resetIn + RESET_MARGIN_MS;
  const sameWindow =
    current.resetAt !== null && resetAt !== null && Math.abs(current.resetAt - resetAt) < SAME_RESET_MS;
  // Answers may come out of order: within one window the least Remaining counts.
  const remaining =
    sameWindow && current.remaining !== null
      ? Math.min(current.remaining, headers.remaining)
      : headers.remaining;
  return { ...current, limit: headers.limit ?? current.limit, remaining, resetAt, inFlight, probed: true };
}

/** A 429: nothing more before the wait is over. */
export function refusedFor(budget: Budget, milliseconds: number, now: number): Budget {
  return {
    ...budget,
    blockedUntil: Math.max(budget.blockedUntil, now + milliseconds),
    remaining: null,
    resetAt: null,
  };
}

function refresh(budget: Budget, now: number): Budget {
  if (budget.resetAt === null || now < budget.resetAt) return budget;
  return { ...budget, remaining: budget.limit, resetAt: null };
}
