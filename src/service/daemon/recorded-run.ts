import type { Cause, DaemonEvent, RunResult } from '../../core/model/status/daemon.ts';
import { createRunId } from '../../core/model/history/entries.ts';
import type { DomainName } from '../../core/model/names.ts';
import { runAccount, type RunPorts, type RunTask } from './account-run.ts';
import { splitChanges, type StatusTracker } from './status/account-status.ts';
import type { FlapDetector } from './flap-detector.ts';
import type { ReceivingWatch } from './receiving.ts';
import type { RepeatedSweeps } from './repeated-sweep.ts';
import type { Scheduler } from './scheduler.ts';

/** Places where the runs of an account are recorded. */
export interface RunRecords {
  readonly options: { readonly name: string; readonly mode: 'apply' | 'observe' };
  readonly ports: RunPorts & { readonly emit: (event: DaemonEvent) => void };
  readonly scheduler: Pick<Scheduler, 'failures' | 'runEnded'>;
  readonly flaps: FlapDetector;
  readonly repeated: RepeatedSweeps;
  readonly receiving: ReceivingWatch;
  readonly tracker: StatusTracker;
}

export interface RunStart {
  readonly cause: Cause;
  readonly names: readonly DomainName[];
  /** Start of the run or of its read. */
  readonly startedAt: number;
  /** Times of earlier full reads of domains, in epoch milliseconds. */
  readonly readAt?: ReadonlyMap<DomainName, number>;
}

const NEVER: ReadonlyMap<DomainName, number> = new Map();

export type Work = Omit<RunTask, 'run' | 'mode' | 'flaps' | 'repeated' | 'receiving' | 'inSync'>;
export type FailedRun = Extract<RunResult, { kind: 'failed' }>;

/** Makes a run, or records a run that failed before it began. */
export async function makeRun(
  { scheduler, tracker, flaps, repeated, receiving, options, ports }: RunRecords,
  { cause, names, startedAt, readAt = NEVER }: RunStart,
  work: Work | FailedRun,
): Promise<RunResult> {
  const { clock } = ports;
  const run = createRunId({ now: clock.now(), random: ports.random() });
  ports.emit({ account: options.name, kind: 'run-started', run, cause, domains: names.length });
  const inSync = new Set(tracker.domainsIn('in-sync'));
  const task = { run, mode: options.mode, flaps, repeated, receiving, inSync };
  const result = 'kind' in work ? work : await runAccount({ ...work, ...task }, ports);
  tracker.receivingRead(receiving.values(), receiving.takeChanges());
  // A run that was asked to stop did not fail.
  if (result.kind === 'failed' && ports.signal.aborted) return result;
  if (result.kind === 'completed') flaps.applied(splitChanges(result).applied);
  const seconds = (clock.monotonic() - startedAt) / 1000;
  const failing = tracker.runFinished({ run, cause, names, seconds, result, readAt });
  const failures = scheduler.failures();
  scheduler.runEnded({ cause, domains: names, failing }, clock.monotonic());
  if (failures > 0 && scheduler.failures() === 0) {
    ports.emit({ account: options.name, kind: 'recovered', run, failures });
  }
  return result;
}
