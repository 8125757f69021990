import { observe, type ObservedDomains } from '../../api/observe.ts';
import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import { fail, type Result } from '../../model/result.ts';
import { withAccess, type AccessFault, type RunPorts } from './account-run.ts';
import { keepDomains, type Fingerprints } from '../changed.ts';

/** A read of everything at its own pace, beside which runs may go on. */
export interface Sweep {
  /** Monotonic milliseconds. */
  readonly begun: number;
  /** Null until it has come to its end. */
  result(): SweepResult | null;
  /** Resolves when it has. */
  readonly ended: Promise<void>;
  /** These domains were dealt with meanwhile: what was read of them counts no more. */
  touched(domains: Iterable<DomainName>): void;
  /** What of the manifest in force now the reading can speak of: what was desired then as it is now. */
  concerns(desired: Desired, fingerprints: Fingerprints): Desired;
}

export type SweepResult = Result<ObservedDomains, AccessFault>;

/** Starts to read; `onEnd` is called once. */
export function startSweep(
  desired: Desired,
  fingerprints: Fingerprints,
  ports: RunPorts,
  onEnd: () => void,
): Sweep {
  const touched = new Set<DomainName>();
  let result: SweepResult | null = null;
  const read = async (): Promise<void> => {
    try {
      result = await withAccess(desired, ports, ({ client }) =>
        observe(client.withUrgency('sweep'), { desired, clock: ports.clock }),
      );
    } catch (error) {
      result = fail({
        what: 'internal',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
    onEnd();
  };
  return {
    begun: ports.clock.monotonic(),
    result: () => result,
    ended: read(),
    touched(domains) {
      for (const domain of domains) touched.add(domain);
    },
    concerns: (now, current) =>
      keepDomains(now, (name) => !touched.has(name) && fingerprints.get(name) === current.get(name)),
  };
}
