import type { Action, GuardFinding, Withheld } from './plan.ts';
import type { Problem, Source } from './manifest/problem.ts';
import type { Kind } from './kinds.ts';

export type Outcome = 'unchanged' | 'converged' | 'partial' | 'failed' | 'refused';

/** What a run did, item by item; plain data. */
export interface Report {
  readonly outcome: Outcome;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Milliseconds in between that a person took to answer. */
  readonly askedMs: number;
  /** Digest of the plan that was applied. */
  readonly plan: string;
  readonly applied: readonly AppliedItem[];
  readonly failed: readonly FailedItem[];
  readonly skipped: readonly SkippedItem[];
  readonly guards: readonly GuardFinding[];
  readonly withheld: readonly Withheld[];
  /** Errors of the manifest that only a read of the account showed; what they concern did not run. */
  readonly problems: readonly Problem[];
  readonly notKept: readonly NotKeptItem[];
  /** Facts worth knowing, such as `requires_new_mx_check`. */
  readonly notes: readonly string[];
  readonly requests: RequestTotals;
  /** Whether anything was written, or may have been: the outcome is `partial` then, not `failed`. */
  readonly wrote: boolean;
  /** Why the run ended before its plan did; null when it came to its end. */
  readonly stopped: Stop | null;
  /** What the history calls the run; null: nothing was written, and nothing is to be undone. */
  readonly run: string | null;
  /** Path of the manifest of what was there before the run; null means that nothing was to be written. */
  readonly snapshot: string | null;
  /** Flags that the undo of the run needs, for a shell; none, too, if that cannot be known. */
  readonly undoFlags: readonly string[];
}

/** What ends a run early: nothing that it has not sent yet is sent. */
export interface Stop {
  readonly kind:
    | 'unauthorised'
    | 'unreachable'
    | 'rate-limited'
    | 'redirect'
    | 'too-many-failures'
    | 'interrupted'
    | 'lock-lost'
    | 'no-history';
  readonly message: string;
}

/** How many items had each end. */
export type ItemCounts = Readonly<
  Record<'added' | 'updated' | 'moved' | 'deleted' | 'failed' | 'skipped' | 'notKept', number>
>;

export interface RequestTotals {
  readonly total: number;
  readonly retried: number;
  readonly rateLimited: number;
  readonly waitedSeconds: number;
}

/** Names a change without its values. */
export interface ChangeName {
  readonly action: Action;
  readonly kind: Kind;
  readonly domain: string;
  readonly name: string;
}

export function changeName({ action, kind, domain, name }: ChangeName): ChangeName {
  return { action, kind, domain, name };
}

export interface AppliedItem extends ChangeName {
  readonly id: string | null;
}

export interface FailedItem extends ChangeName {
  readonly source: Source | null;
  readonly endpoint: string;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Position in the batch that was sent; null for a single request. */
  readonly index: number | null;
  readonly message: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export interface SkippedItem extends ChangeName {
  readonly source: Source | null;
  readonly reason: string;
}

export interface NotKeptItem extends ChangeName {
  readonly source: Source | null;
  readonly message: string;
}
