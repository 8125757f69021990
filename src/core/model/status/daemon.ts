import type { DesiredApi } from '../desired.ts';
import type { LiveEngine } from '../observed.ts';
import type { SectionTypes } from '../kinds.ts';
import type { References } from '../destinations.ts';
import type { DomainName } from '../names.ts';
import type { Change, Plan } from '../plan.ts';
import type { Problem, Source } from '../manifest/problem.ts';
import type { Report } from '../report.ts';

/** The cause of a run. */
export type Cause =
  /** The desired state of some domains changed. */
  | 'manifest'
  /** An earlier failure is tried again. */
  | 'retry'
  /** Everything is read. */
  | 'sweep';

/** The result of one run. */
export type RunResult =
  | {
      readonly kind: 'failed';
      readonly what: FailedStep;
      /** The error's code; absent if the step has only one. */
      readonly code?: string;
      /** A text for people. */
      readonly message: string;
    }
  | CompletedRun;

/** A run that read and planned, whether it wrote or not. */
export interface CompletedRun {
  readonly kind: 'completed';
  /** All differences, including withheld and frozen ones. */
  readonly plan: Plan;
  /** References by the normalised value they stand for. */
  readonly references: References;
  /** null means that nothing was to be written, because of the mode or a guard. */
  readonly report: Report | null;
  /** Changes that are not made, because someone else keeps undoing them. */
  readonly frozen: readonly Change[];
  /** Credentials that need a password that is not set. */
  readonly unset: readonly Change[];
  /** Changes to items that were in sync before under the same manifest. */
  readonly drift: readonly Change[];
  /** The engine of each domain at the last read; absent if it does not matter. */
  readonly engines?: ReadonlyMap<string, LiveEngine>;
  /** Live entries of each domain that the manifest does not name; absent if there are none. */
  readonly unnamed?: ReadonlyMap<string, UnnamedEntries>;
}

/** Live entries that the manifest neither names nor prunes, and the order of the rules if there are any. */
export interface UnnamedEntries {
  readonly aliases: SectionTypes['aliases']['rows'];
  readonly rules: SectionTypes['rules']['rows'];
  /** Ids of all live rules in the order in which the service asks them; null means the order of the manifest. */
  readonly ruleOrder: readonly string[] | null;
  /** Number of entries that are not kept here. */
  readonly more: number;
}

/** Returns the outcome of a run in one word, for logs, metrics and `/status`. */
export function runOutcome(result: RunResult): string {
  if (result.kind === 'failed') return 'failed';
  return result.report?.outcome ?? (result.plan.changes.length === 0 ? 'unchanged' : 'not-applied');
}

/**
 * The step that kept a run from starting. `unauthorised`: the API refused the key. `account`: the drift URL shows
 * another account.
 */
export type FailedStep = 'key' | 'unauthorised' | 'account' | 'read' | 'lock' | 'state' | 'internal';

/** An event that the daemon reports; `account` is the name of the account's manifest. */
export type DaemonEvent = { readonly account: string } & (
  | {
      readonly kind: 'manifest-accepted';
      /** The manifest's `api` section. */
      readonly api: DesiredApi;
      readonly domains: number;
      readonly entries: number;
      /** Warnings. */
      readonly problems: readonly Problem[];
      /** References that replace their values in all output. */
      readonly references: References;
    }
  | {
      readonly kind: 'manifest-refused';
      readonly message: string;
      readonly problems: readonly Problem[];
      readonly inForce: 'last-good' | 'none';
    }
  | { readonly kind: 'run-started'; readonly run: string; readonly cause: Cause; readonly domains: number }
  | {
      readonly kind: 'run-finished';
      readonly run: string;
      readonly cause: Cause;
      /** Duration in seconds; for a sweep it includes the read of the account. */
      readonly seconds: number;
      readonly result: RunResult;
    }
  | { readonly kind: 'recovered'; readonly run: string; readonly failures: number }
  | {
      readonly kind: 'request';
      readonly endpoint: string;
      readonly status: number | null;
      readonly seconds: number;
      readonly waitedSeconds: number;
    }
  | { readonly kind: 'watcher-failed'; readonly message: string }
  /** Domains cannot be checked at the drift URL, so all are read in full. */
  | { readonly kind: 'drift-unchecked'; readonly message: string }
  /** Mail to a destination keeps failing, or is refused for a name; or it arrives again. */
  | { readonly kind: 'delivery-failing' | 'delivery-recovered'; readonly trouble: DeliveryTrouble }
  /** Two reads in a row say that a domain no longer receives mail, or that it does again. */
  | {
      readonly kind: 'domain-not-receiving' | 'domain-receiving';
      readonly domain: DomainName;
      readonly source: Source | null;
    }
);

/**
 * A failing delivery: its place, the manifest line that sends mail there, and the other server's error. Texts of the
 * logs are safe to show.
 */
export interface DeliveryTrouble {
  readonly domain: DomainName;
  /**
   * The alias or rule that took the mail, both null if unknown. For refused mail, `alias` is the name that it was sent
   * to.
   */
  readonly alias: string | null;
  readonly rule: string | null;
  /** null means that the mail was refused. */
  readonly destination: string | null;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Number of failed messages. */
  readonly count: number;
  readonly lastError: { readonly at: number | null; readonly code: number | null; readonly message: string };
  readonly source: Source | null;
}

/** The delivery state of one domain. */
export interface FollowedStatus {
  /**
   * Messages by their last event. `unknownNames` counts mail refused for unknown names; it is not part of `refused`.
   */
  readonly counts: Readonly<Record<'delivered' | 'refused' | 'soft' | 'hard' | 'unknownNames', number>>;
  /** Messages whose end is not known yet, including soft bounces. */
  readonly open: number;
  /** Epoch milliseconds when the logs were last read to their end; null means not yet. */
  readonly readAt: number | null;
  /** The reason why some mail since the daemon began may be uncounted; null means that all is counted. */
  readonly gap: string | null;
  /** The reason why the last read failed; null if it succeeded. */
  readonly failure: string | null;
  /** Failing deliveries. */
  readonly troubles: readonly DeliveryTrouble[];
}

/** The state of reading email logs. */
export interface DeliveryStatus {
  /** True if the logs of every domain have been read once. */
  readonly isRead: boolean;
  /** Reasons why some mail may be uncounted, or not counted yet; empty means that all is counted. */
  readonly reasons: readonly string[];
  readonly domains: ReadonlyMap<string, FollowedStatus>;
}

/** The service's word on whether a domain receives mail. `stopped` means that it did earlier; `never`, that it never did. */
export type Receiving = 'yes' | 'stopped' | 'never';

export type DomainHealth = 'unknown' | 'in-sync' | 'drifted' | 'withheld' | 'frozen' | 'failing';

export interface DomainStatus {
  readonly state: DomainHealth;
  /** Number of open changes, by action. */
  readonly pending: Readonly<Record<Change['action'], number>>;
  /** The open changes; for a large account only the first ones. */
  readonly changes: readonly Change[];
  /** A text for people; null if there is nothing to say. */
  readonly reason: string | null;
  /** The domain's line in the manifest; null means not known yet. */
  readonly line: Source | null;
  /** The manifest entry that the reason is about; null if there is none. */
  readonly source: Source | null;
  /** The action that a person can take; null if none is known or needed. */
  readonly resolve: string | null;
  /** Epoch milliseconds of the last full read; null means not yet. */
  readonly readAt: number | null;
  /** The engine that routes the domain's mail, by the last read. */
  readonly engine: LiveEngine;
  /** null means not known. */
  readonly receiving: Receiving | null;
  /** Absent if the last read found no such entries. */
  readonly unnamed?: UnnamedEntries | undefined;
}

/** One account as it stands. Times are epoch milliseconds. */
export interface AccountStatus {
  readonly name: string;
  /** `not-read`: not yet. `refused`: the files are not used; `inForce` is true if an earlier manifest is. */
  readonly manifest: {
    readonly state: 'not-read' | 'accepted' | 'refused';
    readonly inForce: boolean;
    readonly message: string | null;
    readonly problems: readonly Problem[];
  };
  /** The last read of the account; null means none yet. */
  readonly read: {
    readonly at: number;
    readonly ok: boolean;
    readonly message: string | null;
    /** Time of the last read without failure; null means never yet. */
    readonly goodAt: number | null;
  } | null;
  /** The last run; null means none yet. */
  readonly run: {
    readonly id: string;
    readonly cause: Cause;
    readonly at: number;
    readonly seconds: number;
    readonly outcome: string;
  } | null;
  /** Each managed domain was read in full at this time or later; null means not yet. */
  readonly fullReadAt: number | null;
  /** Runs that failed in a row. */
  readonly failures: number;
  readonly mode: 'apply' | 'observe';
  /** Milliseconds between two reads of everything. */
  readonly intervalMs: number;
  /** Time of the next read of everything; null means that it is in progress. */
  readonly nextSweepAt: number | null;
  readonly domains: ReadonlyMap<string, DomainStatus>;
  /** Absent if email logs are not followed. */
  readonly delivery?: DeliveryStatus;
  /** By endpoint: requests per window, and requests left in it; null means not known. */
  readonly budgets: ReadonlyMap<string, { readonly limit: number | null; readonly remaining: number | null }>;
}

/** True if an account can be relied on: its manifest is valid and its last read succeeded. */
export function isReady({ manifest, read }: Pick<AccountStatus, 'manifest' | 'read'>): boolean {
  return manifest.state === 'accepted' && read?.ok === true;
}
