import type { ApiVersion } from '../endpoints.ts';
import type { Kind, KeptStates } from '../kinds.ts';
import type { DomainName } from '../names.ts';
import type { Action } from '../plan.ts';
import type { Source } from '../manifest/problem.ts';
import type { ItemCounts, Outcome } from '../report.ts';

/**
 * What happened to an account: one entry is one line of the history. Times are ISO 8601 in UTC with milliseconds, so that
 * they sort as texts. No entry holds a password, nor a value behind a reference.
 */
export type HistoryEntry =
  | RunEntry
  | RunEndEntry
  | ItemEntry
  | ItemOutcomeEntry
  | BaselineEntry
  | DriftEntry
  | DriftEndEntry;

/** What entries are looked up by; `entry` of each begins with it. */
export type HistorySubject = 'run' | 'item' | 'drift';

export type HistoryEntryAbout<S extends HistorySubject> = Extract<
  HistoryEntry,
  { readonly entry: `${S}${string}` }
>;

/** Who ran what. Written with the first request of a run: one that sends none has no entry. */
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

/** What is known of a run before it begins. */
export interface RunOrigin {
  /** Names the run, here and in the log of the daemon. */
  readonly run: string;
  readonly command: 'apply' | 'run' | 'undo' | 'library';
  readonly host: string;
  /** Of the operating system; null where it has none. */
  readonly user: string | null;
  readonly actor: Actor | null;
  /** Of `undo`: the run that it reverses. */
  readonly undoes?: string;
}

/** By when it begins, epoch milliseconds; `random`, from 0 up to 1, keeps two of one moment apart. */
export function createRunId({ now, random }: { readonly now: number; readonly random: number }): string {
  return (
    now.toString(36) +
    Math.floor(random * 36 ** 3)
      .toString(36)
      .padStart(3, '0')
  );
}

/** Who started the job of a CI service. */
export interface Actor {
  readonly ci: 'github' | 'gitlab';
  readonly name: string;
  /** Of the job's page. */
  readonly url: string | null;
}

/** What was checked out in the repository of the manifest. */
export interface Commit {
  readonly sha: string;
  /** `Name <address>`. */
  readonly author: string;
  /** Whether the manifest differed from what is committed. */
  readonly dirty: boolean;
}

/** Absent where a run was killed. */
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
  /** Its number within the run, from 1. */
  readonly item: number;
  readonly keys: readonly string[];
  readonly endpoint: string;
  /** `domain`: it goes with its domain, which is deleted. */
  readonly via: 'domain' | null;
};

/** The outcome of an item; a later one of the same item counts. Without any, nobody knows: the run was killed. */
export interface ItemOutcomeEntry {
  readonly entry: 'item-outcome';
  readonly at: string;
  readonly run: string;
  readonly item: number;
  readonly keys: readonly string[];
  readonly outcome: HistoryOutcome;
  /** The live id, of what was added. */
  readonly id: string | null;
  /** What the service said of it; null: nothing that matters. */
  readonly message: string | null;
}

/** A domain was taken over as it was, by an export that wrote it as a manifest. */
export interface BaselineEntry extends Pick<RunOrigin, 'host' | 'user' | 'actor'> {
  readonly entry: 'item-baseline';
  readonly at: string;
  /** The key of the domain. */
  readonly keys: readonly string[];
  /** The account's email. */
  readonly account: string;
}

/**
 * `failed`: the service said no. `unknown`: there was no believable answer. `not-done`: certainly not, and what is still to be
 * done has entries of its own. `not-kept`: accepted, and not in place at the last read.
 */
export type HistoryOutcome = 'done' | 'failed' | 'unknown' | 'not-done' | 'not-kept';

/**
 * What was changed outside fwdsync: `from` is what was applied, `to` what was found. One line when it is first seen, and
 * one, of the same item, when it changes.
 */
export type DriftEntry = HistoryItem & {
  readonly entry: 'drift';
  readonly at: string;
  /** When the item was first found to be otherwise. */
  readonly seenAt: string;
  readonly keys: readonly string[];
};

/** The item is as it should be again. */
export interface DriftEndEntry {
  readonly entry: 'drift-end';
  readonly at: string;
  /** The first is that of the item. */
  readonly keys: readonly string[];
  /** The run that corrected it; null: nobody knows who did, or the manifest wants something else by now. */
  readonly run: string | null;
}

/** An item and what it became. */
export type HistoryItem = { readonly [K in Kind]: HistoryItemOf<K> }[Kind];

export interface HistoryItemOf<K extends Kind> {
  readonly kind: K;
  readonly action: Action;
  readonly domain: DomainName;
  /** As in a change of a plan; a value behind a reference in it is shown as that. */
  readonly name: string;
  readonly id: string | null;
  /** Which fields an update changes. */
  readonly fields: readonly string[];
  /** Whole states; null where there was none, or is none. */
  readonly from: KeptStates[K] | null;
  readonly to: KeptStates[K] | null;
  readonly source: Source | null;
}

/** A destination in normal form, or another text of the account. */
export type KeptText = string | ConcealedText;

/** A text with a value behind a reference in it: how it is shown, and the keyed fingerprint of the text as it was. */
export interface ConcealedText {
  readonly shown: string;
  readonly print: string;
}

/** How a kept text is shown. */
export function keptText(text: KeptText): string {
  return typeof text === 'string' ? text : text.shown;
}
