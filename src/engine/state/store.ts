import type { References } from '../../core/model/destinations.ts';
import type { HistoryEntry, HistoryEntryAbout, HistorySubject } from '../../core/model/history/entries.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { ManifestSize, Prior, PriorDomain } from '../../core/model/prior.ts';
import type { Warning } from '../../core/model/plan.ts';
import type { Result } from '../../core/model/result.ts';

/**
 * All that is remembered of one account between runs. It is an aid, never the truth; losing it loses no route. No method
 * throws if the storage is full, read-only or damaged.
 */
export interface StateStore {
  /** Name of the place, for people. */
  readonly place: string;
  /** Acquires the lock, which has at most one holder. Waits up to 10 s for another holder. */
  lock(): Promise<Result<StateLock, LockFault>>;
  /** Returns the memory of earlier runs. Unreadable parts count as empty, with a warning. */
  prior(): Promise<{ readonly prior: Prior; readonly warnings: readonly Warning[] }>;
  /** Writes the domains whose memory has changed. */
  remember(memory: Memory): Promise<Result<void, StateFault>>;
  /** Saves the manifest that reverses a run. Returns the name to use with `apply -f`. The oldest snapshots are removed. */
  saveSnapshot(text: string): Promise<Result<string, StateFault>>;
  /**
   * Returns how often the lock has been taken. If the count is unchanged, nothing was remembered since. null means unknown.
   */
  lockCount(): Promise<number | null>;
  /** Saves a report (JSON). Returns its name for people. The oldest reports are removed. */
  saveReport(text: string): Promise<Result<string, StateFault>>;
  /** Saves fingerprints of values that came from references: normalized value -> shown form. */
  rememberReferences(references: References): Promise<Result<void, StateFault>>;
  /** Reads the fingerprints, to identify values by them. null means that there are none. */
  openReferences(): Promise<RecogniseReferences | null>;
  /** Returns the fingerprint of a password, with a salt that is created once. null means that no salt can be saved. */
  fingerprint(password: string): Promise<string | null>;
  /**
   * Returns a function that computes fingerprints of referenced values with the same salt. They ignore case and are cheap.
   * null means that no salt can be saved.
   */
  openValuePrints(): Promise<((value: string) => string) | null>;
  readonly history: HistoryStore;
  /** The service's word on which domains receive mail, as an opaque text. */
  readonly receiving: TextMemory;
  /** The memory of the email logs of each domain. */
  readonly delivery: DomainMemories;
  /** The memory of each domain that moves to the service. */
  readonly moves: DomainMemories;
}

/** A text that belongs to no single account but to all processes with the same state: the notifications that wait. */
export interface SharedText {
  /**
   * Replaces the text with the result of `change`, one process at a time. null means that there is none, or that it is
   * damaged. Never rejects.
   */
  change(change: (before: string | null) => string): Promise<Result<void, StateFault>>;
}

/** A text of the account. */
export interface TextMemory {
  /** Returns null if there is no text, or if it cannot be read. */
  read(): Promise<string | null>;
  /** Writes the text in one step: it is never half written. */
  write(text: string): Promise<Result<void, StateFault>>;
}

/** Memory of each domain, as opaque texts. */
export interface DomainMemories {
  /** Returns a domain's text. null means that there is none, or that it cannot be read. */
  read(domain: DomainName): Promise<string | null>;
  /** Writes a domain's text in one step: it is never half written. */
  write(domain: DomainName, text: string): Promise<Result<void, StateFault>>;
}

/** Changes of the account, kept for a limited time and size; see `core/model/history/entries.ts`. */
export interface HistoryStore {
  /**
   * Appends entries in order. With `synced` they are on disk when it succeeds; with `written` they survive the end of the
   * process. If it fails, none, some or all of them are kept.
   */
  append(
    entries: readonly HistoryEntry[],
    durability: 'synced' | 'written',
  ): Promise<Result<void, StateFault>>;
  /** Yields entries, the newest first, reading on demand. A line that a kill cut off is left out. */
  read<S extends HistorySubject>(query: HistoryQuery<S>): AsyncGenerator<HistoryEntryAbout<S>>;
}

/** A history and the email of its account. */
export interface AccountHistory {
  readonly account: string;
  readonly history: HistoryStore;
}

/** Selects entries. Fields that are left out do not restrict. */
export interface HistoryQuery<S extends HistorySubject> {
  readonly about?: S;
  /** The first and the last time, in the form that entries have. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /**
   * True for frequent queries: it does not read a whole day, and may miss entries recorded before the clock was set back by
   * hours.
   */
  readonly stopsEarly?: true | undefined;
  readonly run?: string | undefined;
  /** Selects only entries of these runs. */
  readonly runs?: readonly string[] | undefined;
  /** Restrict items and drift to a domain, and to any of these keys. */
  readonly domain?: DomainName | undefined;
  readonly keys?: readonly string[] | undefined;
  /** Called for each file or entry that cannot be read. */
  readonly onFault?: ((fault: StateFault) => void) | undefined;
}

/** Returns the values that came from a reference in an earlier run, each with its shown form. */
export type RecogniseReferences = (values: Iterable<string>) => References;

export interface StateFault {
  readonly message: string;
}

export interface Memory {
  /** A null value forgets the domain. */
  readonly domains: ReadonlyMap<DomainName, PriorDomain | null>;
  /** Size of the manifest in force. null leaves the stored one. */
  readonly manifest: ManifestSize | null;
}

export interface StateLock {
  /**
   * Returns null while the lock is ours, and refreshes it for other processes. Otherwise it returns the reason. Call it
   * right before each write, because a process that was suspended may have lost the lock.
   */
  lost(): Promise<LockFault | null>;
  /** Releases the lock. Never rejects: a lock that cannot be released becomes free when the process or its lease ends. */
  release(): Promise<void>;
}

export type LockFault =
  /** Another process holds the lock; the message names it. */
  | { readonly kind: 'held'; readonly message: string }
  /** No longer ours, and no known process holds it. */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'unwritable'; readonly message: string };
