import { iso } from '../../core/model/clock.ts';
import { runners, type Fleet, type FleetAccount } from '../../core/model/status/fleet.ts';

/** Returns `fwdsync/fleet@1`: the state of each account of a store, its workers and its queue. */
export function fleetDocument({ at, accounts, workers, queue }: Fleet): object {
  const runner = runners({ workers });
  return {
    kind: 'fwdsync/fleet@1',
    at: iso(at),
    accounts: accounts.map((account) => accountDocument(account, runner(account))),
    workers: workers.map(({ id: _, startedAt, seenAt, ...worker }) => {
      return { ...worker, startedAt: iso(startedAt), seenAt: iso(seenAt) };
    }),
    queue: {
      depth: queue.depth,
      oldestWaitSeconds: queue.oldestWaitMs === null ? null : queue.oldestWaitMs / 1000,
    },
  };
}

function accountDocument(
  { email: account, state, wanted, applied, readAt, drift, error, notReceiving }: FleetAccount,
  worker: string | null,
): object {
  return {
    account,
    state,
    wanted,
    applied,
    readAt: readAt === null ? null : iso(readAt),
    drift,
    worker,
    error,
    notReceiving,
  };
}
