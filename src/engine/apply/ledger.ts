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
 * The outcome of every change of a run, over all its rounds, and what nothing more is sent for. An item has one entry at
 * most: a later outcome takes the place of an earlier one, so that what a second round fixed is no longer a failure.
 */
export interface Ledger {
  readonly done: Map<string, DoneEntry>;
  /** The first change of each item that was made: what was there before this run. */
  readonly first: Map<string, Change>;
  /** Items that this run made, whatever it did to them afterwards. */
  readonly added: Set<string>;
  readonly failed: Map<string, FailedEntry>;
  readonly skipped: Map<string, SkippedEntry>;
  /** What failed or was skipped, by domain: changes by item. */
  readonly undone: Map<DomainName, Map<string, Change>>;
  /** Domains of which a rule came back at a different rank than was sent in this round: their order is not yet as planned. */
  readonly misplaced: Set<DomainName>;
  readonly notes: Set<string>;
  /** A domain, or a domain and a kind, in which nothing more is sent, and why; see `blockKey`. */
  readonly blocked: Map<string, string>;
  /** Whether anything was written, or may have been. */
  wrote: boolean;
  /** Set once: from then on nothing is sent. */
  stop: Stop | null;
  readonly options: LedgerOptions;
}

export interface LedgerOptions extends Pick<ApplyPorts, 'signal' | 'onProgress'> {
  /** Changes of the plan. */
  readonly items: number;
  /** So many failed items end the run; null: 25 or 5 % of the items, the larger. */
  readonly maxFailures: number | null;
}

export interface DoneEntry {
  readonly change: Change;
  readonly id: string | null;
  /** Whether the service said that it has what was sent: should it differ later, somebody else changed it. */
  readonly isKept: boolean;
}

export interface FailedEntry {
  readonly change: Change;
  /** Whether the service said no, or nobody knows: `stale` ones may be planned again in this run. */
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

/** One failure more than allowed ends the run. */
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

/** A failure says more than that something was skipped after it. */
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

/** A new round decides anew about what was skipped, but for what it cannot see. */
export function clearSkips(ledger: Ledger, isUnseen: (change: Change) => boolean): void {
  for (const [item, { change }] of ledger.skipped) {
    if (isUnseen(change)) continue;
    ledger.skipped.delete(item);
    ledger.undone.get(change.domain)?.delete(item);
  }
}

/** An item of which nothing is to be said any more, or something else from now on. */
export function forget(ledger: Ledger, change: Change): void {
  const item = itemKey(change);
  ledger.failed.delete(item);
  ledger.skipped.delete(item);
  ledger.undone.get(change.domain)?.delete(item);
}

/** True if the service accepted this very change in this run, and the item still shows as it was before. */
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
 * True if something that was to be done in its domain before a change of stage 2 was not: then it must not run. A delete
 * that failed holds back nothing.
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

/** Whether anything about the routes of a domain was not done: what it forwards to has to stay. */
export function hasTrouble(ledger: Ledger, domain: DomainName): boolean {
  const undone = ledger.undone.get(domain)?.values() ?? [];
  return Iterator.from(undone).some((change) => KINDS[change.kind].routesMail);
}

/** Why nothing more may be sent; null: it may. An abort is noticed here, and the first reason counts. */
export function whyStopped(ledger: Ledger): string | null {
  if (ledger.options.signal?.aborted === true) {
    ledger.stop ??= { kind: 'interrupted', message: 'interrupted' };
  }
  return ledger.stop?.message ?? null;
}

export function blockKey(domain: DomainName, kind?: Kind): string {
  return kind === undefined ? domain : `${domain}\n${kind}`;
}

/** Why nothing of this kind is sent in this domain any more; null: it may be. */
export function whyBlocked({ blocked }: Ledger, domain: DomainName, kind: Kind): string | null {
  return blocked.get(blockKey(domain)) ?? blocked.get(blockKey(domain, kind)) ?? null;
}

/** Ends the run where the error does; the others concern only their request. */
export function stopOn(ledger: Ledger, error: ApiError): void {
  ledger.stop ??= stopFor(error);
}

/** Errors that end the run and not only the request; null for the others. */
export function stopFor(error: ApiError): Stop | null {
  if (error.kind === 'stopped') return { kind: error.cause, message: error.message };
  const ends =
    error.kind === 'unauthorised' ||
    error.kind === 'unreachable' ||
    error.kind === 'rate-limited' ||
    error.kind === 'redirect';
  return ends ? { kind: error.kind, message: errorText(error) } : null;
}
