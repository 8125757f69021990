import type { RunEntry } from '../../model/history/entries.ts';
import type { HistoryQuery, HistoryStore } from '../store.ts';
import {
  readDrift,
  readItems,
  readRuns,
  standingOf,
  type RecordedDrift,
  type RecordedItem,
} from './recorded.ts';

export interface Blame {
  /** What was done to it, or may have been, the newest first: the first one set it as it is. */
  readonly entries: readonly BlameEntry[];
  /** What was changed outside fwdsync since then, the newest first. */
  readonly drift: readonly RecordedDrift[];
}

export interface BlameEntry extends RecordedItem {
  /** Null: its entry is kept no more. */
  readonly run: RunEntry | null;
}

/** What set the items with these keys as they are. What is certainly not in place is left out. */
export async function blame(
  history: HistoryStore,
  keys: readonly string[],
  { onFault }: Pick<HistoryQuery<'item'>, 'onFault'> = {},
): Promise<Blame> {
  const items: RecordedItem[] = [];
  for await (const item of readItems(history, { keys, onFault })) {
    if (standingOf(item) !== 'not-done') items.push(item);
  }
  const runs = await runsOf(history, new Set(items.map(({ entry }) => entry.run)));
  const since = items[0]?.entry.at ?? '';
  const drift: RecordedDrift[] = [];
  for await (const found of readDrift(history, { keys, onFault })) {
    if (found.endedAt === null || found.entry.seenAt > since) drift.push(found);
  }
  return { entries: items.map((item) => ({ ...item, run: runs.get(item.entry.run) ?? null })), drift };
}

async function runsOf(
  history: HistoryStore,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, RunEntry>> {
  const found = new Map<string, RunEntry>();
  if (wanted.size === 0) return found;
  for await (const { start } of readRuns(history, { runs: [...wanted] })) {
    if (wanted.has(start.run)) found.set(start.run, start);
    if (found.size === wanted.size) break;
  }
  return found;
}
