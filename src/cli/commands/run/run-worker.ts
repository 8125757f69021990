import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import pkg from '../../../../package.json' with { type: 'json' };
import type { Logger } from 'pino';
import { createConnections } from '../../../api/http/transport.ts';
import type { JobEnd } from '../../../fleet/account-job.ts';
import { openQueue } from '../../../fleet/queue.ts';
import { createRecentFleet } from '../../../fleet/recent-fleet.ts';
import { createWorker, type Worker } from '../../../fleet/worker.ts';
import type { DaemonEvent } from '../../../model/status/daemon.ts';
import { decide, type Decision } from '../../../reconcile/decide.ts';
import { describeFailure } from '../../../state/postgres/database.ts';
import { createMetrics } from '../../../status/metrics.ts';
import { exitOfAll } from '../../accounts/over-accounts.ts';
import type { Context } from '../../context.ts';
import { commandFailure, EXIT, interruptedExit, usageError, type ExitCode } from '../../exit.ts';
import { openStore } from '../../input/state/store.ts';
import { createEventLog } from '../../output/log/event-log.ts';
import { accountsDirectory, leaseOf, namesStore, statedPaths, type CommonOptions } from '../../settings.ts';
import { reportExit } from '../apply/conclude.ts';
import { hideReferences, type Concealer } from './conceal.ts';
import { openFleetAccount } from './fleet-account.ts';
import { endedOrOverdue } from './grace.ts';
import type { NotifyFormat } from './notify/notify-bodies.ts';
import { openNotifier } from './notify/notify.ts';
import { readPageSettings } from './page-settings.ts';
import { serveStatus, type ListenAddress } from './serve-status.ts';

export interface WorkerRunOptions extends CommonOptions {
  readonly mode: 'apply' | 'observe';
  readonly once?: true;
  readonly concurrency?: number;
  readonly delivery?: true;
  readonly driftUrl?: string;
  readonly fullInterval?: string;
  readonly notifyFormat?: NotifyFormat;
}

export interface WorkerWiring {
  readonly intervalMs: number;
  readonly listen: ListenAddress;
  readonly basePath: string | null;
  readonly logger: Logger;
  readonly concealer: Concealer;
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
  const broken = new AbortController();
  const signal = AbortSignal.any([context.signal, broken.signal]);
  const own = { ...context, signal, connections: createConnections() };
  if (options.once === true) return drain(own, options, wiring);
  const { logger } = wiring;
  context.waitFor?.('service');
  try {
    await endedOrOverdue(own, serve(own, options, wiring));
  } finally {
    broken.abort();
  }
  logger.info({ event: 'stopped', signal: String(context.signal.reason) }, 'stopped');
  return EXIT.done;
}

async function drain(context: Context, options: WorkerRunOptions, wiring: WorkerWiring): Promise<ExitCode> {
  const log = createEventLog(wiring.logger);
  const { worker, close } = await openWorker(context, options, { ...wiring, emit: log });
  try {
    const ends = await worker.drain();
    const codes = ends.map((end) => ({ exitCode: exitOf(end, options, context), wrote: hasWritten(end) }));
    const interrupted = { exitCode: interruptedExit(context), wrote: false };
    return exitOfAll(context.signal.aborted ? [...codes, interrupted] : codes);
  } catch (error) {
    throw commandFailure(`the store cannot be used: ${describeFailure(error)}`, 'check the database');
  } finally {
    await close();
  }
}

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
  const { listen, basePath, logger, concealer } = wiring;
  const { clock, signal } = context;
  const { version } = pkg;
  const page = await readPageSettings(context, basePath, { listen, logger, concealer });
  const fleet = createRecentFleet(await openStore(context, options), clock);
  const metrics = createMetrics({ version, statuses: () => [], fleet });
  const log = createEventLog(logger);
  const notify = await openNotifier(context, options.notifyFormat ?? 'json', { logger, concealer });
  const emit = (event: DaemonEvent): void => {
    // Thousands of accounts are counted as one.
    metrics.record({ ...event, account: '' });
    log(event);
    notify(event);
  };
  const { worker, close } = await openWorker(context, options, { ...wiring, emit });
  context.onHangUp?.(() => worker.resync());
  logger.info(
    { event: 'started', mode: options.mode, interval_ms: wiring.intervalMs },
    `started in mode ${options.mode}, as a worker`,
  );
  const status = serveStatus(listen, servedBy(worker), {
    ...page,
    fleet,
    clock,
    signal,
    logger,
    metrics,
    version,
    conceal: (text) => concealer.conceal(text),
    disclosure: concealer.disclosure,
    // Other workers change the fleet too.
    onServing: (refreshPages) => void context.every?.(PAGE_MS, refreshPages),
  });
  await Promise.all([worker.run(), status]);
  await close();
}

/** The page and `/status` of a worker show the fleet. */
function servedBy(worker: Worker): Parameters<typeof serveStatus>[1] {
  return {
    heartbeatAt: () => worker.heartbeatAt(),
    statuses: () => [],
    histories: () => [],
    manifests: () => [],
    readiness: () => ({ ready: worker.isConnected() }),
  };
}

async function openWorker(
  context: Context,
  options: WorkerRunOptions,
  { intervalMs, logger, concealer, emit }: WorkerWiring & { readonly emit: (event: DaemonEvent) => void },
): Promise<{ readonly worker: Worker; readonly close: () => Promise<void> }> {
  const { clock, random, signal, every = () => () => {} } = context;
  const { mode, concurrency = DEFAULT_CONCURRENCY } = options;
  const jobExpiryMs = leaseOf(options);
  const database = await openStore(context, options);
  const queue = await openQueue(database, {
    jobExpiryMs,
    onFault: (message) => logger.debug({ event: 'queue.fault' }, message),
  }).catch(endOnQueue);
  const reported = (event: DaemonEvent): void => {
    hideReferences(event, concealer);
    emit(event);
  };
  const worker = createWorker(
    {
      id: randomUUID(),
      name: `process ${process.pid} on ${hostname()}`,
      version: pkg.version,
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
      emit: reported,
      openAccount: (account) =>
        openFleetAccount(context, { common: options, mode }, account, { emit: reported, concealer }),
    },
  );
  return { worker, close: () => queue.close() };
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
