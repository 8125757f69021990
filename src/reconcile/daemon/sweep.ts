import { observe, type ObservedDomains } from '../../api/observe.ts';
import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import { fail, type Result } from '../../model/result.ts';
import { internalFault, withAccess, type AccessFault, type RunPorts } from './account-run.ts';
import { keepDomains, type DomainDigests } from '../domain-digests.ts';

/** A read of everything at its own pace; runs go on beside it. */
export interface Sweep {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Never rejects. */
  readonly result: Promise<SweepResult>;
  /** A run changes these domains meanwhile: what was read of them is out of date. */
  discard(domains: Iterable<DomainName>): void;
  /** The part of the manifest for which the read is up to date: what was desired then as it is now. */
  upToDate(desired: Desired, digests: DomainDigests): Desired;
}

export type SweepResult = Result<ObservedDomains, AccessFault>;

export function startSweep(desired: Desired, digests: DomainDigests, ports: RunPorts): Sweep {
  const discarded = new Set<DomainName>();
  return {
    startedAt: ports.clock.monotonic(),
    result: readAll(desired, ports),
    discard(domains) {
      for (const domain of domains) discarded.add(domain);
    },
    upToDate: (now, current) =>
      keepDomains(now, (name) => !discarded.has(name) && digests.get(name) === current.get(name)),
  };
}

async function readAll(desired: Desired, ports: RunPorts): Promise<SweepResult> {
  try {
    return await withAccess(desired, ports, ({ client }) =>
      observe(client.withUrgency('sweep'), { desired, clock: ports.clock }),
    );
  } catch (error) {
    return fail(internalFault(error));
  }
}
