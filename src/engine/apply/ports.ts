import type { References } from '../../core/model/destinations.ts';
import type { Client } from '../../client/client.ts';
import type { Objection } from '../../client/http/pacing.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { Commit, RunOrigin } from '../../core/model/history/entries.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Observed } from '../../core/model/observed.ts';
import type { Change, Plan } from '../../core/model/plan.ts';
import type { ManifestSize, Prior } from '../../core/model/prior.ts';
import type { RequestTotals, SkippedItem } from '../../core/model/report.ts';
import type { BatchSupport, StageRequests } from '../../core/plan/requests/requests.ts';
import type { Policy } from '../../core/plan/policy.ts';
import type { ResolvePassword } from './send/passwords.ts';
import type { StateStore } from '../state/store.ts';

/** A plan and everything that it was made from. */
export interface ApplyInput {
  /** The plan to apply. */
  readonly plan: Plan;
  /** Requests of the first round. */
  readonly requests: readonly StageRequests[];
  /** Digest of the plan, `sha256:…`, for the report. */
  readonly digest: string;
  /** Planned changes that are kept from running. The run does not pick them up later either. */
  readonly heldBack: readonly Change[];
  /** The manifest, or the domains of it that the run covers. */
  readonly desired: Desired;
  /** Desired state of each of its domains as one short text. */
  readonly domainDigests: ReadonlyMap<DomainName, string>;
  /** Values to show as references; see `Planned`. */
  readonly references: References;
  /** Size of the whole manifest. */
  readonly manifestSize: ManifestSize;
  readonly observed: Observed;
  readonly policy: Policy;
  readonly prior: Prior;
  /**
   * The handling of changes, other than deletes, that come up during the run. `left` leaves them to the next plan,
   * because only the approved changes may run. Default: `taken-up`.
   */
  readonly newcomers?: 'taken-up' | 'left' | undefined;
  /** Items that the run must leave unchanged, reported as skipped. */
  readonly leftAlone?: readonly SkippedItem[] | undefined;
  /** Facts for the report. */
  readonly notes?: readonly string[] | undefined;
  /** Number of failed items after which the run stops. null means 25, or 5 % of all items if that is more. */
  readonly maxFailures: number | null;
  /** Start of the run in epoch milliseconds. The read before the plan is part of the run. */
  readonly startedAt: number;
  /**
   * Time that a person took to approve the run, in milliseconds. It does not count as time of the run. Default: 0.
   */
  readonly askedMs?: number | undefined;
  /** The person or program that started the run, for the history. */
  readonly origin: RunOrigin;
  /** Totals of the client when the run began. A client that lives for months has served other runs. */
  readonly totalsBefore: RequestTotals;
}

export interface ApplyPorts {
  readonly client: Client;
  readonly state: StateStore;
  readonly clock: Clock;
  /** Once aborted, no new request is sent. Requests in flight may finish. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly resolvePassword: ResolvePassword;
  /** Returns why a domain must stay; null means that it may be deleted. Called right before the delete. */
  readonly whyKeepDomain?: ((domain: DomainName) => Promise<string | null>) | undefined;
  /**
   * Returns the commit checked out in the manifest's repository, for the history. Called once, and only by a run that
   * writes.
   */
  readonly readCommit?: (() => Promise<Commit | null>) | undefined;
  /** Returns why this run must not write any more. Called before each write to the account or to memory. */
  readonly objection?: Objection | undefined;
}

export type Progress =
  | { readonly kind: 'items'; readonly done: number; readonly total: number }
  /** Batches that create, or those by id, were refused. The rest of these items are sent one by one. */
  | {
      readonly kind: 'batches-refused';
      readonly which: 'creates' | 'by-id';
      /** Everything known so far about batches. */
      readonly support: BatchSupport;
    }
  /** The account is being read again; `round` counts from 1. */
  | { readonly kind: 'verifying'; readonly round: number };
