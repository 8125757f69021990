import type { BaselineEntry, HistoryEntry, RunEntry } from '../../../core/model/history/entries.ts';
import { accountEntryKey } from '../../../core/kinds/item-key.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { HistoryQuery, HistoryStore } from '../store.ts';
import {
  joinDrift,
  joinItems,
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
  /** When an export took the domain over as it was, the newest first. */
  readonly baselines: readonly BaselineEntry[];
}

export interface BlameEntry extends RecordedItem {
  /** Null: its entry is kept no more. */
  readonly run: RunEntry | null;
}

/** Returns what set the items of a domain with these keys as they are, without what is certainly not in place. */
export async function blame(
  history: HistoryStore,
  { domain, keys }: { readonly domain: DomainName; readonly keys: readonly string[] },
  { onFault }: Pick<HistoryQuery<'item'>, 'onFault'> = {},
): Promise<Blame> {
  const items: RecordedItem[] = [];
  const drift: RecordedDrift[] = [];
  const baselines: BaselineEntry[] = [];
  const [joinedItem, joinedDrift] = [joinItems(), joinDrift()];
  const isAsked = (entry: HistoryEntry): boolean =>
    'keys' in entry && entry.keys.some((key) => keys.includes(key));
  const all = [...new Set([...keys, accountEntryKey(domain, 'domain', domain)])];
  for await (const entry of history.read({ keys: all, onFault })) {
    if (entry.entry === 'item-baseline') baselines.push(entry);
    if (!isAsked(entry)) continue;
    const item = joinedItem(entry);
    if (item !== null && standingOf(item) !== 'not-done') items.push(item);
    const found = joinedDrift(entry);
    // Before the first item: it was written later.
    if (found !== null && (found.endedAt === null || items.length === 0)) drift.push(found);
  }
  const runs = await runsOf(history, new Set(items.map(({ entry }) => entry.run)));
  return {
    entries: items.map((item) => ({ ...item, run: runs.get(item.entry.run) ?? null })),
    drift,
    baselines,
  };
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
