import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { openFleetAccount } from '../../../service/fleet/fleet-account.ts';
import { openQueue } from '../../../service/fleet/queue.ts';
import { createRanAccounts, type RanAccounts } from '../../../service/fleet/ran-accounts.ts';
import { findDomainAccount, readFleet } from '../../../service/fleet/records.ts';
import { createRecentFleet } from '../../../service/fleet/recent-fleet.ts';
import { createWorker, type Worker } from '../../../service/fleet/worker.ts';
import type { ServiceLog } from '../../../service/log/service-log.ts';
import type { Host } from '../../../service/account/host.ts';
import { openReports, type ReportOptions, type ServedProcess } from '../../../service/reports.ts';
import { durationText } from '../../../core/model/clock.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import type { Fleet, FleetState } from '../../../core/model/status/fleet.ts';
import { describeFailure, type Database } from '../../../engine/state/postgres/database.ts';
import { exitOfAll } from '../../accounts/run-accounts.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { commandFailure, EXIT, interruptedExit } from '../../exit.ts';
import { loadOptions } from '../../input/manifest/desired.ts';
import { reservePublishedKeys } from '../../input/references/stored-keys.ts';
import { openStore } from '../../input/state/open-store.ts';
import { programFields, programInfo } from '../../program-info.ts';
import type { ApiSettings, Settings } from '../../settings/resolve-settings.ts';
import { openHost } from './open-host.ts';
import type { RunSettings } from './run-options.ts';
import { endOfRun } from './unattended-end.ts';

/** Interval at which open pages are refreshed. */
const PAGE_MS = 10_000;

type Logging = Pick<ReportOptions, 'log' | 'concealer' | 'commands'>;

interface WorkerWiring extends Logging {
  readonly emit: (event: DaemonEvent) => void;
}

/** Runs the due accounts of the store, and ends like `run --once --accounts`. */
export async function drainFleet(
  context: Context,
  settings: Settings,
  run: RunSettings,
  wiring: WorkerWiring,
): Promise<CommandResult> {
  const { worker, database, close } = await openWorker(context, settings, run, wiring);
  try {
    const results = (await worker.drain()).map(({ result }) => result);
    if (run.mode === 'apply') logUnapplied(wiring.log, await readFleet(database));
    const ends = results.map((result) =>
      result === 'invalid' ? { exit: EXIT.invalid } : endOfRun(result, run.mode, context),
    );
    const interrupted = { exit: interruptedExit(context) };
    return { exit: exitOfAll(context.signal.aborted ? [...ends, interrupted] : ends) };
  } catch (error) {
    throw commandFailure(`the store cannot be used: ${describeFailure(error)}`, 'check the database');
  } finally {
    await close();
  }
}

/** Runs accounts published in the store, and serves the state of all, until the signal is aborted. */
export async function serveWorker(
  context: Context,
  settings: Settings,
  run: RunSettings,
  reporting: ReportOptions,
): Promise<void> {
  const fleet = createRecentFleet(await storeOf(context, settings), context.clock);
  const { emit, serveStatus } = openReports(context, reporting, { statuses: () => [], fleet });
  const { worker, database, ran, close } = await openWorker(context, settings, run, { ...reporting, emit });
  context.onHangUp?.(() => worker.resync());
  const { mode, intervalMs } = run;
  reporting.log.info(
    { event: 'started', mode, interval_ms: intervalMs, ...programFields() },
    `started in mode ${mode}, as a worker`,
  );
  // Other workers change the fleet too.
  const status = serveStatus(
    servedBy({ worker, database, ran }),
    (refreshPages) => void context.every?.(PAGE_MS, refreshPages),
  );
  await Promise.all([worker.run(), status]);
  await close();
}

/**
 * Logs the accounts that are not as their revision wants them, with the reason. Needed because an account that is not
 * due is skipped.
 */
function logUnapplied(log: ServiceLog, { accounts, at }: Fleet): void {
  for (const { email: account, wanted: revision, applied, drift, state, error, dueAt } of accounts) {
    const isApplied = applied === revision && drift === 0;
    if (state === 'in-sync' || (state === 'not-receiving' && isApplied)) continue;
    const why = error ?? REASONS[state] ?? state;
    const next = dueAt === null || dueAt <= at ? '' : `; it is due in ${durationText(dueAt - at)}`;
    const message = `revision ${revision} is not applied: ${why}${next}`;
    log.warn({ event: 'account.not-applied', account, revision, state }, message);
  }
}

const REASONS: Readonly<Partial<Record<FleetState, string>>> = {
  drifted: 'the last run found changes but did not make them',
  unknown: 'no run has made its changes yet',
  unattended: 'no worker has read the account for three intervals',
};

/** Returns the content of a worker's page and `/status`, which show the fleet. */
function servedBy({ worker, database, ran }: Omit<OpenWorker, 'close'>): ServedProcess {
  return {
    heartbeatAt: () => worker.heartbeatAt(),
    histories: () => [],
    manifests: () => [],
    fleetDomains: { ran: () => ran.list(), accountOf: (domain) => findDomainAccount(database, domain) },
    readiness: () =>
      worker.isConnected()
        ? { ready: true }
        : {
            ready: false,
            reason: 'the store cannot be used; store.unavailable in the log of this worker says why',
          },
  };
}

interface OpenWorker {
  readonly worker: Worker;
  readonly database: Database;
  readonly ran: RanAccounts;
  readonly close: () => Promise<void>;
}

async function openWorker(
  context: Context,
  settings: Settings,
  { mode, intervalMs, concurrency }: RunSettings,
  { log, concealer, commands, emit }: WorkerWiring,
): Promise<OpenWorker> {
  const { clock, random, signal, every = () => () => {} } = context;
  const { leaseMs: jobExpiryMs } = settings.state;
  const database = await storeOf(context, settings);
  const queue = await openQueue(database, {
    jobExpiryMs,
    onFault: (message) => log.debug({ event: 'queue.fault' }, message),
  }).catch(endOnQueue);
  const ran = createRanAccounts();
  const name = `process ${process.pid} on ${hostname()}`;
  // Each account has its own key.
  const load = { ...loadOptions(context, settings.manifest, 'required'), required: ['key'] as const };
  const worker = createWorker(
    { id: randomUUID(), name, version: programInfo().version, concurrency, jobExpiryMs, intervalMs, mode },
    {
      clock,
      random,
      signal,
      every,
      database,
      queue,
      ran,
      onFault: (message) => logFault(log, message),
      onLost: (message) => log.warn({ event: 'run.lost' }, `a run is made again: ${message}`),
      emit,
      openAccount(account) {
        // The store says whose key it is.
        const api: ApiSettings = { ...settings.api, account: { value: account.email, source: 'flag' } };
        const own = { ...context, signal: account.signal };
        const host = openHost(own, { ...settings, api }, concealer);
        const guarded = guardKeys(own, host, database);
        return openFleetAccount(guarded, { mode, load }, account, { emit, concealer, commands });
      },
    },
  );
  return { worker, database, ran, close: () => queue.close() };
}

/** Returns a host that lets no reference be the key of a published account. */
function guardKeys(context: Context, host: Host, database: Database): Host {
  return {
    ...host,
    async readReferences(needed) {
      await reservePublishedKeys(context, database, needed.others);
      return host.readReferences(needed);
    },
    async resolvePassword(reference) {
      await reservePublishedKeys(context, database, [reference]);
      return host.resolvePassword(reference);
    },
  };
}

function storeOf(context: Context, { state: { store } }: Settings): Promise<Database> {
  if (store === null) throw new Error('a worker without a store');
  return openStore(context, store);
}

function endOnQueue(error: unknown): never {
  throw commandFailure(
    `the queue in the store cannot be used: ${describeFailure(error)}`,
    'check the database; docs/fleet.md lists the privileges',
  );
}

function logFault(log: ServiceLog, message: string | null): void {
  if (message === null) log.info({ event: 'store.available' }, 'the store can be used again');
  else log.error({ event: 'store.unavailable' }, `the store cannot be used: ${message}`);
}
