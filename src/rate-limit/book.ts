import {
  blocked,
  explains429,
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
  /** As `createBudgetBook` takes them: with that of the whole account. */
  known(): ReadonlyMap<string, Budget>;
}

/** In place of an endpoint. */
const WHOLE_ACCOUNT = '*';

export function createBudgetBook(known: ReadonlyMap<string, Budget> = new Map()): BudgetBook {
  const budgets = new Map(known);
  /** null: no limit of the whole account has shown itself. */
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
      if (account !== null) account = spend(account, now);
    },
    ended(endpoint, request, now) {
      const before = budgetOf(endpoint);
      const { status, rate, sentAt } = request;
      budgets.set(endpoint, recordEnd(before, request, now));
      account = accountAfterAnswer(account, request, now);
      if (status === 429 && !explains429(before, rate, now))
        account = accountAfter429(account, rate, sentAt, now);
    },
    budgets: () => budgets,
    known: () => (account === null ? budgets : new Map(budgets).set(WHOLE_ACCOUNT, account)),
  };
}

/** No answer states the account's budget: it counts what is sent. */
function accountAfterAnswer(
  account: Budget | null,
  { rate, sentAt }: EndedRequest,
  now: number,
): Budget | null {
  if (account === null || !stillStands(account, rate, now)) return null;
  return recordEnd(account, { status: null, rate: null, sentAt }, now);
}

/** Its size is known only where the 429 states the limit that is used up; otherwise it is a pause for everything. */
function accountAfter429(account: Budget | null, rate: Rate | null, sentAt: number, now: number): Budget {
  const known = account ?? recordEnd(spend(UNKNOWN_BUDGET, sentAt), { status: 429, rate: null, sentAt }, now);
  const limit = rate?.remaining === 0 && rate.limit !== null && rate.limit > 0 ? rate.limit : null;
  return blocked({ ...known, limit: limit ?? known.limit }, rate, now);
}

/**
 * A mere pause ends by itself. A limit ends when an answer with the same limit has more left than the account can
 * have: then it was the endpoint's after all, used up by somebody else.
 */
function stillStands(account: Budget, rate: Rate | null, now: number): boolean {
  const isOver = account.refillAt === null || account.refillAt <= now;
  if (account.limit === null) return !isOver;
  if (isOver || rate?.limit !== account.limit || rate.remaining === null) return true;
  return rate.remaining <= (account.remaining ?? account.limit);
}
