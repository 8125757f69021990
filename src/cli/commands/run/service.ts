import type { LiveEngine } from '../../../core/model/observed.ts';
import type { AccountStatus } from '../../../core/model/status/daemon.ts';
import type { Logger } from 'pino';
import { programInfo } from '../../program-info.ts';
import { createConnections } from '../../../client/http/transport.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { POLL_MS, type Daemon } from '../../../service/daemon/daemon.ts';
import { createMetrics, type MetricsOptions } from '../../../service/status/metrics.ts';
import type { StatusServerOptions } from '../../../service/status/server.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit.ts';
import { createEventLog } from '../../output/log/event-log.ts';
import type { Commands } from '../../output/command-lines.ts';
import { answerRoute } from './answer-route.ts';
import { hideReferences } from './conceal.ts';
import type { NotifyFormat } from './notify/notify-bodies.ts';
import { openNotifier } from './notify/notify.ts';
import { readPageSettings, type PageSource } from './page-settings.ts';
import { serveStatus } from './serve-status.ts';

/** How a process that keeps running, the daemon or a worker, reports. */
export interface ServiceOptions extends PageSource {
  readonly notifyFormat: NotifyFormat;
  /** Commands that reach what this process reaches. */
  readonly commands: Commands;
}

/** Logs the start, with the program that runs. */
export function logStarted(
  logger: Logger,
  { mode, intervalMs }: { readonly mode: string; readonly intervalMs: number },
  message: string,
): void {
  const { builtAt, ...program } = programInfo();
  logger.info({ event: 'started', mode, interval_ms: intervalMs, ...program, built_at: builtAt }, message);
}

/** After SIGTERM what is in flight may finish, so long. */
const GRACE_MS = 20_000;

/** Runs until it is stopped. A part that fails ends the others: the supervisor restarts the process. */
export async function runService(
  context: Context,
  logger: Logger,
  serve: (own: Context) => Promise<void>,
): Promise<ExitCode> {
  const broken = new AbortController();
  const signal = AbortSignal.any([context.signal, broken.signal]);
  const own = { ...context, signal, connections: createConnections() };
  try {
    await endedOrOverdue(own, serve(own));
  } finally {
    broken.abort();
  }
  logger.info({ event: 'stopped', signal: String(context.signal.reason) }, 'stopped');
  return EXIT.done;
}

/** Waits until a service has ended, but not longer than the grace after it was asked to. */
async function endedOrOverdue(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  ended: Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const overdue = new Promise<void>((resolve) => {
    const wait = (): void => void clock.sleep(GRACE_MS, over.signal).then(resolve);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  try {
    await Promise.race([ended, overdue]);
  } finally {
    over.abort();
  }
}

/** Writes events to the log; what one brings to be hidden is hidden in its own line too. */
export function createConcealingLog({
  logger,
  concealer,
  commands,
}: Pick<ServiceOptions, 'logger' | 'concealer' | 'commands'>): (event: DaemonEvent) => void {
  const log = createEventLog(logger, commands.of);
  return (event) => {
    hideReferences(event, concealer);
    if (event.kind === 'manifest-accepted') commands.learn(event.account, event.api);
    log(event);
  };
}

/** What `/healthz`, `/readyz` and the page ask the daemon or the worker for. */
export interface ServedProcess extends Pick<Daemon, 'heartbeatAt' | 'histories' | 'manifests'> {
  /** Where it does not follow from the statuses of accounts. */
  readonly readiness?: StatusServerOptions['readiness'];
}

export interface ServiceReports {
  /** To the metrics, the log and the webhook. */
  readonly emit: (event: DaemonEvent) => void;
  /** Serves status, metrics and page until the signal is aborted; `onServing` gets what refreshes pages that are open. */
  readonly serveStatus: (served: ServedProcess, onServing: (refresh: () => void) => void) => Promise<void>;
}

export async function openReports(
  context: Context,
  options: ServiceOptions,
  source: Pick<MetricsOptions, 'statuses' | 'fleet'>,
): Promise<ServiceReports> {
  const { notifyFormat, concealer, commands } = options;
  const { clock, signal } = context;
  const program = programInfo();
  const { disclosure } = concealer;
  const page = await readPageSettings(context, options);
  const metrics = createMetrics({ version: program.version, ...source });
  const log = createConcealingLog(options);
  const notify = await openNotifier(context, notifyFormat, options);
  return {
    emit(event) {
      log(event);
      // The accounts of a fleet, which may be thousands, are counted as one.
      metrics.record(source.fleet === undefined ? event : { ...event, account: '' });
      notify(event);
    },
    serveStatus: (served, onServing) =>
      serveStatus(
        {
          ...options.listen,
          ...page,
          ...source,
          clock,
          metrics,
          program,
          disclosure,
          conceal: (text) => concealer.conceal(text),
          histories: () => served.histories(),
          isAlive: () => clock.monotonic() - served.heartbeatAt() < 4 * POLL_MS,
          readiness: served.readiness,
          command: (words) => concealer.conceal(commands.all(words)),
          route: (address) =>
            answerRoute(address, served.manifests(), disclosure, {
              engineOf: (domain) => engineIn(source.statuses(), domain),
              about: commands.about,
            }),
        },
        { logger: options.logger, signal },
        (server) => onServing(() => server.notify()),
      ),
  };
}

function engineIn(statuses: readonly AccountStatus[], domain: string): LiveEngine {
  return statuses.find(({ domains }) => domains.has(domain))?.domains.get(domain)?.engine ?? null;
}
