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

/** One plan and all that it was made from. */
export interface ApplyInput {
  /** What is applied. */
  readonly plan: Plan;
  /** Of the plan: what the first round sends. */
  readonly requests: readonly StageRequests[];
  /** Of the plan, `sha256:…`; for the report. */
  readonly digest: string;
  /** Changes that the plan would have had and that are kept from running; they are not taken up later either. */
  readonly heldBack: readonly Change[];
  /** The manifest, or the domains of it that the run is about. */
  readonly desired: Desired;
  /** What is desired of each of its domains, as one short text. */
  readonly domainDigests: ReadonlyMap<DomainName, string>;
  /** What is shown as a reference; see `Planned`. */
  readonly references: References;
  /** Size of the whole manifest. */
  readonly manifestSize: ManifestSize;
  readonly observed: Observed;
  readonly policy: Policy;
  readonly prior: Prior;
  /**
   * What comes up during the run beside the plan, deletes aside: taken up, or left to the next plan because what runs was
   * approved as it was. Default: taken up.
   */
  readonly newcomers?: 'taken-up' | 'left' | undefined;
  /** What the run is about and is not to change; reported as skipped. */
  readonly leftAlone?: readonly SkippedItem[] | undefined;
  /** Facts worth knowing, for the report. */
  readonly notes?: readonly string[] | undefined;
  /** So many failed items end the run; null: 25 or 5 % of the items, the larger. */
  readonly maxFailures: number | null;
  /** Epoch milliseconds; the read before the plan is part of the run. */
  readonly startedAt: number;
  /** Time that a person took to approve it, milliseconds; it does not count as time of the run. Default: 0. */
  readonly askedMs?: number | undefined;
  /** Who runs it, for the history. */
  readonly origin: RunOrigin;
  /** Of the client when the run began: one that lives for months has served other runs. */
  readonly totalsBefore: RequestTotals;
}

export interface ApplyPorts {
  readonly client: Client;
  readonly state: StateStore;
  readonly clock: Clock;
  /** Aborted: no new request; what is in flight may finish. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly resolvePassword: ResolvePassword;
  /** Asked right before a domain is deleted: null, or why it must stay. */
  readonly whyKeepDomain?: ((domain: DomainName) => Promise<string | null>) | undefined;
  /** What is checked out in the repository of the manifest, for the history; asked once, and only by a run that writes. */
  readonly readCommit?: (() => Promise<Commit | null>) | undefined;
  /** Asked before each write, to the account or to memory: why this run must not write any more. */
  readonly objection?: Objection | undefined;
}

export type Progress =
  | { readonly kind: 'items'; readonly done: number; readonly total: number }
  /** Batches that create, or those by id, were refused: what is left of these goes one by one. */
  | {
      readonly kind: 'batches-refused';
      readonly which: 'creates' | 'by-id';
      /** All that is known by now. */
      readonly support: BatchSupport;
    }
  /** The account is read again; `round` counts from 1. */
  | { readonly kind: 'verifying'; readonly round: number };
