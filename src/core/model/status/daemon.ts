import type { DesiredApi } from '../desired.ts';
import type { LiveEngine } from '../observed.ts';
import type { SectionTypes } from '../kinds.ts';
import type { References } from '../destinations.ts';
import type { DomainName } from '../names.ts';
import type { Change, Plan } from '../plan.ts';
import type { Problem, Source } from '../manifest/problem.ts';
import type { Report } from '../report.ts';

/** Why a run is made. */
export type Cause =
  /** The desired state of some domains changed. */
  | 'manifest'
  /** What failed before is tried again. */
  | 'retry'
  /** Everything is read. */
  | 'sweep';

/** The result of one run. */
export type RunResult =
  | {
      readonly kind: 'failed';
      readonly what: FailedStep;
      /** The kind of the error; absent: there is one alone. */
      readonly code?: string;
      /** For people. */
      readonly message: string;
    }
  | CompletedRun;

/** A run that read and planned, whether it wrote or not. */
export interface CompletedRun {
  readonly kind: 'completed';
  /** All that differs, what is withheld or frozen included. */
  readonly plan: Plan;
  /** What is shown as a reference: normalised value -> how. */
  readonly references: References;
  /** Null: nothing was to be written, because of the mode or a guard. */
  readonly report: Report | null;
  /** Changes that are not made, because somebody else keeps undoing them. */
  readonly frozen: readonly Change[];
  /** Credentials whose password is needed and not set. */
  readonly unset: readonly Change[];
  /** Changes of what was in sync before, though the manifest is the same. */
  readonly drift: readonly Change[];
  /** What routes each domain, as it was read; absent: it is of no concern. */
  readonly engines?: ReadonlyMap<string, LiveEngine>;
  /** Live entries of each domain that the manifest does not name; absent: there are none. */
  readonly unnamed?: ReadonlyMap<string, UnnamedEntries>;
}

/** Live entries that the manifest neither names nor prunes, and the order of the rules where there are such entries. */
export interface UnnamedEntries {
  readonly aliases: SectionTypes['aliases']['rows'];
  readonly rules: SectionTypes['rules']['rows'];
  /** Ids of all live rules in the order in which the service asks them; null means the order of the manifest. */
  readonly ruleOrder: readonly string[] | null;
  /** How many entries are not kept. */
  readonly more: number;
}

/** The outcome of a run in one word, for logs, metrics and `/status`. */
export function runOutcome(result: RunResult): string {
  if (result.kind === 'failed') return 'failed';
  return result.report?.outcome ?? (result.plan.changes.length === 0 ? 'unchanged' : 'not-applied');
}

/** What kept a run from starting; `unauthorised`: the API refused the key; `account`: that of the drift URL is another one. */
export type FailedStep = 'key' | 'unauthorised' | 'account' | 'read' | 'lock' | 'state' | 'internal';

/** What the daemon reports; `account` is the name of the account's manifest. */
export type DaemonEvent = { readonly account: string } & (
  | {
      readonly kind: 'manifest-accepted';
      /** What the manifest says of the service and the key. */
      readonly api: DesiredApi;
      readonly domains: number;
      readonly entries: number;
      /** Warnings. */
      readonly problems: readonly Problem[];
      /** What stands for the values behind references in all output. */
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
      /** Of a sweep with its read of the account. */
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
  /** Domains cannot be checked at the drift URL, and all are read in full. */
  | { readonly kind: 'drift-unchecked'; readonly message: string }
  /** Mail to a destination keeps failing, or is refused for a name; or it arrives again. */
  | { readonly kind: 'delivery-failing' | 'delivery-recovered'; readonly trouble: DeliveryTrouble }
);

/** Where mail fails, whose line sends it there, and what the other server says. Texts of the logs are safe to be shown. */
export interface DeliveryTrouble {
  readonly domain: DomainName;
  /** The alias or rule that took the mail, both null where that is not known; of refused mail the name that it was meant for. */
  readonly alias: string | null;
  readonly rule: string | null;
  /** Null: the mail was refused. */
  readonly destination: string | null;
  /** Epoch milliseconds. */
  readonly since: number;
  /** How many messages failed. */
  readonly count: number;
  readonly lastError: { readonly at: number | null; readonly code: number | null; readonly message: string };
  readonly source: Source | null;
}

/** What is known of the mail of one domain. */
export interface FollowedStatus {
  /** Messages by their last event; `unknownNames`: refused for names that nobody knows, and not among `refused`. */
  readonly counts: Readonly<Record<'delivered' | 'refused' | 'soft' | 'hard' | 'unknownNames', number>>;
  /** Messages whose end is not known yet, soft bounces among them. */
  readonly open: number;
  /** When its logs were read to their end, epoch milliseconds; null: not yet. */
  readonly readAt: number | null;
  /** Why something may not be counted since the daemon began; null: all is. */
  readonly gap: string | null;
  /** Why the last read failed; null: it did not. */
  readonly failure: string | null;
  /** What is failing. */
  readonly troubles: readonly DeliveryTrouble[];
}

/** How far email logs are followed. */
export interface DeliveryStatus {
  /** True if the logs of every domain have been read once. */
  readonly isRead: boolean;
  /** Why something may not be counted, or not yet; none: all is. */
  readonly reasons: readonly string[];
  readonly domains: ReadonlyMap<string, FollowedStatus>;
}

export type DomainHealth = 'unknown' | 'in-sync' | 'drifted' | 'withheld' | 'frozen' | 'failing';

export interface DomainStatus {
  readonly state: DomainHealth;
  /** What is still to be done, by action. */
  readonly pending: Readonly<Record<Change['action'], number>>;
  /** The same one by one; of a large account the first ones alone. */
  readonly changes: readonly Change[];
  /** For people; null when there is nothing to say. */
  readonly reason: string | null;
  /** Where the manifest names the domain; null: not known yet. */
  readonly line: Source | null;
  /** The entry of the manifest that the reason is about; null: none. */
  readonly source: Source | null;
  /** What a person can do about it; null: nothing is known, or needed. */
  readonly resolve: string | null;
  /** When it was read in full, epoch milliseconds; null: it was not yet. */
  readonly readAt: number | null;
  /** What routes its mail, by the last read. */
  readonly engine: LiveEngine;
  /** Absent: the last read found no such entries. */
  readonly unnamed?: UnnamedEntries | undefined;
}

/** One account as it stands. Times are epoch milliseconds. */
export interface AccountStatus {
  readonly name: string;
  /** `not-read`: not yet. `refused`: what is in the files is not used; `inForce` says whether an earlier one is. */
  readonly manifest: {
    readonly state: 'not-read' | 'accepted' | 'refused';
    readonly inForce: boolean;
    readonly message: string | null;
    readonly problems: readonly Problem[];
  };
  /** The last read of the account; null: none yet. */
  readonly read: {
    readonly at: number;
    readonly ok: boolean;
    readonly message: string | null;
    /** When it was last read without failure; null: never yet. */
    readonly goodAt: number | null;
  } | null;
  /** The last run; null: none yet. */
  readonly run: {
    readonly id: string;
    readonly cause: Cause;
    readonly at: number;
    readonly seconds: number;
    readonly outcome: string;
  } | null;
  /** Each managed domain was read in full at this time or later; null: not yet. */
  readonly fullReadAt: number | null;
  /** Runs that failed in a row. */
  readonly failures: number;
  readonly mode: 'apply' | 'observe';
  /** How long it takes from one read of everything to the next, in milliseconds. */
  readonly intervalMs: number;
  /** When everything is read next; null: that is in progress. */
  readonly nextSweepAt: number | null;
  readonly domains: ReadonlyMap<string, DomainStatus>;
  /** Absent where email logs are not followed. */
  readonly delivery?: DeliveryStatus;
  /** By endpoint: requests a window, and those that are left of it; null: not known. */
  readonly budgets: ReadonlyMap<string, { readonly limit: number | null; readonly remaining: number | null }>;
}

/** Whether an account can be relied on: its manifest is valid and its last read succeeded. */
export function isReady({ manifest, read }: Pick<AccountStatus, 'manifest' | 'read'>): boolean {
  return manifest.state === 'accepted' && read?.ok === true;
}
