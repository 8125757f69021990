import type { References } from '../../core/model/destinations.ts';
import type { HistoryEntry, HistoryEntryAbout, HistorySubject } from '../../core/model/history/entries.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { ManifestSize, Prior, PriorDomain } from '../../core/model/prior.ts';
import type { Warning } from '../../core/model/plan.ts';
import type { Result } from '../../core/model/result.ts';

/**
 * Everything that is remembered of one account between runs: an aid, never the truth. Losing it loses no route.
 * No method throws for storage that is full, read-only or damaged.
 */
export interface StateStore {
  /** Where it is, for people. */
  readonly place: string;
  /** At most one holder; waits up to 10 s for another. */
  lock(): Promise<Result<StateLock, LockFault>>;
  /** What cannot be read counts as nothing, with a warning. */
  prior(): Promise<{ readonly prior: Prior; readonly warnings: readonly Warning[] }>;
  /** Writes only the domains that differ from what is there. */
  remember(memory: Memory): Promise<Result<void, StateFault>>;
  /** Saves the manifest that reverses a run; returns what `apply -f` finds it by. The oldest are removed. */
  saveSnapshot(text: string): Promise<Result<string, StateFault>>;
  /** How often anybody has taken the lock so far: where it is the same, nobody remembered anything since. Null: not known. */
  lockCount(): Promise<number | null>;
  /** Saves a report (JSON); returns where it is, for people. The oldest are removed. */
  saveReport(text: string): Promise<Result<string, StateFault>>;
  /** Keeps fingerprints of values that came from references: normalised value -> how it is shown. */
  rememberReferences(references: References): Promise<Result<void, StateFault>>;
  /** Reads the fingerprints, to recognise values by them; null: none is remembered. */
  openReferences(): Promise<RecogniseReferences | null>;
  /** Of a password, under a salt that is made once; null where no salt can be kept. */
  fingerprint(password: string): Promise<string | null>;
  /** Of values behind references, without case, under the same salt; cheap. Null where no salt can be kept. */
  openValuePrints(): Promise<((value: string) => string) | null>;
  readonly history: HistoryStore;
  readonly delivery: DeliveryMemories;
}

/** What is kept of the email logs of each domain, as texts that mean nothing here. */
export interface DeliveryMemories {
  /** Null: there is none, or it cannot be read. */
  read(domain: DomainName): Promise<string | null>;
  /** In one step: before or after, never half. */
  write(domain: DomainName, text: string): Promise<Result<void, StateFault>>;
}

/** What happened to the account, kept for a time and up to a size; see `model/history/entries.ts`. */
export interface HistoryStore {
  /**
   * Adds entries in their order. `synced`: they are on disk when it succeeds; `written`: they outlive the process. Where it fails
   * none, some or all of them are kept.
   */
  append(
    entries: readonly HistoryEntry[],
    durability: 'synced' | 'written',
  ): Promise<Result<void, StateFault>>;
  /** Entries, the newest first, read as they are asked for. What was cut by a kill is left out. */
  read<S extends HistorySubject>(query: HistoryQuery<S>): AsyncGenerator<HistoryEntryAbout<S>>;
}

/** A history and the email of its account. */
export interface AccountHistory {
  readonly account: string;
  readonly history: HistoryStore;
}

/** Which entries are read; what is left out does not restrict. */
export interface HistoryQuery<S extends HistorySubject> {
  readonly about?: S;
  /** The first and the last moment, as the entries have them. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** For who asks often: not all of a day is read, and what was recorded before the clock was set back by hours may be missed. */
  readonly stopsEarly?: true | undefined;
  readonly run?: string | undefined;
  /** Those of any of these. */
  readonly runs?: readonly string[] | undefined;
  /** These two restrict items and drift: to those of a domain, to those with any of these keys. */
  readonly domain?: DomainName | undefined;
  readonly keys?: readonly string[] | undefined;
  /** Called for what cannot be read. */
  readonly onFault?: ((fault: StateFault) => void) | undefined;
}

/** Which of these values came from a reference in an earlier run, and how each is shown. */
export type RecogniseReferences = (values: Iterable<string>) => References;

export interface StateFault {
  readonly message: string;
}

export interface Memory {
  /** Null forgets a domain. */
  readonly domains: ReadonlyMap<DomainName, PriorDomain | null>;
  /** Size of a manifest that is in place; null leaves what is there. */
  readonly manifest: ManifestSize | null;
}

export interface StateLock {
  /**
   * Null while the lock is ours, which it also shows to others by refreshing it; else why it is not. Must be called right
   * before each write: a process that was stopped for a while may have lost it.
   */
  lost(): Promise<LockFault | null>;
  /** Never rejects: a lock that cannot be released is free once the process ends, or its lease. */
  release(): Promise<void>;
}

export type LockFault =
  /** By somebody else; the message says by whom. */
  | { readonly kind: 'held'; readonly message: string }
  /** No longer ours, and held by nobody that is known. */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'unwritable'; readonly message: string };
