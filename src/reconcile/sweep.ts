import { observe, type ObservedDomains } from '../api/observe.ts';
import type { FailedStep } from '../model/daemon.ts';
import type { Desired } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import { fail, type Result } from '../model/result.ts';
import type { RunPorts } from './account-run.ts';
import { keepDomains, type Fingerprints } from './changed.ts';

/** A reading of everything at its own pace, beside which runs may go on. */
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

export type SweepResult = Result<ObservedDomains, SweepFault>;

export interface SweepFault {
  readonly what: FailedStep;
  readonly message: string;
}

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
      result = await readAll(desired, ports);
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

async function readAll(desired: Desired, ports: RunPorts): Promise<SweepResult> {
  for (let attempt = 1; ; attempt += 1) {
    const access = await ports.access(desired);
    if (!access.ok) return fail({ what: 'key', message: access.error });
    const { client } = access.value;
    const read = await observe(client.withUrgency('sweep'), { desired, clock: ports.clock });
    if (read.ok) return read;
    const isRotated = async (): Promise<boolean> => {
      const again = await ports.access(desired);
      return again.ok && again.value.client !== client;
    };
    const mayRepeat = read.error.kind === 'unauthorised' && attempt === 1 && (await isRotated());
    if (!mayRepeat) return fail({ what: 'read', message: `${read.error.endpoint}: ${read.error.message}` });
  }
}
