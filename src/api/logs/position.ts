import type { LogEntry } from './logs.ts';

/** How far a log was followed. */
export interface LogPosition {
  /** The cursor to look from, after which entries are known; null: there is none yet. */
  anchor(): string | null;
  /** The time, in epoch milliseconds, to look from without a cursor; null: from the beginning. */
  since(): number | null;
  knows(id: string): boolean;
  /** What of these entries is new; from then on it is known. */
  take(entries: readonly LogEntry[]): readonly LogEntry[];
}

/** Entries of one second have no order that is stated: some of those that came last are read again. */
const OVERLAP_MS = 60_000;
const KEPT_IDS = 10_000;

/** After these entries, oldest first; what is older than all of them is not handed out. */
export function startPosition(before: readonly LogEntry[], pageSize: number): LogPosition {
  const known = new Set(before.map(({ id }) => id));
  const first = firstWanted(before);
  // So many of a page may be known already that the rest of it still leads forward; never fewer than tell a lost cursor.
  const overlap = Math.max(2, Math.floor(pageSize / 2));
  let recent = before.slice(-overlap);
  const newest = (): number | null => recent.at(-1)?.createdAt ?? null;
  return {
    knows: (id) => known.has(id),
    since() {
      const time = newest();
      return time === null ? null : time - OVERLAP_MS;
    },
    anchor() {
      const since = (newest() ?? 0) - OVERLAP_MS;
      const first = recent.findIndex(({ createdAt }) => (createdAt ?? 0) >= since);
      return recent[Math.min(first, recent.length - 2)]?.id ?? null;
    },
    take(entries) {
      const news = entries.filter(({ id, createdAt }) => !known.has(id) && (createdAt ?? first) >= first);
      for (const { id } of news) known.add(id);
      forgetOldest(known);
      recent = [...recent, ...news].slice(-overlap);
      return news;
    },
  };
}

/** Of the second of the oldest of these there may be others that were not read; unless all are of that second. */
function firstWanted(before: readonly LogEntry[]): number {
  const oldest = before[0]?.createdAt ?? -Infinity;
  return oldest === before.at(-1)?.createdAt ? oldest : oldest + 1;
}

/** A set gives its members in the order in which they came. */
function forgetOldest(known: Set<string>): void {
  for (const id of known) {
    if (known.size <= KEPT_IDS) return;
    known.delete(id);
  }
}
