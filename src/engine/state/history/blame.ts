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
  /** Changes that were made or may have been made, the newest first. The first one set the current state. */
  readonly entries: readonly BlameEntry[];
  /** Changes outside fwdsync since then, the newest first. */
  readonly drift: readonly RecordedDrift[];
  /** Exports that adopted the domain in its state at that time, the newest first. */
  readonly baselines: readonly BaselineEntry[];
}

export interface BlameEntry extends RecordedItem {
  /** The run's entry; null if it is no longer kept. */
  readonly run: RunEntry | null;
}

/**
 * Returns the changes that produced the current state of a domain's items with these keys. Changes that are certainly not in
 * place are left out.
 */
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
    // No item has come yet, so this drift was recorded after the last one.
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
