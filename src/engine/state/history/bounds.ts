import { dayOf } from './day-files.ts';

/** Bounds of an account's history. */
export interface HistoryBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

const DAY_MS = 86_400_000;

export const HISTORY_BOUNDS: HistoryBounds = { maxAgeMs: 400 * DAY_MS, maxBytes: 2 ** 30 };

/** A part of a history that is removed as a whole. */
export interface HistoryPart {
  readonly id: string;
  /** The day on which it was written (`YYYY-MM-DD`, UTC). */
  readonly day: string;
  readonly bytes: number;
}

export interface HistoryParts {
  /** Parts in the order of writing, oldest first. */
  readonly parts: readonly HistoryPart[];
  readonly remove: (part: HistoryPart) => Promise<void>;
  /** Removes drift entries of a part. Returns the size that is left. */
  readonly dropDrift: (part: HistoryPart) => Promise<number>;
}

/** A longer pause between two runs is taken for a clock that is wrong. */
const LONGEST_PAUSE_MS = 5 * 365 * DAY_MS;

/**
 * Removes entries that are too old, and makes room for as much as may be added until the next time. Drift entries are
 * removed first, oldest days first, then whole days. The newest day stays.
 */
export async function applyBounds(
  { parts, remove, dropDrift }: HistoryParts,
  { maxAgeMs, maxBytes }: HistoryBounds,
  now: number,
): Promise<void> {
  const firstKept = isPlausible(parts, now) ? dayOf(now - maxAgeMs) : '';
  const sizes = new Map(parts.map((part) => [part, part.bytes]));
  for (const part of parts) {
    if (part.day >= firstKept) break;
    await remove(part);
    sizes.delete(part);
  }
  const room = maxBytes - roomFor(maxBytes);
  const oldestFirst = [...sizes.keys()].slice(0, -1);
  const isFull = (): boolean => sizes.values().reduce((sum, size) => sum + size, 0) > room;
  for (const part of oldestFirst) {
    if (!isFull()) return;
    sizes.set(part, await dropDrift(part));
  }
  for (const part of oldestFirst) {
    if (!isFull()) return;
    await remove(part);
    sizes.delete(part);
  }
}

/** False for a clock that is years after the last day before today: by it everything would be too old. */
function isPlausible(parts: HistoryParts['parts'], now: number): boolean {
  const today = dayOf(now);
  const before = parts.findLast(({ day }) => day < today);
  const isPaused = before !== undefined && now - Date.parse(before.day) > LONGEST_PAUSE_MS;
  return !isPaused;
}

/** Decides when to apply the bounds: when a day begins for this process, and each time it has added much since. */
export function createPruning({ maxBytes }: HistoryBounds): {
  /** Counts added bytes. Returns true if the bounds must be applied now. */
  isDue(now: number, added: number): boolean;
} {
  let day = '';
  let sum = 0;
  return {
    isDue(now, added) {
      const today = dayOf(now);
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
