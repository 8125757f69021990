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

/** The budgets of one account: one an endpoint, and one of the whole account once a 429 has shown that there is one. */
export interface BudgetBook {
  /** When the next request may go; see `whenMayNext`. */
  nextMoment(endpoint: string, now: number, share: number): number | 'after-answer';
  sent(endpoint: string, now: number): void;
  ended(endpoint: string, request: EndedRequest, now: number): void;
  /** Live: changes with every request. */
  budgets(): ReadonlyMap<string, Budget>;
  /** A copy, as `createBudgetBook` takes them: with that of the whole account. */
  known(): ReadonlyMap<string, Budget>;
}

/** In place of an endpoint. */
const WHOLE_ACCOUNT = '*';

/** `unknown` is the budget of an endpoint that is not among the known ones. */
export function createBudgetBook(
  known: ReadonlyMap<string, Budget> = new Map(),
  unknown: Budget = UNKNOWN_BUDGET,
): BudgetBook {
  const budgets = new Map(known);
  /** null: no limit of the whole account has shown itself. */
  let account = known.get(WHOLE_ACCOUNT) ?? null;
  budgets.delete(WHOLE_ACCOUNT);
  const budgetOf = (endpoint: string): Budget => budgets.get(endpoint) ?? unknown;
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

/** Counts what is sent; an answer with the account's limit states its budget. */
function accountAfterAnswer(account: Budget | null, request: EndedRequest, now: number): Budget | null {
  const { rate, sentAt } = request;
  if (account === null || !stillStands(account, rate, now)) return null;
  const isStated = account.limit !== null && rate?.limit === account.limit;
  return recordEnd(account, isStated ? request : { status: null, rate: null, sentAt }, now);
}

/** Its size is known only where the 429 states the limit that is used up; otherwise it is a pause for everything. */
function accountAfter429(account: Budget | null, { rate, sentAt }: EndedRequest, now: number): Budget {
  const stated = rate?.remaining === 0 && rate.limit !== null && rate.limit > 0 ? rate : null;
  const spent = spend(account ?? UNKNOWN_BUDGET, sentAt);
  return blocked(recordEnd(spent, { status: 429, rate: stated, sentAt }, now), rate, now);
}

/** Takes the windows of the account to be as long as the longest of its endpoints, where they are not known. */
function withLikelyWindow(account: Budget, endpoints: Iterable<Budget>): Budget {
  if (knownWindow(account) !== null) return account;
  const step = Math.max(0, ...Iterator.from(endpoints).map((budget) => knownWindow(budget) ?? 0));
  return step === 0 ? account : { ...account, window: { ...account.window, step } };
}

/**
 * A mere pause ends by itself. A limit ends when an answer with the same limit has more left than the account can
 * have: then it was the endpoint's after all, used up by somebody else. Answers that overtake each other show as much more as
 * is in flight.
 */
function stillStands(account: Budget, rate: Rate | null, now: number): boolean {
  const isOver = account.refillAt === null || account.refillAt <= now;
  if (account.limit === null) return !isOver;
  if (isOver || rate?.limit !== account.limit || rate.remaining === null) return true;
  return rate.remaining <= (account.remaining ?? account.limit) + account.inFlight;
}
