import type { CommandLine } from '../../core/model/text/command-line.ts';
import {
  runOutcome,
  type Cause,
  type DaemonEvent,
  type DomainHealth,
  type RunResult,
} from '../../core/model/status/daemon.ts';
import { errorsFirst } from '../../core/model/manifest/problem.ts';
import { fail, succeed } from '../../core/model/result.ts';
import { internalFault, type RunPorts } from '../daemon/account-run.ts';
import { createStatusTracker, type StatusTracker } from '../daemon/status/account-status.ts';
import { createFlapDetector } from '../daemon/flap-detector.ts';
import type { ManifestRead } from '../daemon/manifest/manifest-source.ts';
import { makeRun, type RunRecords, type Work } from '../daemon/recorded-run.ts';
import { createRepeatedSweeps } from '../daemon/repeated-sweep.ts';
import { backoff } from '../daemon/scheduler.ts';
import { accountName } from '../../engine/state/account-name.ts';
import { describeFailure, type Database } from '../../engine/state/postgres/database.ts';
import type { Revision } from '../../engine/state/postgres/revisions.ts';
import type { StateStore } from '../../engine/state/store.ts';
import { parkedBy, stillParked } from './parking.ts';
import { showRuns, type Claim, type RunMemory, type RunRecord } from './runs.ts';

export interface JobOptions {
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** A run of which no sign was seen for so long goes to another worker, milliseconds. */
  readonly jobExpiryMs: number;
}

/** For so long a run goes on sending requests that read, though nobody hears of it, milliseconds. */
export function longestUnheardMs({ jobExpiryMs }: Pick<JobOptions, 'jobExpiryMs'>): number {
  return jobExpiryMs / 3;
}

/** A request that was sent last is counted when it arrives. */
const LAST_REQUEST_MS = 5_000;

export interface JobPorts extends Pick<RunPorts, 'clock' | 'random'> {
  readonly database: Database;
  readonly emit: (event: DaemonEvent) => void;
  readonly openAccount: (account: AccountToRun) => OpenAccount;
}

export interface AccountToRun {
  readonly email: string;
  readonly revision: Revision;
  /** What `budgets` gave at the end of the run before; null: nothing is known. */
  readonly budgets: unknown;
  /** When a run that is not counted in them may have sent requests, milliseconds ago; null: none has. */
  readonly usedMsAgo: number | null;
  /** Aborted: nothing more is sent. */
  readonly signal: AbortSignal;
}

/** What this machine brings to a run of an account. */
export interface OpenAccount {
  /** The revision, with its references resolved here. */
  read(): Promise<ManifestRead>;
  readonly ports: Omit<RunPorts, 'clock' | 'random' | 'signal'>;
  /** What is known of the rate limits, as JSON. */
  budgets(): unknown;
  /** Completes the commands that its status and its log name. */
  readonly command: CommandLine;
  /** Takes out of a text what must not be shown. */
  conceal(text: string): string;
  close(): Promise<void>;
}

/** The result of the job of an account. */
export interface JobEnd {
  readonly kind: 'ended';
  readonly record: RunRecord;
  /** `invalid`: the manifest cannot be used here. */
  readonly result: RunResult | 'invalid';
}

/** It was asked to stop before its end. */
export interface JobStopped {
  readonly kind: 'stopped';
  readonly memory: RunMemory;
  readonly result: RunResult;
}

/** One run of a published account, as the daemon makes it. */
export async function runJob(
  claim: Claim,
  options: JobOptions,
  ports: JobPorts & { readonly signal: AbortSignal },
): Promise<JobEnd | JobStopped> {
  const { email, revision, memory, silentMs } = claim;
  const unheard = longestUnheardMs(options) + LAST_REQUEST_MS;
  const account = ports.openAccount({
    email,
    revision,
    budgets: memory.budgets,
    usedMsAgo: silentMs === null ? null : Math.max(0, silentMs - unheard),
    signal: ports.signal,
  });
  const tracker = createStatusTracker({
    name: email,
    now: () => ports.clock.now(),
    command: account.command,
    // Of a revision that was run before it is no news.
    emit: (event) => (event.kind === 'manifest-accepted' && !isNew(claim) ? undefined : ports.emit(event)),
  });
  const job: Job = { claim, options, ports, account, tracker };
  try {
    const read = claim.isDamaged ? damaged(claim, account) : await readSafely(account);
    if (read.kind === 'good') return await runRead(job, read);
    tracker.manifestRefused(read);
    const first = errorsFirst(read.problems).slice(0, 1);
    const error = [read.message, ...first.map(({ message }) => message)].join(': ');
    return { kind: 'ended', result: 'invalid', record: failedRecord(job, error) };
  } finally {
    await account.close();
  }
}

function damaged(
  { email, revision: { number } }: Claim,
  { command }: Pick<OpenAccount, 'command'>,
): ManifestRead {
  const earlier =
    number > 1 ? `, or an earlier revision: \`${command(`publish --rollback ${number - 1}`)}\`` : '';
  const message = `revision ${number} is damaged in the store: publish the manifest of ${email} again${earlier}`;
  return { kind: 'bad', message, problems: [] };
}

/** A bug over one manifest is a failure of its account. */
function readSafely(account: OpenAccount): Promise<ManifestRead> {
  return account.read().catch((error: unknown): ManifestRead => ({
    kind: 'bad',
    message: internalFault(error).message,
    problems: [],
  }));
}

interface Job {
  readonly claim: Claim;
  readonly options: JobOptions;
  readonly ports: JobPorts & { readonly signal: AbortSignal };
  readonly account: OpenAccount;
  readonly tracker: StatusTracker;
}

async function runRead(
  job: Job,
  read: Extract<ManifestRead, { kind: 'good' }>,
): Promise<JobEnd | JobStopped> {
  const { claim, options, ports, account, tracker } = job;
  const { desired, size } = read;
  const { clock, random, signal, emit } = ports;
  const names = [...desired.domains.keys()];
  tracker.manifestAccepted(read, names);
  const access = accessOf(job);
  const parked = await stillParked(claim, desired, access);
  if (parked !== null) return { kind: 'ended', result: parked, record: parkedRecord(job, parked.message) };
  const flaps = createFlapDetector(claim.memory.flaps);
  flaps.retain(desired.domains);
  const streak = streakOf(claim);
  const startedAt = clock.monotonic();
  const records: RunRecords = {
    options: { name: claim.email, mode: options.mode },
    ports: { ...account.ports, clock, random, signal, emit, access },
    scheduler: streak,
    flaps,
    repeated: createRepeatedSweeps(),
    tracker,
  };
  const work: Work = { desired, manifestSize: size, listing: 'all' };
  const result = await makeRun(records, { cause: causeOf(claim), names, startedAt }, work);
  if (signal.aborted && isCut(result))
    return { kind: 'stopped', memory: { ...claim.memory, budgets: account.budgets() }, result };
  const seconds = (clock.monotonic() - startedAt) / 1000;
  const parking = await parkedBy(result, claim, { desired, access });
  const ran = claim.revision.number;
  const memory = { ran, flaps: flaps.memory(), budgets: account.budgets(), parked: parking };
  const retryMs = streak.failures() === 0 ? null : retryAfter(job);
  return { kind: 'ended', result, record: { ...outcomeOf(job, result, seconds), retryMs, memory } };
}

/** Counts on from the runs that failed before. */
function streakOf(claim: Claim): RunRecords['scheduler'] {
  let { failures } = claim;
  return {
    failures: () => failures,
    runEnded({ failing }) {
      failures = failing.length === 0 ? 0 : failures + 1;
    },
  };
}

function causeOf(claim: Claim): Cause {
  if (isNew(claim)) return 'manifest';
  return claim.failures > 0 ? 'retry' : 'sweep';
}

function isNew({ memory, revision }: Claim): boolean {
  return memory.ran !== revision.number;
}

/** Whether a run that was asked to stop had something left to do. */
function isCut(result: RunResult): boolean {
  return result.kind === 'failed' || result.report?.stopped !== null;
}

/** A manifest that was published for one API must not be applied to another, where the state is another one. */
function accessOf({ claim, account, ports }: Job): RunPorts['access'] {
  return async (desired) => {
    const access = await account.ports.access(desired);
    if (!access.ok) return access;
    const { host } = accountName(claim.email, access.value.client.url);
    if (!ports.database.cipher.lookUp(host).equals(claim.host))
      return fail(
        `the manifest was published for another API than ${host}; give workers and publish the same --api-url`,
      );
    const openState = (name: string): StateStore => ofClaim(access.value.openState(name), claim, ports);
    return succeed({ ...access.value, openState });
  };
}

/**
 * Its lock is for the latest run of the account alone: a run that stood still before it had the lock must not apply an older
 * revision. A run that begins later waits for the lock, or takes it over.
 */
function ofClaim(state: StateStore, claim: Claim, { database }: Pick<JobPorts, 'database'>): StateStore {
  return {
    ...state,
    async lock() {
      const lock = await state.lock();
      if (!lock.ok) return lock;
      try {
        if ((await showRuns(database, [claim])).length === 0) return lock;
        await lock.value.release();
        return fail({ kind: 'lost', message: `another worker runs ${claim.email} by now` });
      } catch (error) {
        await lock.value.release();
        return fail({
          kind: 'unwritable',
          message: `${state.place} cannot be read: ${describeFailure(error)}`,
        });
      }
    },
  };
}

/** From the most severe on. */
const SEVERITY: readonly DomainHealth[] = ['failing', 'withheld', 'frozen', 'drifted', 'unknown', 'in-sync'];
const APPLIED: ReadonlySet<string> = new Set(['unchanged', 'converged']);

function outcomeOf(
  { options, account, tracker }: Job,
  result: RunResult,
  seconds: number,
): Omit<RunRecord, 'memory' | 'retryMs'> {
  const { intervalMs } = options;
  const { domains } = tracker.status();
  const [worst] = [...domains.values()].toSorted(
    (a, b) => SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state),
  );
  const { state = 'unknown', reason = null } = worst ?? {};
  const known = { state, error: reason === null ? null : account.conceal(reason) };
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

function retryAfter({ claim, options, ports }: Job): number {
  return backoff(claim.failures + 1, options.intervalMs, ports.random);
}

/** Nothing was sent. */
function failedRecord(job: Job, error: string): RunRecord {
  const { claim, options, account } = job;
  return {
    state: 'failing',
    error: account.conceal(error),
    isApplied: false,
    isRead: false,
    drift: 0,
    retryMs: retryAfter(job),
    intervalMs: options.intervalMs,
    readMs: 0,
    memory: { ...claim.memory, parked: null },
  };
}

/** It waits an interval: what may change is the key, which costs no request to see. */
function parkedRecord(job: Job, error: string): RunRecord {
  const { claim, options } = job;
  return { ...failedRecord(job, error), retryMs: options.intervalMs, memory: claim.memory };
}
