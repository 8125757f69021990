import type { Fleet, FleetAccount, FleetWorker } from '../../../../src/core/model/status/fleet.ts';
import { READ_AT } from './statuses.ts';

export function fleetAccount(more: Partial<FleetAccount> = {}): FleetAccount {
  return {
    id: '1',
    email: 'ops@acme.example',
    wanted: 2,
    wantedAt: READ_AT - 3_600_000,
    applied: 2,
    readAt: READ_AT - 60_000,
    dueAt: READ_AT + 240_000,
    intervalMs: 300_000,
    failures: 0,
    parked: false,
    drift: 0,
    state: 'in-sync',
    error: null,
    notReceiving: null,
    ranOn: 'w1',
    worker: null,
    ...more,
  };
}

export function fleetWorker(more: Partial<FleetWorker> = {}): FleetWorker {
  return {
    id: 'w1',
    name: 'process 12 on alpha',
    version: '1.2.3',
    state: 'running',
    startedAt: READ_AT - 7_200_000,
    seenAt: READ_AT - 1_000,
    concurrency: 50,
    running: 3,
    scheduler: true,
    ...more,
  };
}

export function fleet(accounts: readonly FleetAccount[], more: Partial<Fleet> = {}): Fleet {
  return {
    at: READ_AT,
    accounts,
    workers: [fleetWorker()],
    queue: { depth: 0, oldestWaitMs: null },
    ...more,
  };
}

/** An account in each state, a lost worker, and a queue. */
export function everyFleetState(): Fleet {
  const error = 'the API refused the key of secret@corp.example <b>';
  return fleet(
    [
      fleetAccount({ email: 'a@agency.example' }),
      fleetAccount({ email: 'b@agency.example', state: 'unattended', readAt: READ_AT - 7_200_000 }),
      fleetAccount({ email: 'c@agency.example', state: 'failing', error, parked: true }),
      fleetAccount({ email: 'd@agency.example', state: 'withheld', error: 'max-deletes' }),
      fleetAccount({ email: 'e@agency.example', state: 'frozen' }),
      fleetAccount({ email: 'f@agency.example', state: 'drifted', drift: 4 }),
      fleetAccount({ email: 'g@agency.example', state: 'unknown', readAt: null, applied: null }),
      fleetAccount({ email: 'h@agency.example', state: 'unknown', applied: 1, worker: 'w1' }),
    ],
    {
      workers: [
        fleetWorker(),
        fleetWorker({ id: 'w2', name: 'process 9 on beta', state: 'lost', scheduler: false }),
      ],
      queue: { depth: 3, oldestWaitMs: 12_000 },
    },
  );
}
