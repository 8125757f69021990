import type { Disclosure } from '../../core/model/destinations.ts';
import { entryKey } from '../../core/kinds/item-key.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Change } from '../../core/model/plan.ts';
import { sideOf, signature } from '../../core/kinds/items.ts';

/**
 * Detects items that are changed back again and again outside fwdsync, so that two tools do not undo each other for
 * ever.
 */
export interface FlapDetector {
  /** Records a read of some domains. Returns the changes that must not be made. */
  record(read: DomainsRead): ReadonlySet<Change>;
  /** Records what a run changed. */
  applied(changes: Iterable<Change>): void;
  /** Forgets all domains except these. */
  retain(domains: ReadonlyMap<DomainName, unknown>): void;
  /** Forgets everything. */
  reset(): void;
  /** Returns the memory as JSON that `createFlapDetector` takes. It contains desired values. */
  memory(): FlapMemory;
}

/** Recent differences by domain. Domains without one are left out. */
export type FlapMemory = readonly (readonly [DomainName, number, readonly (readonly [string, Item])[]])[];

export interface DomainsRead {
  readonly domains: Iterable<DomainName>;
  /** All differences in these domains. */
  readonly changes: readonly Change[];
  readonly references: Disclosure['references'];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Number of reverts within `WINDOW` reads that freezes an item. */
const MOST_REVERTS = 3;
const WINDOW = 6;
const FROZEN_FOR_MS = 86_400_000;

interface Item {
  /** Desired state of the item. Another desired state starts the count again. */
  desired: string;
  /** True if our last change of the item was applied. A difference was then made outside fwdsync. */
  isApplied: boolean;
  /** Numbers of the reads of its domain that found the item changed back. */
  reverts: number[];
  frozenAt: number | null;
  /** Number of the last read that found a difference. */
  lastRead: number;
}

interface Domain {
  /** Number of reads since the first difference. */
  reads: number;
  readonly items: Map<string, Item>;
}

export function createFlapDetector(memory: FlapMemory = []): FlapDetector {
  const domains = new Map<DomainName, Domain>(
    memory.map(([name, reads, items]) => [name, { reads, items: new Map(items) }]),
  );
  return {
    record({ domains: names, changes, references, now }) {
      for (const name of names) countRead(domains, name);
      const frozen = new Set<Change>();
      for (const change of changes) {
        const domain = domains.get(change.domain) ?? { reads: 0, items: new Map<string, Item>() };
        domains.set(change.domain, domain);
        if (isFrozen(domain, change, desiredOf(change, references), now)) frozen.add(change);
      }
      return frozen;
    },
    applied(changes) {
      for (const { domain, kind, name } of changes) {
        const item = domains.get(domain)?.items.get(entryKey(kind, name));
        if (item !== undefined) item.isApplied = true;
      }
    },
    retain(kept) {
      for (const name of domains.keys()) if (!kept.has(name)) domains.delete(name);
    },
    reset() {
      domains.clear();
    },
    memory: () => [...domains].map(([name, { reads, items }]) => [name, reads, [...items]]),
  };
}

/** Counts a read of a domain. Forgets items without a difference for a whole window, and domains without items. */
function countRead(domains: Map<DomainName, Domain>, name: DomainName): void {
  const domain = domains.get(name);
  if (domain === undefined) return;
  domain.reads += 1;
  for (const [key, item] of domain.items) {
    if (domain.reads - item.lastRead > WINDOW) domain.items.delete(key);
  }
  if (domain.items.size === 0) domains.delete(name);
}

function isFrozen({ reads, items }: Domain, change: Change, desired: string, now: number): boolean {
  const key = entryKey(change.kind, change.name);
  const known = items.get(key);
  const item = known === undefined || known.desired !== desired ? newItem(change, desired) : known;
  items.set(key, item);
  item.lastRead = reads;
  if (item.frozenAt !== null && now - item.frozenAt < FROZEN_FOR_MS) return true;
  if (item.frozenAt !== null) item.reverts = [];
  // A change that failed was never made, so nothing changed it back.
  if (item.isApplied) item.reverts = [...item.reverts.filter((read) => reads - read < WINDOW), reads];
  item.isApplied = false;
  item.frozenAt = item.reverts.length >= MOST_REVERTS ? now : null;
  return item.frozenAt !== null;
}

/** Returns a new item. A drifted item was in sync once, so an earlier run, of this process or another, applied it. */
function newItem({ reason }: Change, desired: string): Item {
  return { desired, isApplied: reason === 'drift', reverts: [], frozenAt: null, lastRead: 0 };
}

function desiredOf(change: Change, references: Disclosure['references']): string {
  const desired = sideOf(change, 'desired');
  return desired === null ? 'absent' : signature(desired, references);
}
