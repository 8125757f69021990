import { Gauge, Registry } from 'prom-client';
import {
  countStates,
  haveScheduler,
  isBehind,
  knownWorkers,
  type Fleet,
} from '../../core/model/status/fleet.ts';

type Figure = readonly [name: string, help: string, of: (fleet: Fleet) => number];

const FIGURES: readonly Figure[] = [
  [
    'accounts_behind',
    'Accounts with a newest revision that is not applied.',
    ({ accounts }) => accounts.filter(isBehind).length,
  ],
  [
    'behind_seconds',
    'Age of the oldest published revision that is not applied.',
    ({ at, accounts }) =>
      longestSince(
        at,
        accounts.filter(isBehind).map(({ wantedAt }) => wantedAt),
      ),
  ],
  [
    'oldest_read_seconds',
    'Longest time since an account was read.',
    ({ at, accounts }) =>
      longestSince(
        at,
        accounts.map(({ readAt, wantedAt }) => readAt ?? wantedAt),
      ),
  ],
  [
    'drift_items',
    'Items that differ from the manifests.',
    ({ accounts }) => accounts.reduce((sum, { drift }) => sum + drift, 0),
  ],
  ['workers', 'Running workers.', ({ workers }) => workers.filter(({ state }) => state === 'running').length],
  [
    'workers_lost',
    'Workers lost within the last hour: without a heartbeat, and not stopped.',
    (fleet) => knownWorkers(fleet).filter(({ state }) => state === 'lost').length,
  ],
  ['queue_depth', 'Runs that wait for a worker.', ({ queue }) => queue.depth],
  [
    'queue_oldest_wait_seconds',
    'Longest wait of a run in the queue.',
    ({ queue }) => (queue.oldestWaitMs ?? 0) / 1000,
  ],
];

/**
 * Renders the figures of the whole fleet for Prometheus. Every worker shows the same, with counts only and no
 * accounts. null means that the store cannot be read; the output then says only that, and that no scheduler is known.
 */
export function renderFleetMetrics(fleet: Fleet | null): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `fwdsync_fleet_${name}`, help, labelNames, registers: [registry] });
  gauge('store_reachable', '1 when the store can be read.').set(Number(fleet !== null));
  gauge('scheduler', '1 when a worker decides which accounts are due.').set(
    Number(fleet !== null && haveScheduler(fleet.workers)),
  );
  if (fleet === null) return registry.metrics();
  const accounts = gauge('accounts', 'Accounts with a published manifest, by state.', ['state']);
  for (const [state, count] of Object.entries(countStates(fleet.accounts))) accounts.set({ state }, count);
  for (const [name, help, of] of FIGURES) gauge(name, help).set(of(fleet));
  return registry.metrics();
}

/** Returns the seconds since the earliest of these times; 0 if there are none. */
function longestSince(at: number, times: readonly number[]): number {
  return times.reduce((longest, time) => Math.max(longest, (at - time) / 1000), 0);
}
