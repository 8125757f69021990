import { errorText, type ApiError, type FieldErrors } from '../../client/errors.ts';
import { changeKey, itemKey } from '../../core/kinds/item-key.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Change } from '../../core/model/plan.ts';
import type { Stop } from '../../core/model/report.ts';
import { isOneChain } from '../../core/plan/requests/order.ts';
import type { ApplyPorts } from './ports.ts';
import { KINDS } from '../../core/kinds/registry.ts';

/**
 * The outcome of every change of a run, over all its rounds, and the parts for which nothing more is sent. An item
 * has at most one entry. A later outcome replaces an earlier one, so a failure that a second round fixed no longer
 * counts.
 */
export interface Ledger {
  readonly done: Map<string, DoneEntry>;
  /** The first change made to each item, which shows the item before this run. */
  readonly first: Map<string, Change>;
  /** Items that this run added, even if it changed them later. */
  readonly added: Set<string>;
  readonly failed: Map<string, FailedEntry>;
  readonly skipped: Map<string, SkippedEntry>;
  /** Changes that failed or were skipped, by domain and item. */
  readonly undone: Map<DomainName, Map<string, Change>>;
  /**
   * Domains in which a rule came back with another rank than was sent in this round. Their order is not yet as
   * planned.
   */
  readonly misplaced: Set<DomainName>;
  readonly notes: Set<string>;
  /** Domains, or kinds within a domain, for which nothing more is sent, with the reason; see `blockKey`. */
  readonly blocked: Map<string, string>;
  /** True if anything was written, or may have been. */
  wrote: boolean;
  /** Reason to stop, set once. Nothing is sent after that. */
  stop: Stop | null;
  readonly options: LedgerOptions;
}

export interface LedgerOptions extends Pick<ApplyPorts, 'signal' | 'onProgress'> {
  /** Number of changes in the plan. */
  readonly items: number;
  /** Number of failed items after which the run stops. null means 25, or 5 % of all items if that is more. */
  readonly maxFailures: number | null;
}

export interface DoneEntry {
  readonly change: Change;
  readonly id: string | null;
  /** True if the service confirmed what was sent. A later difference was then made outside this run. */
  readonly isKept: boolean;
}

export interface FailedEntry {
  readonly change: Change;
  /**
   * The kind of failure: rejected by the service, or of unknown outcome. A `stale` one may be planned again in this
   * run.
   */
  readonly cause: 'rejected' | 'unknown' | 'stale';
  readonly endpoint: string;
  readonly status: number | null;
  readonly index: number | null;
  readonly message: string;
  readonly errors: FieldErrors;
}

export interface SkippedEntry {
  readonly change: Change;
  readonly reason: string;
}

const LEAST_MAX_FAILURES = 25;
const MAX_FAILED_SHARE = 0.05;

export function openLedger(options: LedgerOptions): Ledger {
  return {
    done: new Map(),
    first: new Map(),
    added: new Set(),
    failed: new Map(),
    skipped: new Map(),
    undone: new Map(),
    misplaced: new Set(),
    notes: new Set(),
    blocked: new Map(),
    wrote: false,
    stop: null,
    options,
  };
}

export function recordDone(ledger: Ledger, entry: DoneEntry): void {
  ledger.wrote = true;
  forget(ledger, entry.change);
  const item = itemKey(entry.change);
  ledger.done.set(item, entry);
  if (!ledger.first.has(item)) ledger.first.set(item, entry.change);
  if (entry.change.action === 'add') ledger.added.add(item);
  reportProgress(ledger);
}

/** Records a failure. One failure more than allowed ends the run. */
export function recordFailure(ledger: Ledger, entry: FailedEntry): void {
  forget(ledger, entry.change);
  ledger.failed.set(itemKey(entry.change), entry);
  noteUndone(ledger, entry.change);
  const { items, maxFailures } = ledger.options;
  const most = maxFailures ?? Math.max(LEAST_MAX_FAILURES, Math.floor(items * MAX_FAILED_SHARE));
  if (ledger.failed.size > most) {
    const message = `${ledger.failed.size} items failed, more than --max-failures ${most}`;
    ledger.stop ??= { kind: 'too-many-failures', message };
  }
  reportProgress(ledger);
}

/** Records skipped changes. A failure of the same item is kept, because it says more. */
export function recordSkips(ledger: Ledger, changes: readonly Change[], reason: string): void {
  for (const change of changes) {
    const item = itemKey(change);
    if (ledger.failed.has(item)) continue;
    ledger.skipped.set(item, { change, reason });
    noteUndone(ledger, change);
  }
  reportProgress(ledger);
}

function reportProgress({ done, failed, skipped, options }: Ledger): void {
  const { items: total, onProgress } = options;
  onProgress?.({ kind: 'items', done: Math.min(total, done.size + failed.size + skipped.size), total });
}

/** Clears skips, so that a new round decides again. Keeps those that the round cannot see. */
export function clearSkips(ledger: Ledger, isUnseen: (change: Change) => boolean): void {
  for (const [item, { change }] of ledger.skipped) {
    if (isUnseen(change)) continue;
    ledger.skipped.delete(item);
    ledger.undone.get(change.domain)?.delete(item);
  }
}

/** Removes the entry of an item. */
export function forget(ledger: Ledger, change: Change): void {
  const item = itemKey(change);
  ledger.failed.delete(item);
  ledger.skipped.delete(item);
  ledger.undone.get(change.domain)?.delete(item);
}

/** True if the service accepted this very change in this run, and the item still shows its old state. */
export function isUnseen({ done }: Ledger, change: Change): boolean {
  const accepted = done.get(itemKey(change))?.change;
  if (accepted === undefined || changeKey(accepted) !== changeKey(change)) return false;
  return JSON.stringify(accepted.observed) === JSON.stringify(change.observed);
}

function noteUndone(ledger: Ledger, change: Change): void {
  const changes = ledger.undone.get(change.domain) ?? new Map<string, Change>();
  ledger.undone.set(change.domain, changes.set(itemKey(change), change));
}

/**
 * True if a change of stage 2 must not run, because an earlier change in its domain was not done. A failed delete
 * holds nothing back.
 */
export function isHeldUp(
  ledger: Ledger,
  { domain, kind }: Change,
  since: 'now' | 'for-good' = 'now',
): boolean {
  const undone = ledger.undone.get(domain)?.values() ?? [];
  return Iterator.from(undone).some((change) => {
    if (!isOneChain(change.kind, kind) || change.action === 'delete') return false;
    return since === 'now' || ledger.failed.get(itemKey(change))?.cause === 'rejected';
  });
}

export const STAGE_ONE_FAILED = 'an earlier change in this domain failed';

/** True if a change to the routes of a domain was not done. The targets of its forwards must then stay. */
export function hasTrouble(ledger: Ledger, domain: DomainName): boolean {
  const undone = ledger.undone.get(domain)?.values() ?? [];
  return Iterator.from(undone).some((change) => KINDS[change.kind].routesMail);
}

/**
 * Returns why nothing more may be sent; null means that sending may go on. Notices an abort. The first reason counts.
 */
export function whyStopped(ledger: Ledger): string | null {
  if (ledger.options.signal?.aborted === true) {
    ledger.stop ??= { kind: 'interrupted', message: 'interrupted' };
  }
  return ledger.stop?.message ?? null;
}

export function blockKey(domain: DomainName, kind?: Kind): string {
  return kind === undefined ? domain : `${domain}\n${kind}`;
}

/** Returns why nothing of this kind is sent in this domain any more; null means that sending may go on. */
export function whyBlocked({ blocked }: Ledger, domain: DomainName, kind: Kind): string | null {
  return blocked.get(blockKey(domain)) ?? blocked.get(blockKey(domain, kind)) ?? null;
}

/** Stops the run if the error ends runs. Other errors concern only their request. */
export function stopOn(ledger: Ledger, error: ApiError): void {
  ledger.stop ??= stopFor(error);
}

/** Returns the stop for errors that end the whole run; null for other errors. */
export function stopFor(error: ApiError): Stop | null {
  if (error.kind === 'stopped') return { kind: error.cause, message: error.message };
  const ends =
    error.kind === 'unauthorised' ||
    error.kind === 'unreachable' ||
    error.kind === 'rate-limited' ||
    error.kind === 'redirect';
  return ends ? { kind: error.kind, message: errorText(error) } : null;
}

/** True if the change failed or was skipped before. It holds stage 2 back by itself, so it is not reported as new. */
export function isUndone({ failed, skipped }: Ledger, change: Change): boolean {
  const item = itemKey(change);
  return failed.has(item) || skipped.has(item);
}
