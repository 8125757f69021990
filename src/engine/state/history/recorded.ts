import type {
  DriftEndEntry,
  DriftEntry,
  HistoryEntry,
  HistoryOutcome,
  ItemEntry,
  ItemOutcomeEntry,
  RunEndEntry,
  RunEntry,
} from '../../../core/model/history/entries.ts';
import type { HistoryQuery, HistoryStore } from '../store.ts';

/** A run that wrote, or may have written. Without an end it was killed or is still running. */
export interface RecordedRun {
  readonly start: RunEntry;
  readonly end: RunEndEntry | null;
}

/** An item of a run and its last known result. A null result means that none is known. */
export interface RecordedItem {
  readonly entry: ItemEntry;
  readonly result: ItemOutcomeEntry | null;
}

export interface RunWithItems extends RecordedRun {
  readonly items: readonly RecordedItem[];
}

/**
 * The last entry about an item that was changed outside fwdsync. `endedAt` is null if the drift has not ended, as far as is
 * known.
 */
export interface RecordedDrift {
  readonly entry: DriftEntry;
  readonly endedAt: string | null;
  /** The run that corrected the drift. */
  readonly correctedBy: string | null;
}

type QueryAbout<S extends 'run' | 'item' | 'drift'> = Omit<HistoryQuery<S>, 'about'>;

/** Yields the runs that began in a period, the newest first. */
export async function* readRuns(
  history: HistoryStore,
  query: QueryAbout<'run'> = {},
): AsyncGenerator<RecordedRun> {
  const joined = joinRuns();
  // A run that began in the period may have ended after it.
  for await (const entry of history.read({ ...query, until: undefined, about: 'run' })) {
    const run = joined(entry);
    if (run !== null && run.start.at <= (query.until ?? '9999')) yield run;
  }
}

/** Yields items, the newest first. */
export async function* readItems(
  history: HistoryStore,
  query: QueryAbout<'item'> = {},
): AsyncGenerator<RecordedItem> {
  const joined = joinItems();
  for await (const entry of history.read({ ...query, until: undefined, about: 'item' })) {
    const item = joined(entry);
    if (item !== null && item.entry.at <= (query.until ?? '9999')) yield item;
  }
}

/**
 * Yields runs, the newest first, each with its items in the order in which they were sent. Only one run at a time is in
 * memory.
 */
export async function* readRunsWithItems(
  history: HistoryStore,
  query: Pick<HistoryQuery<'run'>, 'since' | 'run' | 'onFault'> = {},
): AsyncGenerator<RunWithItems> {
  const [joinedRun, joinedItem] = [joinRuns(), joinItems()];
  const items = new Map<string, RecordedItem[]>();
  // The items of a run are complete when the line of the previous run comes, because its own line may appear twice.
  let run: RecordedRun | null = null;
  for await (const entry of history.read(query)) {
    const item = joinedItem(entry);
    if (item !== null) {
      const own = items.get(item.entry.run) ?? [];
      items.set(item.entry.run, own);
      own.push(item);
    }
    const next = joinedRun(entry);
    if (next === null) continue;
    if (run !== null) yield withItems(run, items);
    run = next;
  }
  if (run !== null) yield withItems(run, items);
}

function withItems(run: RecordedRun, found: Map<string, RecordedItem[]>): RunWithItems {
  const id = run.start.run;
  const items = found.get(id) ?? [];
  found.delete(id);
  return { ...run, items: items.reverse() };
}

/** Returns a function that takes entries, the newest first. It returns a run at its first line, else null. */
function joinRuns(): (entry: HistoryEntry) => RecordedRun | null {
  const ends = new Map<string, RunEndEntry>();
  let latest: string | null = null;
  return (entry) => {
    if (entry.entry === 'run-end') ends.set(entry.run, entry);
    // If the disk failed after it stored the line, the run wrote the line again.
    if (entry.entry !== 'run' || entry.run === latest) return null;
    latest = entry.run;
    const end = ends.get(entry.run) ?? null;
    ends.delete(entry.run);
    return { start: entry, end };
  };
}

/** Returns a function that takes entries, the newest first. It returns an item at the line of its sending, else null. */
export function joinItems(): (entry: HistoryEntry) => RecordedItem | null {
  const results = new Map<string, ItemOutcomeEntry>();
  return (entry) => {
    if (entry.entry !== 'item' && entry.entry !== 'item-outcome') return null;
    const key = `${entry.run}\n${entry.item}`;
    const result = results.get(key) ?? null;
    if (entry.entry === 'item') {
      results.delete(key);
      return { entry, result };
    }
    if (result === null) results.set(key, entry);
    return null;
  };
}

/** Yields changes outside fwdsync, the newest first. If a drift changed, only its last state is yielded. */
export async function* readDrift(
  history: HistoryStore,
  query: QueryAbout<'drift'> = {},
): AsyncGenerator<RecordedDrift> {
  const joined = joinDrift();
  for await (const entry of history.read({ ...query, about: 'drift' })) {
    const drift = joined(entry);
    if (drift !== null) yield drift;
  }
}

/** Returns a function that takes entries, the newest first. It returns a drift at its last line, else null. */
export function joinDrift(): (entry: HistoryEntry) => RecordedDrift | null {
  const later = new Map<string, DriftEntry | DriftEndEntry>();
  return (entry) => {
    if (entry.entry !== 'drift' && entry.entry !== 'drift-end') return null;
    const key = entry.keys[0] ?? '';
    const known = later.get(key);
    later.set(key, entry);
    if (entry.entry === 'drift-end') return null;
    if (known === undefined) return { entry, endedAt: null, correctedBy: null };
    if (known.entry === 'drift-end') return { entry, endedAt: known.at, correctedBy: known.run };
    // Each line of a drift has the time when it was first seen.
    return known.seenAt === entry.seenAt ? null : { entry, endedAt: known.seenAt, correctedBy: null };
  };
}

/** Returns if an item is in place as far as the history knows: certainly, perhaps, or certainly not. */
export function standingOf({ result }: RecordedItem): 'done' | 'unknown' | 'not-done' {
  return result === null ? 'unknown' : STANDING[result.outcome];
}

const STANDING: Readonly<Record<HistoryOutcome, 'done' | 'unknown' | 'not-done'>> = {
  done: 'done',
  unknown: 'unknown',
  failed: 'not-done',
  'not-done': 'not-done',
  'not-kept': 'not-done',
};
