import type { CommandLine } from '../../core/model/text/command-line.ts';
import type { Cause, DaemonEvent, RunResult } from '../../core/model/status/daemon.ts';
import { errorsFirst } from '../../core/model/manifest/problem.ts';
import { fail, succeed } from '../../core/model/result.ts';
import { internalFault, type RunPorts } from '../daemon/account-run.ts';
import { createStatusTracker, type StatusTracker } from '../daemon/status/account-status.ts';
import { createFlapDetector } from '../daemon/flap-detector.ts';
import type { ManifestRead } from '../daemon/manifest/manifest-source.ts';
import { makeRun, type RunRecords, type Work } from '../daemon/recorded-run.ts';
import { createReceivingWatch } from '../daemon/receiving.ts';
import { createRepeatedSweeps } from '../daemon/repeated-sweep.ts';
import { accountName } from '../../engine/state/account-name.ts';
import type { Database } from '../../engine/state/postgres/database.ts';
import type { Revision } from '../../engine/state/postgres/published/read-revision.ts';
import type { HistoryStore, StateStore } from '../../engine/state/store.ts';
import { claimedState } from './claimed-state.ts';
import { failedRecord, outcomeOf, parkedRecord, retryAfter } from './job-records.ts';
import { parkedBy, stillParked } from './parking.ts';
import type { RanAccounts } from './ran-accounts.ts';
import type { Claim, RunMemory, RunRecord } from './runs.ts';

export interface JobOptions {
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** Time without a heartbeat after which a run goes to another worker, in milliseconds. */
  readonly jobExpiryMs: number;
}

/** Returns how long a run without a confirmed heartbeat may go on sending requests that read, in milliseconds. */
export function longestUnheardMs({ jobExpiryMs }: Pick<JobOptions, 'jobExpiryMs'>): number {
  return jobExpiryMs / 3;
}

/** Time for the last request to arrive and be counted. */
const LAST_REQUEST_MS = 5_000;

export interface JobPorts extends Pick<RunPorts, 'clock' | 'random'> {
  readonly database: Database;
  readonly emit: (event: DaemonEvent) => void;
  readonly openAccount: (account: AccountToRun) => OpenAccount;
  /** Keeps the account as the run leaves it. */
  readonly ran: Pick<RanAccounts, 'add'>;
}

export interface AccountToRun {
  readonly email: string;
  readonly revision: Revision;
  /** Budgets at the end of the previous run; null if not known. */
  readonly budgets: unknown;
  /**
   * Time since a run that is not counted in the budgets may have sent requests, in milliseconds. null means that
   * there was none.
   */
  readonly usedMsAgo: number | null;
  /** Once aborted, nothing more is sent. */
  readonly signal: AbortSignal;
}

/** An account as opened on this machine for a run. */
export interface OpenAccount {
  /** Reads the revision, with its references resolved here. */
  read(): Promise<ManifestRead>;
  readonly ports: Omit<RunPorts, 'clock' | 'random' | 'signal'>;
  /** Returns the known rate limits as JSON. */
  budgets(): unknown;
  /** Completes the commands that its status and its log name. */
  readonly command: CommandLine;
  /** Removes secrets from a text. */
  conceal(text: string): string;
  close(): Promise<void>;
}

/** The result of a job. */
export interface JobEnd {
  readonly kind: 'ended';
  readonly record: RunRecord;
  /** `invalid` means that the manifest cannot be used here. */
  readonly result: RunResult | 'invalid';
}

/** Result of a job that was asked to stop before its end. */
export interface JobStopped {
  readonly kind: 'stopped';
  readonly memory: RunMemory;
  readonly result: RunResult;
}

/** Makes one run of a published account, like the daemon does. */
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
    // A revision that was run before is not news.
    emit: (event) => (event.kind === 'manifest-accepted' && !isNew(claim) ? undefined : ports.emit(event)),
  });
  const job: Job = { claim, options, ports, account, tracker, history: null };
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

/** Reads the manifest. A bug in reading it counts as a failure of its account. */
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
  /** The account's history, once it was opened. */
  history: HistoryStore | null;
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
    receiving: createReceivingWatch(),
    tracker,
  };
  const work: Work = { desired, manifestSize: size, listing: 'all' };
  const result = await makeRun(records, { cause: causeOf(claim), names, startedAt }, work);
  const status = { ...tracker.status(), mode: options.mode };
  ports.ran.add({ status, desired, entries: size.entries, history: job.history });
  if (signal.aborted && isCut(result))
    return { kind: 'stopped', memory: { ...claim.memory, budgets: account.budgets() }, result };
  const seconds = (clock.monotonic() - startedAt) / 1000;
  const parking = await parkedBy(result, claim, { desired, access });
  const ran = claim.revision.number;
  const memory = { ran, flaps: flaps.memory(), budgets: account.budgets(), parked: parking };
  const retryMs = streak.failures() === 0 ? null : retryAfter(job);
  return { kind: 'ended', result, record: { ...outcomeOf(job, result, seconds), retryMs, memory } };
}

/** Continues the count of failed runs. */
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

/** True if a run that was asked to stop had work left. */
function isCut(result: RunResult): boolean {
  return result.kind === 'failed' || result.report?.stopped !== null;
}

/**
 * Returns the access to the account. A manifest that was published for one API must not be applied to another, which
 * has another state.
 */
function accessOf(job: Job): RunPorts['access'] {
  const { claim, account, ports } = job;
  return async (desired) => {
    const access = await account.ports.access(desired);
    if (!access.ok) return access;
    const { host } = accountName(claim.email, access.value.client.url);
    if (!ports.database.cipher.lookUp(host).equals(claim.host))
      return fail(
        `the manifest was published for another API than ${host}; give workers and publish the same --api-url`,
      );
    const openState = (name: string): StateStore => {
      const store = claimedState(access.value.openState(name), claim, ports);
      job.history = store.history;
      return store;
    };
    return succeed({ ...access.value, openState });
  };
}
