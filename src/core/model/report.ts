import type { Action, GuardFinding, Withheld } from './plan.ts';
import type { Problem, Source } from './manifest/problem.ts';
import type { Kind } from './kinds.ts';

export type Outcome = 'unchanged' | 'converged' | 'partial' | 'failed' | 'refused';

/** The result of a run, item by item; plain data. */
export interface Report {
  readonly outcome: Outcome;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Milliseconds of that time that a person took to answer. */
  readonly askedMs: number;
  /** Digest of the plan that was applied. */
  readonly plan: string;
  readonly applied: readonly AppliedItem[];
  readonly failed: readonly FailedItem[];
  readonly skipped: readonly SkippedItem[];
  readonly guards: readonly GuardFinding[];
  readonly withheld: readonly Withheld[];
  /** Manifest errors that only a read of the account showed. The affected changes did not run. */
  readonly problems: readonly Problem[];
  readonly notKept: readonly NotKeptItem[];
  /** Facts worth knowing, such as `requires_new_mx_check`. */
  readonly notes: readonly string[];
  readonly requests: RequestTotals;
  /** True if anything was written, or may have been. The outcome is then `partial`, not `failed`. */
  readonly wrote: boolean;
  /** The reason why the run ended early; null if it was completed. */
  readonly stopped: Stop | null;
  /** The run's id in the history; null means that nothing was written and nothing can be undone. */
  readonly run: string | null;
  /** Path of the snapshot, a manifest of the state before the run; null means that there was nothing to write. */
  readonly snapshot: string | null;
  /** Flags that the undo of the run needs, for a shell; also empty if they cannot be known. */
  readonly undoFlags: readonly string[];
}

/** The reason why a run ends early. It sends nothing more. */
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

/** Number of items per outcome. */
export type ItemCounts = Readonly<
  Record<'added' | 'updated' | 'moved' | 'deleted' | 'failed' | 'skipped' | 'notKept', number>
>;

export interface RequestTotals {
  readonly total: number;
  readonly retried: number;
  readonly rateLimited: number;
  readonly waitedSeconds: number;
}

/** The name of a change, without its values. */
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
  /** HTTP status; null if there was no answer. */
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
