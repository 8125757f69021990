import { join } from 'node:path';
import type { Clock } from '../../../core/model/clock.ts';
import { listFiles } from '../files.ts';
import { ownFiles, type StateFs } from '../own-files.ts';
import type { AccountHistory, HistoryStore } from '../store.ts';
import { openHistory } from './history.ts';

export interface HistoriesOptions {
  /** Root directory for all accounts. */
  readonly directory: string;
  readonly fs: StateFs;
  readonly clock: Clock;
  /** The user's number; null if the system has no user numbers. */
  readonly uid: number | null;
  /** Email of one account; null for all accounts. */
  readonly account: string | null;
}

/** Opens the histories of a state directory for reading, by account. It does not need the address of the API. */
export async function openHistories(options: HistoriesOptions): Promise<readonly AccountHistory[]> {
  const { directory, fs, clock, uid, account } = options;
  const files = ownFiles(fs, directory, { uid, unique: () => 'none' });
  const found: AccountHistory[] = [];
  for (const name of (await listFiles(files, directory)).toSorted()) {
    const history = openHistory({ directory: join(directory, name, 'history'), files, clock });
    const own = (await accountOf(history)) ?? name.replace(/_.*$/, '');
    if (account === null || own.toLowerCase() === account.toLowerCase())
      found.push({ account: own, history });
  }
  return found;
}

/** Returns the account that the newest run or baseline names, or null if none is recorded. */
async function accountOf(history: HistoryStore): Promise<string | null> {
  for await (const entry of history.read({})) if ('account' in entry) return entry.account;
  return null;
}
