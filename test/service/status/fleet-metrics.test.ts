import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/service/status/metrics.ts';
import type { Fleet } from '../../../src/core/model/status/fleet.ts';
import { everyFleetState, fleetWorker } from './support/fleets.ts';
import { READ_AT } from './support/statuses.ts';

/** Returns the metrics of a fleet, by name. */
async function figuresOf(fleet: Fleet | null): Promise<Readonly<Record<string, number>>> {
  const metrics = createMetrics({
    version: '1.2.3',
    statuses: () => [],
    fleet: () => Promise.resolve(fleet),
  });
  const text = await metrics.render();
  expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
  const lines = text.matchAll(/^fwdsync_fleet_(\S+) (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}

test('counts of the whole fleet, and never an account', async () => {
  const shown = everyFleetState();
  const lost = fleetWorker({ id: 'w3', state: 'lost', scheduler: false, seenAt: READ_AT - 3_700_000 });
  const ended = fleetWorker({ id: 'w4', state: 'ended', scheduler: false });
  expect(await figuresOf({ ...shown, workers: [...shown.workers, lost, ended] })).toEqual({
    store_reachable: 1,
    scheduler: 1,
    'accounts{state="unattended"}': 1,
    'accounts{state="not-receiving"}': 0,
    'accounts{state="failing"}': 1,
    'accounts{state="withheld"}': 1,
    'accounts{state="frozen"}': 1,
    'accounts{state="drifted"}': 1,
    'accounts{state="unknown"}': 2,
    'accounts{state="in-sync"}': 1,
    accounts_behind: 2,
    behind_seconds: 3600,
    oldest_read_seconds: 7200,
    drift_items: 4,
    workers: 1,
    workers_lost: 1,
    queue_depth: 3,
    queue_oldest_wait_seconds: 12,
  });
});

test('for an unreadable store only this fact, and no scheduler', async () => {
  expect(await figuresOf(null)).toEqual({ store_reachable: 0, scheduler: 0 });
});

test('a worker that was lost is not the scheduler', async () => {
  const workers = [fleetWorker({ state: 'lost' })];
  expect(await figuresOf({ ...everyFleetState(), workers })).toMatchObject({ scheduler: 0, workers: 0 });
});
