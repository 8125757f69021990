import type { Account, ObservedDomain, UnprovenRead } from '../model/observed.ts';
import type { DomainName } from '../model/names.ts';
import type { Adoption, Change } from '../model/plan.ts';
import type { RequestTotals } from '../model/report.ts';
import type { Kind } from '../model/kinds.ts';
import {
  newLedger,
  recordDone,
  recordFailure,
  recordSkip,
  stopRun,
  type DoneEntry,
  type FailedEntry,
  type Ledger,
} from './ledger.ts';
import { approve, type Approval } from './approval-key.ts';
import type { Passwords } from './send/passwords.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';

/** What an item was first seen to show, of what it shows to this day. */
export interface Sighting {
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** A run in progress: what was asked for, what is known by now, and what became of it. */
export interface Run {
  readonly input: ApplyInput;
  readonly ports: ApplyPorts;
  readonly ledger: Ledger;
  readonly approval: Approval;
  /** Keys of the changes that are kept from running. */
  readonly heldBack: Approval;
  /** By item; see `itemKey`. */
  readonly passwords: Map<string, string>;
  /** A domain, or a domain and a kind, in which nothing more is sent, and why; see `blockKey`. */
  readonly blocked: Map<string, string>;
  /** Domains that this run added: as the answer described them, when it came. */
  readonly added: Map<DomainName, ObservedDomain | null>;
  /** Rules that the service gave another id than was sent; from then on their entries mean those. */
  readonly renamedRules: Adoption[];
  /** Domains whose settings this run wrote: as they were right before, what is not managed included. */
  readonly rewritten: Map<DomainName, ObservedDomain>;
  /** Signatures of the destinations that the service gave the `*` of domains that this run added. */
  readonly givenCatchAlls: Map<DomainName, string>;
  /** Domains of which a rule came back at a different rank than was sent in this round: their order is not yet as planned. */
  readonly misplaced: Set<DomainName>;
  /** What items that differ show, by item; see `findNotKept`. */
  readonly sightings: Map<string, Sighting>;
  /** Domains that were read after the last request about them in this round. */
  readonly seen: Set<DomainName>;
  readonly maxFailures: number;
  batches: 'allowed' | 'refused';
  batchesById: 'allowed' | 'refused';
  /** Digits after the point that the service keeps of a rank, once it showed that it does not keep all. */
  rankDigits: number | null;
  /** The latest reading, kept up to date in place. */
  readonly observed: LatestRead;
}

/** `Observed`, domain by domain as it was last read. */
export interface LatestRead {
  readonly account: Account;
  readonly domains: Map<DomainName, ObservedDomain>;
  readonly unproven: Map<DomainName, UnprovenRead>;
}

const LEAST_MAX_FAILURES = 25;
const MAX_FAILED_SHARE = 0.05;

export function startRun(input: ApplyInput, ports: ApplyPorts, passwords: Passwords): Run {
  const items = input.plan.changes.length;
  return {
    input,
    ports,
    ledger: newLedger(),
    approval: approve(input.plan.changes),
    heldBack: approve(input.heldBack),
    passwords: new Map(passwords),
    blocked: new Map(),
    added: new Map(),
    givenCatchAlls: new Map(),
    renamedRules: [],
    rewritten: new Map(),
    misplaced: new Set(),
    sightings: new Map(),
    seen: new Set(),
    maxFailures: input.maxFailures ?? Math.max(LEAST_MAX_FAILURES, Math.floor(items * MAX_FAILED_SHARE)),
    batches: 'allowed',
    batchesById: 'allowed',
    rankDigits: null,
    observed: {
      account: input.observed.account,
      domains: new Map(input.observed.domains),
      unproven: new Map(input.observed.unproven),
    },
  };
}

/** Whether nothing more may be sent; an abort is noticed here. */
export function isStopped(run: Run): boolean {
  if (run.ports.signal?.aborted === true) {
    stopRun(run.ledger, { kind: 'interrupted', message: 'interrupted' });
  }
  return run.ledger.stop !== null;
}

export function markDone(run: Run, entry: DoneEntry): void {
  recordDone(run.ledger, entry);
  reportProgress(run);
}

/** One failure more than allowed ends the run. */
export function markFailed(run: Run, entry: FailedEntry): void {
  recordFailure(run.ledger, entry);
  const { size } = run.ledger.failed;
  if (size > run.maxFailures) {
    const message = `${size} items failed, more than --max-failures ${run.maxFailures}`;
    stopRun(run.ledger, { kind: 'too-many-failures', message });
  }
  reportProgress(run);
}

export function markSkipped(run: Run, changes: readonly Change[], reason: string): void {
  for (const change of changes) recordSkip(run.ledger, change, reason);
  reportProgress(run);
}

export function blockKey(domain: DomainName, kind?: Kind): string {
  return kind === undefined ? domain : `${domain}\n${kind}`;
}

/** Why nothing of this kind is sent in this domain any more; null: it may be. */
export function blockReason(run: Run, domain: DomainName, kind: Kind): string | null {
  return run.blocked.get(blockKey(domain)) ?? run.blocked.get(blockKey(domain, kind)) ?? null;
}

/** The requests of this run, those before its plan included. */
export function requestsOfRun({ input, ports }: Run): RequestTotals {
  const { total, retried, rateLimited, waitedSeconds } = ports.client.totals();
  const before = input.totalsBefore;
  return {
    total: total - before.total,
    retried: retried - before.retried,
    rateLimited: rateLimited - before.rateLimited,
    waitedSeconds: Math.round((waitedSeconds - before.waitedSeconds) * 10) / 10,
  };
}

export function stopReason(run: Run): string {
  return run.ledger.stop?.message ?? 'the run ended';
}

function reportProgress(run: Run): void {
  const { done, failed, skipped } = run.ledger;
  const total = run.input.plan.changes.length;
  run.ports.onProgress?.({
    kind: 'items',
    done: Math.min(total, done.size + failed.size + skipped.size),
    total,
  });
}
