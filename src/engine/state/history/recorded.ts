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

/** A run that wrote, or may have; without an end it was killed, or goes on. */
export interface RecordedRun {
  readonly start: RunEntry;
  readonly end: RunEndEntry | null;
}

/** An item of a run, and the last that is known of it; null: nothing is. */
export interface RecordedItem {
  readonly entry: ItemEntry;
  readonly result: ItemOutcomeEntry | null;
}

export interface RunWithItems extends RecordedRun {
  readonly items: readonly RecordedItem[];
}

/** The last entry about an item that was changed outside fwdsync; null in `endedAt`: it still is, as far as is known. */
export interface RecordedDrift {
  readonly entry: DriftEntry;
  readonly endedAt: string | null;
  /** The run that corrected it. */
  readonly correctedBy: string | null;
}

type QueryAbout<S extends 'run' | 'item' | 'drift'> = Omit<HistoryQuery<S>, 'about'>;

/** The runs that began in a time, the newest first. */
export async function* readRuns(
  history: HistoryStore,
  query: QueryAbout<'run'> = {},
): AsyncGenerator<RecordedRun> {
  const joined = joinRuns();
  // The end of a run that began in time may be later.
  for await (const entry of history.read({ ...query, until: undefined, about: 'run' })) {
    const run = joined(entry);
    if (run !== null && run.start.at <= (query.until ?? '9999')) yield run;
  }
}

/** Items, the newest first. */
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

/** Runs, the newest first, each with its items in the order in which they were sent: one run at a time is in memory. */
export async function* readRunsWithItems(
  history: HistoryStore,
  query: Pick<HistoryQuery<'run'>, 'since' | 'run' | 'onFault'> = {},
): AsyncGenerator<RunWithItems> {
  const [joinedRun, joinedItem] = [joinRuns(), joinItems()];
  const items = new Map<string, RecordedItem[]>();
  // Its items are complete where the run before it began: its own line may be there twice.
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

/** Takes lines, the newest first; a run where it began, else null. */
function joinRuns(): (entry: HistoryEntry) => RecordedRun | null {
  const ends = new Map<string, RunEndEntry>();
  let latest: string | null = null;
  return (entry) => {
    if (entry.entry === 'run-end') ends.set(entry.run, entry);
    // Where the disk failed after it took the line, the run wrote it again.
    if (entry.entry !== 'run' || entry.run === latest) return null;
    latest = entry.run;
    const end = ends.get(entry.run) ?? null;
    ends.delete(entry.run);
    return { start: entry, end };
  };
}

/** Takes lines, the newest first; returns an item where it was sent, else null. */
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

/** Yields what was found changed outside fwdsync, the newest first; of a change of what was found before only the last. */
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

/** Takes lines, the newest first; returns a drift at its last line, else null. */
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
    // Each line of one drift says when it was first seen.
    return known.seenAt === entry.seenAt ? null : { entry, endedAt: known.seenAt, correctedBy: null };
  };
}

/** Whether an item is in place, as far as history knows: certainly, perhaps, or certainly not. */
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
