/** How much of the history of an account is kept. */
export interface HistoryBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export const HISTORY_BOUNDS: HistoryBounds = { maxAgeMs: 400 * 86_400_000, maxBytes: 2 ** 30 };

/** What is kept of each day (`YYYY-MM-DD`, UTC). */
export interface HistoryDays {
  /** Bytes by day, the oldest first. */
  readonly sizes: ReadonlyMap<string, number>;
  remove(day: string): Promise<void>;
  /** Removes what was found changed outside fwdsync; the size that is left. */
  dropDrift(day: string): Promise<number>;
}

/**
 * Removes what is older than it may be, and makes room for as much again as is added until the next time: drift goes first,
 * from the oldest days on, then whole days. The newest day stays.
 */
export async function applyBounds(
  days: HistoryDays,
  { maxAgeMs, maxBytes }: HistoryBounds,
  now: number,
): Promise<void> {
  const firstKept = new Date(now - maxAgeMs).toISOString().slice(0, 10);
  const sizes = new Map(days.sizes);
  for (const day of days.sizes.keys()) {
    if (day >= firstKept) break;
    await days.remove(day);
    sizes.delete(day);
  }
  const room = maxBytes - roomFor(maxBytes);
  const oldestFirst = [...sizes.keys()].slice(0, -1);
  const isFull = (): boolean => sizes.values().reduce((sum, size) => sum + size, 0) > room;
  for (const day of oldestFirst) {
    if (!isFull()) return;
    sizes.set(day, await days.dropDrift(day));
  }
  for (const day of oldestFirst) {
    if (!isFull()) return;
    await days.remove(day);
    sizes.delete(day);
  }
}

/** When the bounds are applied: as a day begins for this process, and each time that it has added much since. */
export function createPruning({ maxBytes }: HistoryBounds): {
  /** Counts added bytes. Returns true if the bounds must be applied now. */
  isDue(now: number, added: number): boolean;
} {
  let day = '';
  let sum = 0;
  return {
    isDue(now, added) {
      const today = new Date(now).toISOString().slice(0, 10);
      sum += added;
      if (today === day && sum <= roomFor(maxBytes)) return false;
      [day, sum] = [today, 0];
      return true;
    },
  };
}

/** Returns the bytes that may be added before the bounds are applied again. */
function roomFor(maxBytes: number): number {
  return maxBytes / 16;
}
