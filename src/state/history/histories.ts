import { join } from 'node:path';
import type { Clock } from '../../model/clock.ts';
import { listFiles } from '../files.ts';
import { ownFiles, type StateFs } from '../own-files.ts';
import type { HistoryStore } from '../store.ts';
import { openHistory } from './history.ts';
import { readRuns } from './recorded.ts';

export interface HistoriesOptions {
  /** Root for all accounts. */
  readonly directory: string;
  readonly fs: StateFs;
  readonly clock: Clock;
  /** Null where the system has no user numbers. */
  readonly uid: number | null;
  /** Email; null: all accounts. */
  readonly account: string | null;
}

/** The histories that a state directory has, to be read: by account, without knowing the address of its API. */
export async function openHistories(options: HistoriesOptions): Promise<readonly HistoryStore[]> {
  const { directory, fs, clock, uid, account } = options;
  const files = ownFiles(fs, directory, { uid, unique: () => 'none' });
  const found: HistoryStore[] = [];
  for (const name of (await listFiles(files, directory)).toSorted()) {
    const history = openHistory({ directory: join(directory, name, 'history'), files, clock });
    if (await isOf(history, account)) found.push(history);
  }
  return found;
}

/** Every run names the account. */
async function isOf(history: HistoryStore, account: string | null): Promise<boolean> {
  if (account === null) return true;
  for await (const { start } of readRuns(history)) {
    return start.account.toLowerCase() === account.toLowerCase();
  }
  return false;
}
