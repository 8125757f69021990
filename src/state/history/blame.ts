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
  const items = new Map<string, RecordedItem>();
  const drift = new Map<string, RecordedDrift>();
  for (const key of keys) {
    for await (const item of readItems(history, { key, onFault })) {
      if (standingOf(item) !== 'not-done') items.set(`${item.entry.run}\n${item.entry.item}`, item);
    }
    for await (const found of readDrift(history, { key, onFault })) {
      drift.set(`${found.entry.at}\n${found.entry.keys[0]}`, found);
    }
  }
  const sorted = [...items.values()].toSorted((a, b) => latestFirst(a.entry, b.entry));
  const runs = await runsOf(history, new Set(sorted.map(({ entry }) => entry.run)));
  const since = sorted[0]?.entry.at ?? '';
  return {
    entries: sorted.map((item) => ({ ...item, run: runs.get(item.entry.run) ?? null })),
    drift: [...drift.values()]
      .filter(({ entry, endedAt }) => endedAt === null || entry.seenAt > since)
      .toSorted((a, b) => latestFirst(a.entry, b.entry)),
  };
}

function latestFirst(
  a: { readonly at: string; readonly item?: number },
  b: { readonly at: string; readonly item?: number },
): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return (b.item ?? 0) - (a.item ?? 0);
}

async function runsOf(
  history: HistoryStore,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, RunEntry>> {
  const found = new Map<string, RunEntry>();
  if (wanted.size === 0) return found;
  for await (const { start } of readRuns(history)) {
    if (wanted.has(start.run)) found.set(start.run, start);
    if (found.size === wanted.size) break;
  }
  return found;
}
