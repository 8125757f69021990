import type { RequestSummary } from './protocol.ts';

/** One request that arrived. `status` is null if the connection was dropped. */
export interface JournalEntry extends RequestSummary {
  /** Number of the request, counted from 1. */
  readonly number: number;
  /** Time of arrival in epoch milliseconds. */
  readonly at: number;
  /** Decoded JSON, or the raw text if it cannot be decoded. undefined means that there was no body. */
  readonly body: unknown;
  readonly status: number | null;
}

export interface Journal {
  /** The kept entries, oldest first. */
  entries(): readonly JournalEntry[];
  /** Number of requests that ever arrived. */
  total(): number;
  clear(): void;
}

export interface JournalWriter extends Journal {
  add(entry: Omit<JournalEntry, 'number'>): void;
}

/** Creates a journal that keeps the last `capacity` requests. */
export function createJournal(capacity: number): JournalWriter {
  let kept: JournalEntry[] = [];
  let total = 0;
  return {
    entries: () => kept.slice(-capacity),
    total: () => total,
    clear() {
      kept = [];
      total = 0;
    },
    add(entry) {
      total += 1;
      kept.push({ number: total, ...entry });
      // Trimmed in large steps, because dropping one entry per request would copy the whole list each time.
      if (kept.length > 2 * capacity + 20) kept = kept.slice(-capacity);
    },
  };
}
