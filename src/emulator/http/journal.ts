import type { RequestSummary } from './protocol.ts';

/** One request that arrived; `status` is null when the connection was dropped. */
export interface JournalEntry extends RequestSummary {
  /** Counts from 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Decoded JSON, or the raw text when it does not decode; undefined without a body. */
  readonly body: unknown;
  readonly status: number | null;
}

export interface Journal {
  /** The newest entries that are kept, oldest first. */
  entries(): readonly JournalEntry[];
  /** How many requests arrived in all. */
  total(): number;
  clear(): void;
}

export interface JournalWriter extends Journal {
  add(entry: Omit<JournalEntry, 'number'>): void;
}

/** Keeps the last `capacity` requests. */
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
      // Cut in large steps: shifting one entry a request would copy the whole list each time.
      if (kept.length > 2 * capacity + 20) kept = kept.slice(-capacity);
    },
  };
}
