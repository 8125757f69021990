import {
  blocked,
  explains429,
  knownWindow,
  recordEnd,
  spend,
  UNKNOWN_BUDGET,
  whenMayNext,
  type Budget,
  type Rate,
  type EndedRequest,
} from './budget.ts';

/** The budgets of one account: one per endpoint, and one for the whole account after a 429 has revealed it. */
export interface BudgetBook {
  /** Returns the time at which the next request may be sent; see `whenMayNext`. */
  nextMoment(endpoint: string, now: number, share: number): number | 'after-answer';
  sent(endpoint: string, now: number): void;
  ended(endpoint: string, request: EndedRequest, now: number): void;
  /** Returns the live budgets, which change with each request. */
  budgets(): ReadonlyMap<string, Budget>;
  /** Returns a copy for `createBudgetBook`, including the whole account's budget. */
  known(): ReadonlyMap<string, Budget>;
}

/** Name of the whole account's budget, in place of an endpoint. */
export const WHOLE_ACCOUNT = '*';

export function createBudgetBook(known: ReadonlyMap<string, Budget> = new Map()): BudgetBook {
  const budgets = new Map(known);
  /** Budget of the whole account. null means that no account limit has been seen. */
  let account = known.get(WHOLE_ACCOUNT) ?? null;
  budgets.delete(WHOLE_ACCOUNT);
  const budgetOf = (endpoint: string): Budget => budgets.get(endpoint) ?? UNKNOWN_BUDGET;
  return {
    nextMoment(endpoint, now, share) {
      const own = whenMayNext(budgetOf(endpoint), now, share);
      const whole = account === null ? now : whenMayNext(account, now, share);
      if (own === 'after-answer' || whole === 'after-answer') return 'after-answer';
      return Math.max(own, whole);
    },
    sent(endpoint, now) {
      budgets.set(endpoint, spend(budgetOf(endpoint), now));
      if (account !== null) account = spend(withLikelyWindow(account, budgets.values()), now);
    },
    ended(endpoint, request, now) {
      const before = budgetOf(endpoint);
      budgets.set(endpoint, recordEnd(before, request, now));
      account = accountAfterAnswer(account, request, now);
      if (request.status === 429 && !explains429(before, request.rate, now))
        account = accountAfter429(account, request, now);
    },
    budgets: () => budgets,
    known: () => new Map(account === null ? budgets : [...budgets, [WHOLE_ACCOUNT, account]]),
  };
}

/** Counts a request. If the answer states the account's limit, its numbers are used. */
function accountAfterAnswer(account: Budget | null, request: EndedRequest, now: number): Budget | null {
  const { rate, sentAt } = request;
  if (account === null || !stillStands(account, rate, now)) return null;
  const isStated = account.limit !== null && rate?.limit === account.limit;
  return recordEnd(account, isStated ? request : { status: null, rate: null, sentAt }, now);
}

/**
 * Updates the account's budget after a 429. Its limit is known only if the 429 states the limit that is used up. Otherwise
 * all requests pause.
 */
function accountAfter429(account: Budget | null, { rate, sentAt }: EndedRequest, now: number): Budget {
  const stated = rate?.remaining === 0 && rate.limit !== null && rate.limit > 0 ? rate : null;
  const spent = spend(account ?? UNKNOWN_BUDGET, sentAt);
  return blocked(recordEnd(spent, { status: 429, rate: stated, sentAt }, now), rate, now);
}

/** Assumes that the account's window is as long as the longest known window of its endpoints, unless its own is known. */
function withLikelyWindow(account: Budget, endpoints: Iterable<Budget>): Budget {
  if (knownWindow(account) !== null) return account;
  const step = Math.max(0, ...Iterator.from(endpoints).map((budget) => knownWindow(budget) ?? 0));
  return step === 0 ? account : { ...account, window: { ...account.window, step } };
}

/**
 * True if the account's limit still applies. A pause ends by itself. A limit ends if an answer with the same limit has more
 * left than the account can have: it was the endpoint's limit, used up by another client. Answers that arrive out of order
 * may show as much more as is in flight.
 */
function stillStands(account: Budget, rate: Rate | null, now: number): boolean {
  const isOver = account.refillAt === null || account.refillAt <= now;
  if (account.limit === null) return !isOver;
  if (isOver || rate?.limit !== account.limit || rate.remaining === null) return true;
  return rate.remaining <= (account.remaining ?? account.limit) + account.inFlight;
}
