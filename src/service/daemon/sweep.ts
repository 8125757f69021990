import { observe, type ObservedDomains } from '../../client/observe.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { RunResult } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { internalFault, withAccess, type AccessFault, type RunPorts } from './account-run.ts';
import { keepDomains, type DomainDigests } from '../../engine/domain-digests.ts';
import { createFullReads, type FullReadOptions } from './full-reads.ts';
import { readQuickly, type QuickSweepPorts, type SweepRead } from './quick-sweep.ts';

/** Reads the whole account again and again, at its own pace. Runs go on meanwhile. */
export interface Sweeper {
  /**
   * Starts a read. Resolves when everything is read, with the expected time of the next read; null means as long as
   * this one. Never rejects.
   */
  begin(desired: Desired, digests: DomainDigests): Promise<number | null>;
  /** Discards what was read of these domains, because a run is about to change them. */
  discard(names: readonly DomainName[]): void;
  /** Makes the next sweep read everything in full. */
  forget(): void;
  /**
   * Waits for the read. Returns it with the part of the manifest for which it is up to date: the domains whose
   * desired state is the same as then.
   */
  finish(desired: Desired, digests: DomainDigests): Promise<FinishedSweep>;
  /** Takes the result of the run that a finished sweep led to. */
  planned(sweep: FinishedSweep, result: RunResult): void;
  /** Resolves when the current read has ended. */
  idle(): Promise<void>;
}

export interface FinishedSweep {
  readonly desired: Desired;
  /** Start in monotonic milliseconds. */
  readonly startedAt: number;
  /** Time of each domain's last full read, in epoch milliseconds. */
  readonly readAt: ReadonlyMap<DomainName, number>;
  readonly read: SweepResult;
}

type SweepResult = Result<SweepRead, AccessFault>;

export type SweepPorts = RunPorts & Pick<QuickSweepPorts, 'onListUnread'>;

interface Sweep {
  readonly startedAt: number;
  readonly digests: DomainDigests;
  readonly discarded: Set<DomainName>;
  readonly result: Promise<SweepResult>;
}

export function createSweeper(options: FullReadOptions, ports: SweepPorts): Sweeper {
  const reads = createFullReads(options);
  let sweep: Sweep | null = null;
  return {
    async begin(desired, digests) {
      const startedAt = ports.clock.monotonic();
      const result = readAll(desired, { ...ports, reads });
      sweep = { startedAt, digests, discarded: new Set(), result };
      const read = await result;
      return read.ok ? read.value.nextMs : null;
    },
    discard(names) {
      for (const name of names) sweep?.discarded.add(name);
      reads.forget(names);
    },
    forget: () => reads.clear(ports.clock.monotonic()),
    async finish(whole, current) {
      if (sweep === null) throw new Error('there is no sweep to finish');
      const { startedAt, digests, discarded, result } = sweep;
      const read = await result;
      sweep = null;
      const isUpToDate = (name: DomainName): boolean =>
        !discarded.has(name) && digests.get(name) === current.get(name);
      const readAt = read.ok ? readTimes(read.value.observed, ports.clock) : new Map();
      return { desired: keepDomains(whole, isUpToDate), startedAt, readAt, read };
    },
    planned({ desired, read }, result) {
      // A run that failed before it planned wrote nothing. A run that ended in a bug may have written anything.
      if (result.kind === 'failed' && result.what === 'internal') reads.clear(ports.clock.monotonic());
      if (result.kind !== 'completed' || !read.ok || read.value.kind === 'whole') return;
      reads.keep(desired.domains.keys(), read.value.observed.domains, result.plan);
    },
    idle: async () => void (await sweep?.result),
  };
}

function readTimes({ domains }: ObservedDomains, clock: Clock): ReadonlyMap<DomainName, number> {
  const offset = clock.now() - clock.monotonic();
  const times = [...domains].map(([name, { readAt }]) => [name, readAt] as const);
  return new Map(times.flatMap(([name, readAt]) => (readAt === null ? [] : [[name, readAt + offset]])));
}

async function readAll(desired: Desired, ports: RunPorts & QuickSweepPorts): Promise<SweepResult> {
  try {
    const read = await withAccess(desired, ports, async ({ drift, ...access }) => {
      if (drift !== undefined) return readQuickly({ ...access, drift }, desired, ports);
      const client = access.client.withUrgency('sweep');
      const observed = await observe(client, { desired, clock: ports.clock });
      return observed.ok
        ? succeed({ kind: 'whole', observed: observed.value, client: access.client, nextMs: null } as const)
        : observed;
    });
    if (!read.ok) return read;
    const { value } = read;
    return value.kind === 'other-account'
      ? fail({ what: 'account', message: value.message })
      : succeed(value);
  } catch (error) {
    return fail(internalFault(error));
  }
}
