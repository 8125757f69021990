import type { Desired } from '../../core/model/desired.ts';
import type { AccountStatus } from '../../core/model/status/daemon.ts';
import type { HistoryStore } from '../../engine/state/store.ts';
import type { TrackedStatus } from '../daemon/status/account-status.ts';

/** An account as its last run on this worker left it. */
export interface RanAccount {
  readonly status: TrackedStatus & Pick<AccountStatus, 'mode'>;
  readonly desired: Desired;
  /** Number of entries of the manifest. */
  readonly entries: number;
  /** null means that the run did not reach the account. */
  readonly history: HistoryStore | null;
}

/** The accounts that this worker ran last, for the pages of their domains. */
export interface RanAccounts {
  add(account: RanAccount): void;
  /** Lists the accounts that are kept. */
  list(): readonly RanAccount[];
}

/** Number of manifest entries that that a worker keeps. */
const MOST_ENTRIES = 100_000;

/** Creates an empty list, which keeps the latest accounts that have at most 100,000 entries together. */
export function createRanAccounts(): RanAccounts {
  const kept = new Map<string, RanAccount>();
  let entries = 0;
  const remove = (name: string): void => {
    entries -= kept.get(name)?.entries ?? 0;
    kept.delete(name);
  };
  return {
    add(account) {
      remove(account.status.name);
      kept.set(account.status.name, account);
      entries += account.entries;
      for (const name of kept.keys()) {
        if (entries <= MOST_ENTRIES) return;
        remove(name);
      }
    },
    list: () => [...kept.values()],
  };
}
