import {
  runOutcome,
  type DomainHealth,
  type DomainStatus,
  type RunResult,
} from '../../core/model/status/daemon.ts';
import { notReceivingText, type NotReceiving } from '../../core/model/status/fleet.ts';
import { backoff } from '../daemon/scheduler.ts';
import type { StatusTracker } from '../daemon/status/account-status.ts';
import type { Claim, RunRecord } from './runs.ts';

/** The parts of a job that its record is made of. */
export interface RecordedJob {
  readonly claim: Claim;
  readonly options: { readonly intervalMs: number };
  readonly account: { conceal(text: string): string };
  readonly tracker: StatusTracker;
  readonly ports: { readonly random: () => number };
}

/** States, the most severe first. */
const SEVERITY: readonly DomainHealth[] = ['failing', 'withheld', 'frozen', 'drifted', 'unknown', 'in-sync'];
const APPLIED: ReadonlySet<string> = new Set(['unchanged', 'converged']);

export function outcomeOf(
  job: RecordedJob,
  result: RunResult,
  seconds: number,
): Omit<RunRecord, 'memory' | 'retryMs'> {
  const { intervalMs } = job.options;
  const { domains } = job.tracker.status();
  const [worst] = [...domains.values()].toSorted(
    (a, b) => SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state),
  );
  const { state = 'unknown', reason = null } = worst ?? {};
  const known = withReceiving(job, { state, reason });
  if (result.kind === 'failed')
    return { ...known, isApplied: false, isRead: false, drift: 0, intervalMs, readMs: 0 };
  return {
    ...known,
    isApplied: state === 'in-sync' && APPLIED.has(runOutcome(result)),
    isRead: [...domains.values()].every(({ readAt }) => readAt !== null),
    drift: result.drift.length,
    intervalMs,
    readMs: result.report?.wrote === true ? 0 : 1_000 * seconds,
  };
}

/** Adds that domains do not receive mail to the state and the reason of an account's worst domain. */
function withReceiving(
  { account, claim, tracker }: RecordedJob,
  { state, reason }: Pick<DomainStatus, 'state' | 'reason'>,
): Pick<RunRecord, 'state' | 'error' | 'notReceiving'> {
  const notReceiving = notReceivingOf(tracker.status().domains);
  const stopped = notReceivingText('stopped', notReceiving);
  const error = [stopped, reason].filter((text) => text !== null).join('; ');
  return {
    state: stopped === null ? state : 'not-receiving',
    error: error === '' ? null : account.conceal(error),
    notReceiving: notReceiving ?? claim.outcome.notReceiving,
  };
}

/** Returns the domains that do not receive mail. null means that the run did not learn it of any domain. */
function notReceivingOf(domains: ReadonlyMap<string, DomainStatus>): NotReceiving | null {
  const names = Map.groupBy(domains.keys(), (name) => domains.get(name)?.receiving ?? null);
  if (names.size === 1 && names.has(null)) return null;
  return { stopped: names.get('stopped') ?? [], never: names.get('never') ?? [] };
}

export function retryAfter({ claim, options, ports }: RecordedJob): number {
  return backoff(claim.failures + 1, options.intervalMs, ports.random);
}

/** Returns the record of a run that sent nothing. */
export function failedRecord(job: RecordedJob, error: string): RunRecord {
  const { claim, options, account } = job;
  return {
    state: 'failing',
    error: account.conceal(error),
    notReceiving: claim.outcome.notReceiving,
    isApplied: false,
    isRead: false,
    drift: 0,
    retryMs: retryAfter(job),
    intervalMs: options.intervalMs,
    readMs: 0,
    memory: { ...claim.memory, parked: null },
  };
}

/**
 * Returns the record of a parked run. It waits one interval, because only the key may change, and checking that costs
 * no request.
 */
export function parkedRecord(job: RecordedJob, error: string): RunRecord {
  const { claim, options } = job;
  return { ...failedRecord(job, error), retryMs: options.intervalMs, memory: claim.memory };
}
