import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { programInfo } from '../../program-info.ts';
import type { Logger } from 'pino';
import { createConnections } from '../../../client/http/transport.ts';
import type { JobEnd } from '../../../service/fleet/account-job.ts';
import { openQueue } from '../../../service/fleet/queue.ts';
import { readFleet } from '../../../service/fleet/records.ts';
import { createRecentFleet } from '../../../service/fleet/recent-fleet.ts';
import { createWorker, type Worker } from '../../../service/fleet/worker.ts';
import { durationText } from '../../../core/model/clock.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import type { Fleet, FleetState } from '../../../core/model/status/fleet.ts';
import { decide, type Decision } from '../../../engine/decide.ts';
import { describeFailure, type Database } from '../../../engine/state/postgres/database.ts';
import { exitOfAll } from '../../accounts/over-accounts.ts';
import type { Context } from '../../context.ts';
import { commandFailure, EXIT, interruptedExit, usageError, type ExitCode } from '../../exit.ts';
import { openStore } from '../../input/state/store.ts';
import { accountsDirectory, leaseOf, namesStore, statedPaths, type CommonOptions } from '../../settings.ts';
import { reportExit } from '../apply/conclude.ts';
import { openFleetAccount } from './fleet-account.ts';
import {
  createConcealingLog,
  logStarted,
  openReports,
  runService,
  type ServedProcess,
  type ServiceOptions,
} from './service.ts';

export interface WorkerRunOptions extends CommonOptions {
  readonly mode: 'apply' | 'observe';
  readonly once?: true;
  readonly concurrency?: number;
  readonly delivery?: true;
  readonly driftUrl?: string;
  readonly fullInterval?: string;
}

export interface WorkerWiring extends ServiceOptions {
  readonly intervalMs: number;
}

const DEFAULT_CONCURRENCY = 50;
/** Pages that are open are refreshed this often. */
const PAGE_MS = 10_000;

/** Whether a store is named and no manifest: then what is published in the store is run. */
export function isWorker(options: CommonOptions, context: Context): boolean {
  return (
    namesStore(options, context) &&
    statedPaths(options, context) === null &&
    accountsDirectory(options, context) === null
  );
}

/** What has an effect for workers alone, or for none of them. */
export function assertWorkerOptions(options: WorkerRunOptions, context: Context): void {
  const { concurrency, jobExpiry, account, domain, delivery, driftUrl, fullInterval } = options;
  if (!isWorker(options, context)) {
    if (concurrency === undefined && jobExpiry === undefined) return;
    throw usageError(
      `${concurrency === undefined ? '--job-expiry' : '--concurrency'} has an effect only for a worker`,
      'leave it out, or give --store without -f and --accounts',
    );
  }
  const ofFiles = {
    '--account': account,
    '--domain': domain,
    '--delivery': delivery,
    '--drift-url': driftUrl,
  };
  for (const [flag, value] of Object.entries({ ...ofFiles, '--full-interval': fullInterval }))
    if (value !== undefined)
      throw usageError(`${flag} has no effect for a worker, which runs what is published`, 'leave it out');
}

/** Runs what is published in the store until it is stopped; with `--once` what is due, as `run --once --accounts` ends. */
export async function runWorker(
  context: Context,
  options: WorkerRunOptions,
  wiring: WorkerWiring,
): Promise<ExitCode> {
  if (options.once === true) return drain({ ...context, connections: createConnections() }, options, wiring);
  context.waitFor?.('service');
  return runService(context, wiring.logger, (own) => serve(own, options, wiring));
}

async function drain(context: Context, options: WorkerRunOptions, wiring: WorkerWiring): Promise<ExitCode> {
  const emit = createConcealingLog(wiring);
  const { worker, database, close } = await openWorker(context, options, { ...wiring, emit });
  try {
    const ends = await worker.drain();
    if (options.mode === 'apply') logUnapplied(wiring.logger, await readFleet(database));
    const codes = ends.map((end) => ({ exitCode: exitOf(end, options, context), wrote: hasWritten(end) }));
    const interrupted = { exitCode: interruptedExit(context), wrote: false };
    return exitOfAll(context.signal.aborted ? [...codes, interrupted] : codes);
  } catch (error) {
    throw commandFailure(`the store cannot be used: ${describeFailure(error)}`, 'check the database');
  } finally {
    await close();
  }
}

/** Logs which accounts are not as their revision wants them, and why: an account that is not due is left alone. */
function logUnapplied(logger: Logger, { accounts, at }: Fleet): void {
  for (const { email: account, wanted: revision, state, error, dueAt } of accounts) {
    if (state === 'in-sync') continue;
    const why = error ?? REASONS[state] ?? state;
    const next = dueAt === null || dueAt <= at ? '' : `; it is due in ${durationText(dueAt - at)}`;
    const message = `revision ${revision} is not applied: ${why}${next}`;
    logger.warn({ event: 'account.not-applied', account, revision, state }, message);
  }
}

const REASONS: Readonly<Partial<Record<FleetState, string>>> = {
  drifted: 'the last run found changes and did not make them',
  unknown: 'no run has made its changes yet',
  unattended: 'nobody has read the account for three intervals',
};

function hasWritten({ result }: Pick<JobEnd, 'result'>): boolean {
  return result !== 'invalid' && result.kind === 'completed' && result.report?.wrote === true;
}

const EXIT_OF_DECISION: Readonly<Record<Exclude<Decision['kind'], 'go'>, ExitCode>> = {
  invalid: EXIT.invalid,
  refused: EXIT.refused,
  unproven: EXIT.failed,
  stale: EXIT.stale,
  declined: EXIT.failed,
};

/** As the run of one account alone ends. */
function exitOf({ result }: Pick<JobEnd, 'result'>, { mode }: WorkerRunOptions, context: Context): ExitCode {
  if (result === 'invalid') return EXIT.invalid;
  if (result.kind === 'failed') return EXIT.failed;
  if (result.report !== null) return reportExit(result.report, context);
  const decision = decide(result.plan, mode === 'apply' ? 'withhold' : 'end-the-run');
  if (decision.kind !== 'go') return EXIT_OF_DECISION[decision.kind];
  return result.plan.changes.length === 0 ? EXIT.done : EXIT.changes;
}

async function serve(context: Context, options: WorkerRunOptions, wiring: WorkerWiring): Promise<void> {
  const { logger, intervalMs } = wiring;
  const fleet = createRecentFleet(await openStore(context, options), context.clock);
  const { emit, serveStatus } = await openReports(context, wiring, { statuses: () => [], fleet });
  const { worker, close } = await openWorker(context, options, { ...wiring, emit });
  context.onHangUp?.(() => worker.resync());
  logStarted(logger, { mode: options.mode, intervalMs }, `started in mode ${options.mode}, as a worker`);
  // Other workers change the fleet too.
  const status = serveStatus(servedBy(worker), (refreshPages) => void context.every?.(PAGE_MS, refreshPages));
  await Promise.all([worker.run(), status]);
  await close();
}

/** The page and `/status` of a worker show the fleet. */
function servedBy(worker: Worker): ServedProcess {
  return {
    heartbeatAt: () => worker.heartbeatAt(),
    histories: () => [],
    manifests: () => [],
    readiness: () =>
      worker.isConnected()
        ? { ready: true }
        : {
            ready: false,
            reason: 'the store cannot be used; store.unavailable in the log of this worker says why',
          },
  };
}

async function openWorker(
  context: Context,
  options: WorkerRunOptions,
  {
    intervalMs,
    logger,
    concealer,
    commands,
    emit,
  }: WorkerWiring & { readonly emit: (event: DaemonEvent) => void },
): Promise<{ readonly worker: Worker; readonly database: Database; readonly close: () => Promise<void> }> {
  const { clock, random, signal, every = () => () => {} } = context;
  const { mode, concurrency = DEFAULT_CONCURRENCY } = options;
  const jobExpiryMs = leaseOf(options);
  const database = await openStore(context, options);
  const queue = await openQueue(database, {
    jobExpiryMs,
    onFault: (message) => logger.debug({ event: 'queue.fault' }, message),
  }).catch(endOnQueue);
  const worker = createWorker(
    {
      id: randomUUID(),
      name: `process ${process.pid} on ${hostname()}`,
      version: programInfo().version,
      concurrency,
      jobExpiryMs,
      intervalMs,
      mode,
    },
    {
      clock,
      random,
      signal,
      every,
      database,
      queue,
      onFault: (message) => logFault(logger, message),
      onLost: (message) => logger.warn({ event: 'run.lost' }, `a run is made again: ${message}`),
      emit,
      openAccount: (account) =>
        openFleetAccount(context, { common: options, mode }, account, {
          emit,
          concealer,
          database,
          commands,
        }),
    },
  );
  return { worker, database, close: () => queue.close() };
}

function endOnQueue(error: unknown): never {
  throw commandFailure(
    `the queue in the store cannot be used: ${describeFailure(error)}`,
    'check the database; docs/fleet.md lists the privileges',
  );
}

function logFault(logger: Logger, message: string | null): void {
  if (message === null) logger.info({ event: 'store.available' }, 'the store can be used again');
  else logger.error({ event: 'store.unavailable' }, `the store cannot be used: ${message}`);
}
