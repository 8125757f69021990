import type { ProgramInfo } from '../core/model/status/program.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Desired, DesiredApi } from '../core/model/desired.ts';
import type { CommandLine } from '../core/model/text/command-line.ts';
import type { LiveEngine } from '../core/model/observed.ts';
import type { AccountStatus, DaemonEvent } from '../core/model/status/daemon.ts';
import { hideReferences, type Concealer } from './conceal/concealer.ts';
import { POLL_MS, type Daemon } from './daemon/daemon.ts';
import { createEventLog } from './log/event-log.ts';
import type { ServiceLog } from './log/service-log.ts';
import type { NotifyChannel } from './notify/notifier.ts';
import { createMetrics, type MetricsOptions } from './status/metrics.ts';
import type { RouteAnswer } from './status/page/views/route-box.ts';
import type { WhoBoxAnswer } from './status/page/views/who-box.ts';
import { serveStatus, type ListenAddress } from './status/serve-status.ts';
import type { StatusServerOptions } from './status/status-server.ts';

/** Completes the commands that a process prints which keeps running, for a shell in any directory of its machine. */
export interface Commands {
  /** Keeps what the manifest of an account says of its service and its key. */
  readonly learn: (account: string, api: DesiredApi) => void;
  /** Returns commands about an account, from what is known of it. */
  readonly of: (account: string) => CommandLine;
  /** Returns commands about an account with this manifest. If `account` is null, they are about no single account. */
  readonly about: (account: string | null, api: DesiredApi) => CommandLine;
  /** Commands about what the process serves as a whole. */
  readonly all: CommandLine;
}

/** Options of a process that keeps running, the daemon or a worker, for its reports. */
export interface ReportOptions {
  readonly program: ProgramInfo;
  readonly listen: ListenAddress;
  /** The token that the page asks for, and the path below which a reverse proxy serves it. */
  readonly page: Pick<StatusServerOptions, 'token' | 'basePath'>;
  readonly log: ServiceLog;
  readonly concealer: Concealer;
  /** Commands that reach what this process reaches. */
  readonly commands: Commands;
  /** Sends news to people; null means that nothing does. */
  readonly notify: NotifyChannel | null;
  /** Answers where mail to an address goes, by these manifests. */
  readonly route: (
    address: string,
    manifests: readonly Desired[],
    engineOf: (domain: string) => LiveEngine,
  ) => RouteAnswer;
  /** Answers which mail ends at a destination, by these manifests. */
  readonly who: (destination: string, manifests: readonly Desired[]) => Promise<WhoBoxAnswer>;
}

/** The daemon or the worker as `/healthz`, `/readyz` and the page see it. */
export interface ServedProcess extends Pick<Daemon, 'heartbeatAt' | 'histories' | 'manifests'> {
  /** Given if it does not follow from the statuses of accounts. */
  readonly readiness?: StatusServerOptions['readiness'];
  /** Domains that a worker can show. */
  readonly fleetDomains?: StatusServerOptions['fleetDomains'];
}

export interface ServiceReports {
  /** Reports an event to the metrics, the log and the webhook. */
  readonly emit: (event: DaemonEvent) => void;
  /** Serves status, metrics and page until the signal is aborted; `onServing` gets what refreshes pages that are open. */
  readonly serveStatus: (served: ServedProcess, onServing: (refresh: () => void) => void) => Promise<void>;
}

export function openReports(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  options: ReportOptions,
  source: Pick<MetricsOptions, 'statuses' | 'fleet'>,
): ServiceReports {
  const { program, concealer, commands, notify } = options;
  const metrics = createMetrics({ version: program.version, ...source });
  const log = createConcealingLog(options);
  return {
    emit(event) {
      log(event);
      // The accounts of a fleet, which may be thousands, are counted as one.
      metrics.record(source.fleet === undefined ? event : { ...event, account: '' });
      notify?.tell(event);
    },
    serveStatus: (served, onServing) =>
      serveStatus(
        {
          ...options.listen,
          ...options.page,
          ...source,
          clock,
          metrics,
          program,
          disclosure: concealer.disclosure,
          conceal: (text) => concealer.conceal(text),
          histories: () => served.histories(),
          isAlive: () => clock.monotonic() - served.heartbeatAt() < 4 * POLL_MS,
          readiness: served.readiness,
          ...(served.fleetDomains === undefined ? {} : { fleetDomains: served.fleetDomains }),
          command: (words) => concealer.conceal(commands.all(words)),
          manifests: () => served.manifests(),
          who: (destination) => options.who(destination, served.manifests()),
          route: (address) =>
            options.route(address, served.manifests(), (domain) => engineIn(source.statuses(), domain)),
        },
        { log: options.log, signal },
        (server) => onServing(() => server.notify()),
      ),
  };
}

/** Returns a function that writes events to the log, and hides in each line what its event brings to be hidden. */
export function createConcealingLog({
  log,
  concealer,
  commands,
}: Pick<ReportOptions, 'log' | 'concealer' | 'commands'>): (event: DaemonEvent) => void {
  const logEvent = createEventLog(log, commands.of);
  return (event) => {
    hideReferences(event, concealer);
    if (event.kind === 'manifest-accepted') commands.learn(event.account, event.api);
    logEvent(event);
  };
}

function engineIn(statuses: readonly AccountStatus[], domain: string): LiveEngine {
  return statuses.find(({ domains }) => domains.has(domain))?.domains.get(domain)?.engine ?? null;
}
