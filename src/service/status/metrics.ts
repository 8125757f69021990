import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  isReady,
  runOutcome,
  type AccountStatus,
  type CompletedRun,
  type DaemonEvent,
  type DeliveryStatus,
  type DomainStatus,
} from '../../core/model/status/daemon.ts';
import type { Fleet } from '../../core/model/status/fleet.ts';
import { renderFleetMetrics } from './fleet-metrics.ts';

/** The daemon's figures for Prometheus. Labels are bounded: accounts, endpoint templates and closed lists. */
export interface Metrics {
  record(event: DaemonEvent): void;
  /** Returns the metrics in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly version: string;
  readonly statuses: () => readonly AccountStatus[];
  /** Reads the fleet of this process; null means that it cannot be read. Absent if the process has no fleet. */
  readonly fleet?: () => Promise<Fleet | null>;
}

/**
 * Interval between checks of the event loop's delay. Each check wakes an idle process; at 10 ms that is a hundredth
 * of a core.
 */
const LAG_EVERY_MS = 100;
const RUN_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics({ version, statuses, fleet }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  // These gauges have the names of counters.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const meters = createMeters(registry);
  new Gauge({
    name: 'fwdsync_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
  const gauges = createGauges(registry);
  return {
    contentType: registry.contentType,
    record: (event) => recordEvent(meters, event),
    async render() {
      for (const gauge of Object.values(gauges)) gauge.reset();
      for (const status of statuses()) readStatus(gauges, status);
      const own = await registry.metrics();
      return fleet === undefined ? own : `${own}${await renderFleetMetrics(await fleet())}`;
    },
  };
}

type Meters = ReturnType<typeof createMeters>;
type Gauges = ReturnType<typeof createGauges>;

function createMeters(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[]): Counter =>
    new Counter({ name, help, labelNames: ['account', ...labelNames], registers });
  return {
    runs: counter('fwdsync_runs_total', 'Runs by cause and outcome.', ['cause', 'outcome']),
    applied: counter('fwdsync_changes_applied_total', 'Changes made in the account.', ['kind', 'action']),
    failed: counter('fwdsync_changes_failed_total', 'Changes that the service refused or did not keep.', [
      'kind',
      'action',
    ]),
    drift: counter('fwdsync_drift_found_total', 'Items found changed outside fwdsync.', ['kind']),
    requests: counter(
      'fwdsync_api_requests_total',
      'Requests sent to the API; status is "none" without an answer.',
      ['endpoint', 'status'],
    ),
    waiting: counter('fwdsync_api_wait_seconds_total', 'Time that requests waited for the rate limit.', []),
    runSeconds: new Histogram({
      name: 'fwdsync_run_duration_seconds',
      help: 'Duration of runs; sweeps include reading the account.',
      labelNames: ['account', 'cause'],
      buckets: RUN_SECONDS,
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'fwdsync_api_request_duration_seconds',
      help: 'Time from sending a request to the end of its answer.',
      labelNames: ['account', 'method'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
  };
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name, help, labelNames: ['account', ...labelNames], registers: [registry] });
  return {
    ready: gauge('fwdsync_ready', '1 if the manifest is valid and the last read succeeded.'),
    valid: gauge('fwdsync_manifest_valid', '1 if the manifest in the files is the loaded one.'),
    problems: gauge('fwdsync_manifest_problems', 'Problems of the manifest.', ['severity']),
    lastRun: gauge('fwdsync_last_run_timestamp_seconds', 'Time at which the last run ended.'),
    lastRead: gauge(
      'fwdsync_last_good_read_timestamp_seconds',
      'Time of the last successful read of the account.',
    ),
    fullRead: gauge(
      'fwdsync_last_full_read_timestamp_seconds',
      'Time since which every domain was read in full.',
    ),
    failures: gauge('fwdsync_consecutive_failures', 'Failed runs in a row.'),
    drift: gauge('fwdsync_drift_items', 'Items that differed from the manifest at the last check.', [
      'action',
    ]),
    domains: gauge('fwdsync_domains', 'Managed domains by state.', ['state']),
    receiving: gauge(
      'fwdsync_domains_receiving',
      'Managed domains by mail reception, according to the service: yes, stopped, never or unknown.',
      ['receiving'],
    ),
    remaining: gauge('fwdsync_api_budget_remaining', 'Requests left in the current window.', ['endpoint']),
    messages: gauge(
      'fwdsync_delivery_messages',
      'Messages in the email logs by last event, since fwdsync reads the logs.',
      ['domain', 'outcome'],
    ),
    troubles: gauge('fwdsync_delivery_failing', 'Destinations at which mail keeps failing.', ['domain']),
    followed: gauge('fwdsync_delivery_complete', '1 when the email logs of all domains are followed.'),
    limit: gauge('fwdsync_api_budget_limit', 'Requests that a window has.', ['endpoint']),
  };
}

function recordEvent(meters: Meters, event: DaemonEvent): void {
  const account = labelOf(event.account);
  if (event.kind === 'request') {
    const { endpoint, status, seconds, waitedSeconds } = event;
    meters.requests.inc({ account, endpoint, status: status === null ? 'none' : String(status) });
    meters.waiting.inc({ account }, waitedSeconds);
    meters.requestSeconds.observe({ account, method: endpoint.split(' ', 1)[0] ?? '' }, seconds);
  }
  if (event.kind === 'run-finished') {
    const { cause, result } = event;
    meters.runs.inc({ account, cause, outcome: runOutcome(result) });
    meters.runSeconds.observe({ account, cause }, event.seconds);
    if (result.kind === 'completed') recordChanges(meters, account, result);
  }
}

function recordChanges(meters: Meters, account: string, { report, drift }: CompletedRun): void {
  for (const { kind, action } of report?.applied ?? []) meters.applied.inc({ account, kind, action });
  for (const { kind, action } of report?.failed ?? []) meters.failed.inc({ account, kind, action });
  for (const { kind } of drift) meters.drift.inc({ account, kind });
}

function readStatus(gauges: Gauges, status: AccountStatus): void {
  const account = labelOf(status.name);
  const { manifest, read, run, domains } = status;
  gauges.ready.set({ account }, Number(isReady(status)));
  gauges.valid.set({ account }, Number(manifest.state === 'accepted'));
  for (const severity of ['error', 'warning', 'notice'] as const) {
    const count = manifest.problems.filter((problem) => problem.severity === severity).length;
    gauges.problems.set({ account, severity }, count);
  }
  const setTime = (gauge: Gauge, at: number | null | undefined): void =>
    at === null || at === undefined ? undefined : gauge.set({ account }, at / 1000);
  setTime(gauges.lastRun, run?.at);
  setTime(gauges.lastRead, read?.goodAt);
  setTime(gauges.fullRead, status.fullReadAt);
  gauges.failures.set({ account }, status.failures);
  for (const domain of domains.values()) readDomain(gauges, account, domain);
  if (status.delivery !== undefined) readDelivered(gauges, account, status.delivery);
  for (const [endpoint, { limit, remaining }] of status.budgets) {
    if (limit !== null) gauges.limit.set({ account, endpoint }, limit);
    if (remaining !== null) gauges.remaining.set({ account, endpoint }, remaining);
  }
}

function readDomain(gauges: Gauges, account: string, { state, pending, receiving }: DomainStatus): void {
  gauges.domains.inc({ account, state });
  gauges.receiving.inc({ account, receiving: receiving ?? 'unknown' });
  for (const [action, count] of Object.entries(pending)) gauges.drift.inc({ account, action }, count);
}

/** Sets the delivery gauges. Zeros are left out, because most of many domains have only deliveries to show. */
function readDelivered(gauges: Gauges, account: string, { reasons, domains }: DeliveryStatus): void {
  gauges.followed.set({ account }, Number(reasons.length === 0));
  for (const [domain, { counts, open, troubles }] of domains) {
    const { unknownNames, ...fates } = counts;
    for (const [outcome, count] of Object.entries({ ...fates, 'unknown-name': unknownNames, open }))
      if (count > 0) gauges.messages.set({ account, domain, outcome }, count);
    if (troubles.length > 0) gauges.troubles.set({ account, domain }, troubles.length);
  }
}

/** Returns the name of a manifest as a label, without the local part if the name is an address. */
function labelOf(name: string): string {
  return name.replace(/^.*@/, '');
}
