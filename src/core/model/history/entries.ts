import type { ApiVersion } from '../endpoints.ts';
import type { Kind, KeptStates } from '../kinds.ts';
import type { DomainName } from '../names.ts';
import type { Action } from '../plan.ts';
import type { Source } from '../manifest/problem.ts';
import type { ItemCounts, Outcome } from '../report.ts';

/**
 * An event of an account: one entry is one line of the history. Times are ISO 8601 in UTC with milliseconds, so that
 * they sort as texts. No entry holds a password or a value behind a reference.
 */
export type HistoryEntry =
  | RunEntry
  | RunEndEntry
  | ItemEntry
  | ItemOutcomeEntry
  | BaselineEntry
  | DriftEntry
  | DriftEndEntry;

/** The subjects that entries are looked up by; each `entry` begins with one. */
export type HistorySubject = 'run' | 'item' | 'drift';

export type HistoryEntryAbout<S extends HistorySubject> = Extract<
  HistoryEntry,
  { readonly entry: `${S}${string}` }
>;

/**
 * The start of a run: command, user and commit. Written with the first request, so a run that sends none has no entry.
 */
export interface RunEntry extends RunOrigin {
  readonly entry: 'run';
  readonly at: string;
  readonly commit: Commit | null;
  /** Email and base URL of the account. */
  readonly account: string;
  readonly api: { readonly url: string; readonly version: ApiVersion };
  /** Digest of the plan, `sha256:…`. */
  readonly plan: string;
}

/** The facts about a run that are known before it begins. */
export interface RunOrigin {
  /** The name of the run, here and in the daemon's log. */
  readonly run: string;
  readonly command: 'apply' | 'run' | 'undo' | 'library';
  readonly host: string;
  /** Name of the user in the operating system; null if it has none. */
  readonly user: string | null;
  readonly actor: Actor | null;
  /** The run that an `undo` reverses. */
  readonly undoes?: string;
}

/**
 * Creates a run id from the start time in epoch milliseconds. `random`, from 0 up to 1, keeps two runs of the same
 * moment apart.
 */
export function createRunId({ now, random }: { readonly now: number; readonly random: number }): string {
  return (
    now.toString(36) +
    Math.floor(random * 36 ** 3)
      .toString(36)
      .padStart(3, '0')
  );
}

/** The person who started a CI job. */
export interface Actor {
  readonly ci: 'github' | 'gitlab';
  readonly name: string;
  /** URL of the job's page. */
  readonly url: string | null;
}

/** The commit that was checked out in the manifest's repository. */
export interface Commit {
  readonly sha: string;
  /** `Name <address>`. */
  readonly author: string;
  /** True if the manifest differed from the commit. */
  readonly dirty: boolean;
}

/** The end of a run; absent if the run was killed. */
export interface RunEndEntry {
  readonly entry: 'run-end';
  readonly at: string;
  readonly run: string;
  readonly outcome: Outcome;
  readonly summary: ItemCounts;
}

/** An item of a request, on disk before the request is sent. */
export type ItemEntry = HistoryItem & {
  readonly entry: 'item';
  readonly at: string;
  readonly run: string;
  /** The item's number within the run, from 1. */
  readonly item: number;
  readonly keys: readonly string[];
  readonly endpoint: string;
  /** `domain` means that the item is deleted with its domain. */
  readonly via: 'domain' | null;
};

/** The outcome of an item; the latest one counts. An item without an outcome is unknown: the run was killed. */
export interface ItemOutcomeEntry {
  readonly entry: 'item-outcome';
  readonly at: string;
  readonly run: string;
  readonly item: number;
  readonly keys: readonly string[];
  readonly outcome: HistoryOutcome;
  /** The live id of an added item. */
  readonly id: string | null;
  /** The service's message about the item; null if it has none that matters. */
  readonly message: string | null;
}

/** The state of a domain as an export took it over into a manifest. */
export interface BaselineEntry extends Pick<RunOrigin, 'host' | 'user' | 'actor'> {
  readonly entry: 'item-baseline';
  readonly at: string;
  /** The key of the domain. */
  readonly keys: readonly string[];
  /** The account's email. */
  readonly account: string;
}

/**
 * The outcome of an item. `failed`: the service refused it. `unknown`: there was no credible answer. `not-done`:
 * certainly not done; the remaining work has its own entries. `not-kept`: accepted, but not in place at the last read.
 */
export type HistoryOutcome = 'done' | 'failed' | 'unknown' | 'not-done' | 'not-kept';

/**
 * A change made outside fwdsync: `from` was applied, `to` was found. The first sighting has one line, and every later
 * change of the same item another.
 */
export type DriftEntry = HistoryItem & {
  readonly entry: 'drift';
  readonly at: string;
  /** Time when the item was first found to differ. */
  readonly seenAt: string;
  readonly keys: readonly string[];
};

/** The end of a drift: the item is as it should be again. */
export interface DriftEndEntry {
  readonly entry: 'drift-end';
  readonly at: string;
  /** Keys; the first is the item's. */
  readonly keys: readonly string[];
  /**
   * The run that corrected it; null means that its author is unknown, or that the manifest now asks for something
   * else.
   */
  readonly run: string | null;
}

/** An item and its states before and after. */
export type HistoryItem = { readonly [K in Kind]: HistoryItemOf<K> }[Kind];

export interface HistoryItemOf<K extends Kind> {
  readonly kind: K;
  readonly action: Action;
  readonly domain: DomainName;
  /** The name as in a change of a plan; a value behind a reference is shown as the reference. */
  readonly name: string;
  readonly id: string | null;
  /** Fields that an update changes. */
  readonly fields: readonly string[];
  /** Whole states; null if there is none. */
  readonly from: KeptStates[K] | null;
  readonly to: KeptStates[K] | null;
  readonly source: Source | null;
}

/** A destination in normal form, or another text of the account. */
export type KeptText = string | ConcealedText;

/** A text that contains a value behind a reference: its shown form, and a keyed fingerprint of the original text. */
export interface ConcealedText {
  readonly shown: string;
  readonly print: string;
}

/** Shows a kept text. */
export function keptText(text: KeptText): string {
  return typeof text === 'string' ? text : text.shown;
}
