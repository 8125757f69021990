import type {
  DriftEndEntry,
  DriftEntry,
  HistoryOutcome,
  ItemEntry,
  ItemOutcomeEntry,
  RunEndEntry,
  RunEntry,
} from '../../model/history/entries.ts';
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
  const ends = new Map<string, RunEndEntry>();
  let latest: string | null = null;
  // The end of a run that began in time may be later.
  for await (const entry of history.read({ ...query, until: undefined, about: 'run' })) {
    if (entry.entry === 'run-end') ends.set(entry.run, entry);
    // Where the disk failed after it took the line, the run wrote it again.
    else if (entry.run !== latest) {
      latest = entry.run;
      if (entry.at <= (query.until ?? '9999')) yield { start: entry, end: ends.get(entry.run) ?? null };
      ends.delete(entry.run);
    }
  }
}

/** Items, the newest first. */
export async function* readItems(
  history: HistoryStore,
  query: QueryAbout<'item'> = {},
): AsyncGenerator<RecordedItem> {
  const results = new Map<string, ItemOutcomeEntry>();
  for await (const entry of history.read({ ...query, until: undefined, about: 'item' })) {
    const key = `${entry.run}\n${entry.item}`;
    if (entry.entry === 'item') {
      if (entry.at <= (query.until ?? '9999')) yield { entry, result: results.get(key) ?? null };
      results.delete(key);
    } else if (!results.has(key)) results.set(key, entry);
  }
}

/** What was found changed outside fwdsync, the newest first; of a change of what was found before only the last. */
export async function* readDrift(
  history: HistoryStore,
  query: QueryAbout<'drift'> = {},
): AsyncGenerator<RecordedDrift> {
  const later = new Map<string, DriftEnd | 'changed'>();
  for await (const entry of history.read({ ...query, about: 'drift' })) {
    const key = entry.keys[0] ?? '';
    const known = later.get(key);
    if (entry.entry === 'drift-end') later.set(key, entry);
    else {
      // Each line of one drift says when it was first seen.
      later.set(key, entry.at === entry.seenAt ? { at: entry.at, run: null } : 'changed');
      if (known !== 'changed') yield { entry, ...endOf(known) };
    }
  }
}

/** What ended a drift: the item was as it should be again, or found changed anew. */
type DriftEnd = Pick<DriftEndEntry, 'at' | 'run'>;

function endOf(known: DriftEnd | undefined): Omit<RecordedDrift, 'entry'> {
  return { endedAt: known?.at ?? null, correctedBy: known?.run ?? null };
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
