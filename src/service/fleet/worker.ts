import type { Every } from '../../core/model/clock.ts';
import { createWakeup, type Wakeup } from '../daemon/wakeup.ts';
import { describeFailure, type Database, type Listener } from '../../engine/state/postgres/database.ts';
import { FLEET_CHANNEL } from '../../engine/state/postgres/published/revisions.ts';
import {
  longestUnheardMs,
  runJob,
  type JobEnd,
  type JobOptions,
  type JobPorts,
  type JobStopped,
} from './account-job.ts';
import type { Queue, RunJob } from './queue.ts';
import { claimRun, giveBack, recordRun, resyncAll, sendDue, showRuns, type Claim } from './runs.ts';
import { becomeScheduler, endWorker, showWorker, type WorkerIdentity } from './worker-row.ts';

export interface WorkerOptions extends JobOptions, WorkerIdentity {}

export interface WorkerPorts extends Omit<JobPorts, 'database'> {
  readonly database: Database;
  readonly queue: Queue;
  readonly every: Every;
  /** Once aborted, no run begins, and running ones send nothing more. */
  readonly signal: AbortSignal;
  /** Called when the database becomes unusable, with the reason, and with null when it works again. */
  readonly onFault: (message: string | null) => void;
  /** Called with the reason if the end of a run could not be recorded. The run is made again. */
  readonly onLost: (message: string) => void;
}

/** Runs published accounts, several at once. One of all workers is the scheduler. */
export interface Worker {
  /** Runs until the signal is aborted and its runs have ended. */
  run(): Promise<void>;
  /** Runs everything that is due, then ends. Rejects if the database cannot be used. */
  drain(): Promise<readonly (JobEnd | JobStopped)[]>;
  /** Reads all accounts of the fleet now, and gives frozen or parked ones another chance. */
  resync(): void;
  /** Returns the time of the last heartbeat in monotonic milliseconds. */
  heartbeatAt(): number;
  /** True if the database could be used at the last step. */
  isConnected(): boolean;
}

/** Interval between checks for jobs without a notification. */
const STEP_MS = 2_000;
/** Heartbeat interval, less than a third of the shortest job expiry. */
const BEAT_MS = 5_000;
/** Maximum time of a run. pg-boss takes a job away after a day. */
const LONGEST_RUN_MS = 23 * 3_600_000;

export function createWorker(options: WorkerOptions, ports: WorkerPorts): Worker {
  const { clock, signal } = ports;
  const state: WorkerState = {
    options,
    ports,
    wakeup: createWakeup(clock),
    running: new Map(),
    listener: null,
    scheduledAt: -Infinity,
    heartbeatAt: clock.monotonic(),
    shownAt: clock.monotonic(),
    fault: null,
    lost: null,
  };
  return {
    async run() {
      const stop = (): void => state.wakeup.wake();
      signal.addEventListener('abort', stop);
      await living(state, async () => {
        while (!signal.aborted) {
          await attempt(state, () => step(state));
          await state.wakeup.wait(STEP_MS);
        }
      });
      signal.removeEventListener('abort', stop);
    },
    async drain() {
      const ends: (JobEnd | JobStopped)[] = [];
      await living(state, async () => {
        await sendDue(ports.database, ports.queue, options.intervalMs);
        while (!signal.aborted) {
          const taken = await take(state, (end) => ends.push(end));
          if (taken === 0 && state.running.size === 0) return;
          await state.wakeup.wait(STEP_MS);
        }
      });
      if (state.lost !== null) throw state.lost;
      return ends;
    },
    resync: () => void attempt(state, () => resyncAll(ports.database)),
    heartbeatAt: () => state.heartbeatAt,
    isConnected: () => state.fault === null,
  };
}

interface WorkerState {
  readonly options: WorkerOptions;
  readonly ports: WorkerPorts;
  readonly wakeup: Wakeup;
  readonly running: Map<RunJob, RunningJob>;
  listener: Listener | null;
  /** Time of the last check for due accounts, in monotonic milliseconds. */
  scheduledAt: number;
  heartbeatAt: number;
  /** Time when the database last confirmed the heartbeat of the runs, in monotonic milliseconds. */
  shownAt: number;
  fault: string | null;
  /** Error that kept the end of a run from being recorded; null if there was none. */
  lost: unknown;
}

interface RunningJob {
  readonly stop: AbortController;
  ended: Promise<void>;
  claim: Claim | null;
}

/** Sends heartbeats while `work` and the runs that it began are in progress. */
async function living(state: WorkerState, work: () => Promise<void>): Promise<void> {
  const { database, every } = state.ports;
  await showWorker(database, state.options, 0);
  const stopBeats = every(BEAT_MS, () => void keepAlive(state));
  try {
    await work();
  } finally {
    await Promise.all([...state.running.values()].map(({ ended }) => ended));
    stopBeats();
    await state.listener?.close().catch(() => {});
    await attempt(state, () => endWorker(database, state.options));
  }
}

/** Attempts some work. A failure is reported once, and the work is tried again. */
async function attempt(state: WorkerState, work: () => Promise<void>): Promise<void> {
  let fault: string | null = null;
  try {
    await work();
  } catch (error) {
    fault = describeFailure(error);
  }
  if ((fault === null) !== (state.fault === null)) state.ports.onFault(fault);
  state.fault = fault;
}

/**
 * Sends the heartbeat. If none was confirmed for too long, stops all runs, because other workers are about to take
 * them over.
 */
async function keepAlive(state: WorkerState): Promise<void> {
  const { options, ports, running } = state;
  await attempt(state, () => beat(state));
  if (ports.clock.monotonic() - state.shownAt < longestUnheardMs(options)) return;
  for (const { stop } of running.values()) stop.abort();
}

/** Sends heartbeats for the worker and its runs, and stops runs that are not needed any more. */
async function beat(state: WorkerState): Promise<void> {
  const { options, ports, running } = state;
  const { clock, database, queue } = ports;
  const askedAt = clock.monotonic();
  await queue.beat([...running.keys()]);
  const claimed = [...running.values()].flatMap(({ claim, stop }) =>
    claim === null ? [] : [{ claim, stop }],
  );
  const gone = new Set(
    await showRuns(
      database,
      claimed.map(({ claim }) => claim),
    ),
  );
  for (const { claim, stop } of claimed) if (gone.has(claim)) stop.abort();
  await showWorker(database, options, running.size);
  state.shownAt = askedAt;
}

/** Sends due runs if this worker is the scheduler, and begins as many runs as there is room for. */
async function step(state: WorkerState): Promise<void> {
  const { options, ports, wakeup } = state;
  const { clock, database, queue } = ports;
  state.heartbeatAt = clock.monotonic();
  if (state.listener?.isAlive() !== true) {
    state.listener = await database.listen(FLEET_CHANNEL, () => {
      state.scheduledAt = -Infinity;
      wakeup.wake();
    });
  }
  if (clock.monotonic() - state.scheduledAt >= STEP_MS) {
    state.scheduledAt = clock.monotonic();
    if (await becomeScheduler(database, options)) await sendDue(database, queue, options.intervalMs);
  }
  await take(state, () => {});
}

async function take(state: WorkerState, onEnd: Performance['onEnd']): Promise<number> {
  const { options, ports, running } = state;
  const room = options.concurrency - running.size;
  if (room === 0) return 0;
  const jobs = await ports.queue.take(room);
  for (const job of jobs) {
    const entry: RunningJob = { stop: new AbortController(), claim: null, ended: Promise.resolve() };
    running.set(job, entry);
    entry.ended = perform(state, job, { entry, onEnd });
  }
  return jobs.length;
}

interface Performance {
  readonly entry: RunningJob;
  readonly onEnd: (end: JobEnd | JobStopped) => void;
}

/**
 * Performs a job. Never rejects. If the end of its run cannot be recorded, another worker takes the job and makes the
 * run again.
 */
async function perform(state: WorkerState, job: RunJob, { entry, onEnd }: Performance): Promise<void> {
  const { ports, running, wakeup } = state;
  const over = new AbortController();
  void ports.clock.sleep(LONGEST_RUN_MS, over.signal).then(() => entry.stop.abort());
  try {
    const end = await runClaimed(state, job, entry);
    if (end !== null) onEnd(end);
    await ports.queue.done(job);
  } catch (error) {
    state.lost = error;
    ports.onLost(describeFailure(error));
    // Without the database, the job expires.
    await ports.queue.giveUp(job).catch(() => {});
  }
  over.abort();
  running.delete(job);
  wakeup.wake();
}

/** Makes a run of an account; null if no manifest is published any more. */
async function runClaimed(
  { options, ports }: WorkerState,
  { account }: RunJob,
  entry: RunningJob,
): Promise<JobEnd | JobStopped | null> {
  const { database, queue } = ports;
  const claim = await claimRun(database, account, options.id);
  if (claim === null) return null;
  entry.claim = claim;
  const signal = AbortSignal.any([ports.signal, entry.stop.signal]);
  const end = await runJob(claim, options, { ...ports, signal });
  if (end.kind === 'ended') await recordRun(database, queue, claim, end.record);
  else await giveBack(database, claim, end.memory);
  return end;
}
