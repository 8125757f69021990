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
    'Accounts whose newest revision is not applied.',
    ({ accounts }) => accounts.filter(isBehind).length,
  ],
  [
    'behind_seconds',
    'Time since the oldest revision was published that is not applied.',
    ({ at, accounts }) =>
      longestSince(
        at,
        accounts.filter(isBehind).map(({ wantedAt }) => wantedAt),
      ),
  ],
  [
    'oldest_read_seconds',
    'Time since the account was read that was not read for the longest time.',
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
  [
    'workers',
    'Workers that are alive.',
    ({ workers }) => workers.filter(({ state }) => state === 'running').length,
  ],
  [
    'workers_lost',
    'Workers that fell silent within the last hour without having been stopped.',
    (fleet) => knownWorkers(fleet).filter(({ state }) => state === 'lost').length,
  ],
  ['queue_depth', 'Runs that wait for a worker.', ({ queue }) => queue.depth],
  [
    'queue_oldest_wait_seconds',
    'How long the first of them has waited.',
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

/** Seconds from the earliest of these times; 0: there are none. */
function longestSince(at: number, times: readonly number[]): number {
  return times.reduce((longest, time) => Math.max(longest, (at - time) / 1000), 0);
}
