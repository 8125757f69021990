import type { DomainName } from '../model/names.ts';
import type { ManifestSize, Prior, PriorDomain } from '../model/prior.ts';
import type { Warning } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import type { ProcessRealm } from './processes.ts';
import type { StateFault } from './files.ts';

/**
 * What one account's earlier runs left behind: an aid, never the truth. Deleting it loses no route.
 * Nothing here throws for a disk that is full, read-only or damaged.
 */
export interface StateStore {
  /** Where it is, for people. */
  readonly place: string;
  /** Waits up to 10 s for another holder. */
  lock(): Promise<Result<StateLock, LockFault>>;
  /** What is remembered. What cannot be read counts as nothing. */
  prior(): Promise<{ readonly prior: Prior; readonly warnings: readonly Warning[] }>;
  /** Writes only the domains that differ from what is there; `null` forgets a domain. */
  remember(memory: Memory): Promise<Result<void, StateFault>>;
  /** Saves the manifest that reverses a run; answers its path. */
  saveSnapshot(text: string): Promise<Result<string, StateFault>>;
  /** Saves a report (JSON); answers its path. */
  saveReport(text: string): Promise<Result<string, StateFault>>;
  /** Keeps fingerprints of values that came from references: normalised value -> how it is shown. */
  rememberReferences(references: ReadonlyMap<string, string>): Promise<Result<void, StateFault>>;
  /** Reads the fingerprints, to recognise values by them; null: nothing is remembered here. */
  openReferences(): Promise<RecogniseReferences | null>;
  /** A salted fingerprint of a password; null when there is no salt and none can be saved. */
  fingerprint(password: string): Promise<string | null>;
}

/** Which of these values came from a reference in this run or an earlier one, and how each is shown. */
export type RecogniseReferences = (values: Iterable<string>) => ReadonlyMap<string, string>;

export interface Memory {
  readonly domains: ReadonlyMap<DomainName, PriorDomain | null>;
  /** Size of a manifest that is in place; null leaves what is there. */
  readonly manifest: ManifestSize | null;
}

export interface StateLock {
  /**
   * Null while the lock is ours, which it also shows to others by refreshing it; else why it is not. To be asked right
   * before each write: a process that was stopped for a while may have lost it.
   */
  lost(): Promise<LockFault | null>;
  /** Never rejects: a lock that cannot be released is free once the process ends, or its lease. */
  release(): Promise<void>;
}

export type LockFault =
  | { readonly kind: 'held'; readonly message: string; readonly holder: LockHolder }
  /** Ours no more, and of nobody that is known. */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'unwritable'; readonly message: string };

export interface LockHolder extends ProcessRealm {
  /** Of this one taking of the lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** What the system says about when the process began, to tell it from a later one with its number; null: unknown. */
  readonly processStart: string | null;
  readonly command: string;
  /** Epoch milliseconds. */
  readonly lockedAt: number;
  readonly refreshedAt: number;
  /** Milliseconds from the start of the machine to when it was refreshed. */
  readonly uptime: number;
}
