import type { DomainName } from '../../core/model/names.ts';
import type { ObservedDomain } from '../../core/model/observed.ts';
import type { Plan } from '../../core/model/plan.ts';

/**
 * Keeps full reads of domains that were in sync, until a run covers them. A quick sweep does not read these domains
 * again before their turn.
 */
export interface FullReads {
  readonly domains: ReadonlyMap<DomainName, ObservedDomain>;
  /** Keeps the domains for which the plan of this read has no change, and forgets the others. */
  keep(
    names: Iterable<DomainName>,
    read: ReadonlyMap<DomainName, ObservedDomain>,
    plan: Pick<Plan, 'changes' | 'withheld'>,
  ): void;
  forget(names: Iterable<DomainName>): void;
  /** Forgets everything that was read before this moment, including reads that are kept later. */
  clear(now: number): void;
  /** True if a sweep has read everything in full since the last `clear`. */
  hasReadAll(): boolean;
  /** Returns the domains to read at a sweep that begins now, so that none gets older than the full interval. */
  due(now: number): readonly DomainName[];
  /** Reports that a sweep read some domains in full, or all. */
  sweepEnded(sweep: {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly extent: 'all' | 'some';
  }): void;
}

/** Options of `createFullReads`. All times are monotonic milliseconds. */
export interface FullReadOptions {
  readonly fullIntervalMs: number;
  /** Time between two sweeps. */
  readonly intervalMs: number;
}

export function createFullReads({ fullIntervalMs, intervalMs }: FullReadOptions): FullReads {
  const domains = new Map<DomainName, ObservedDomain>();
  let clearedAt = -Infinity;
  let sweptAt = Infinity;
  let readAllMs = 0;
  let hasReadAll = false;
  return {
    domains,
    keep(names, read, { changes, withheld }) {
      const open = new Set([...changes, ...withheld].map(({ domain }) => domain));
      for (const name of names) {
        const domain = read.get(name);
        domains.delete(name);
        if (domain !== undefined && !open.has(name) && (domain.readAt ?? -Infinity) > clearedAt)
          domains.set(name, domain);
      }
    },
    forget(names) {
      for (const name of names) domains.delete(name);
    },
    clear(now) {
      clearedAt = now;
      hasReadAll = false;
      domains.clear();
    },
    hasReadAll: () => hasReadAll,
    due(now) {
      const stepMs = Math.max(intervalMs, now - sweptAt);
      // Half of the time is left to others. The last read of everything forecasts the next.
      return dueDomains(domains, { now, stepMs, fullMs: Math.max(fullIntervalMs, 2 * readAllMs) });
    },
    sweepEnded({ startedAt, endedAt, extent }) {
      sweptAt = endedAt;
      if (extent === 'some') return;
      readAllMs = endedAt - startedAt;
      hasReadAll = startedAt >= clearedAt;
    },
  };
}

/** Returns an even share of the domains, oldest first, and those that would be too old at the next sweep. */
function dueDomains(
  domains: ReadonlyMap<DomainName, ObservedDomain>,
  { now, stepMs, fullMs }: { readonly now: number; readonly stepMs: number; readonly fullMs: number },
): readonly DomainName[] {
  const ages = [...domains].map(([name, { readAt }]) => ({ name, age: now - (readAt ?? 0) }));
  const share = Math.ceil((ages.length * stepMs) / Math.max(stepMs, fullMs - stepMs));
  return ages
    .sort((a, b) => b.age - a.age)
    .filter(({ age }, place) => place < share || age + stepMs > fullMs)
    .map(({ name }) => name);
}
