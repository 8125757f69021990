import { longestRun } from './longest-run.ts';
import { fitNumbers, type Room } from './rank-room.ts';

export interface RankInput {
  /** In the order wanted: the live rank of each rule, null of a new one. */
  readonly wanted: readonly (number | null)[];
  /** Ranks of the rules that nothing manages; they stay. */
  readonly fixed: readonly number[];
  /** Digits after the point that the service keeps; null: all, as far as is known. */
  readonly digits: number | null;
}

/**
 * A rank for each rule, strictly ascending in the order wanted. The longest run that is in order keeps its ranks; the
 * others get numbers between their neighbours, directly after the one before them, else directly before the next, else
 * last. Where there is no room a neighbour is numbered anew as well, in integers.
 */
export function assignRanks(input: RankInput): readonly number[] {
  const kept = longestRun(input.wanted);
  const ranks = input.wanted.map((rank, position) => (kept.has(position) ? rank : null));
  const fixed = input.fixed.filter(Number.isFinite).sort((a, b) => a - b);
  let start = ranks.indexOf(null);
  while (start >= 0) {
    fillGap(ranks, start, fixed, input.digits);
    start = ranks.indexOf(null);
  }
  return ranks as number[];
}

interface Gap {
  start: number;
  /** The first position after it. */
  end: number;
  /** Whether the place relative to unmanaged rules was given up: there is none that fits. */
  loose: boolean;
}

/** Numbers the gap that begins at `start`, widening it over its neighbours until there is room. */
function fillGap(
  ranks: (number | null)[],
  start: number,
  fixed: readonly number[],
  digits: number | null,
): void {
  const gap: Gap = { start, end: start, loose: false };
  absorb(gap, ranks);
  let numbers = fitNumbers(gap.end - gap.start, roomOf(gap, ranks, fixed), { digits });
  while (numbers === null) {
    if (!widen(gap, ranks, fixed)) numbers = fromTheStart(gap.end - gap.start, fixed);
    else numbers = fitNumbers(gap.end - gap.start, roomOf(gap, ranks, fixed), { digits: 0 });
  }
  for (const [index, number] of numbers.entries()) ranks[gap.start + index] = number;
}

function roomOf(gap: Gap, ranks: readonly (number | null)[], fixed: readonly number[]): Room {
  const before = ranks[gap.start - 1] ?? null;
  const after = ranks[gap.end] ?? null;
  if (gap.loose) return { above: before, below: after };
  if (before !== null) {
    const next = fixed.find((rank) => rank > before) ?? null;
    return { above: before, below: least(next, after) };
  }
  if (after === null) return { above: fixed.at(-1) ?? null, below: null };
  return { above: fixed.findLast((rank) => rank < after) ?? null, below: after };
}

/** Takes in the neighbour that bounds the gap; false when nothing is left to take in. */
function widen(gap: Gap, ranks: (number | null)[], fixed: readonly number[]): boolean {
  const room = roomOf(gap, ranks, fixed);
  const before = ranks[gap.start - 1] ?? null;
  const after = ranks[gap.end] ?? null;
  if (after !== null && room.below === after) ranks[gap.end] = null;
  else if (before !== null && room.above === before) ranks[gap.start - 1] = null;
  else if (!gap.loose && fixed.length > 0) gap.loose = true;
  else return false;
  absorb(gap, ranks);
  return true;
}

function absorb(gap: Gap, ranks: readonly (number | null)[]): void {
  while (gap.start > 0 && ranks[gap.start - 1] === null) gap.start -= 1;
  while (gap.end < ranks.length && ranks[gap.end] === null) gap.end += 1;
}

/** The last resort, when no bound is left: integers that no unmanaged rule has. */
function fromTheStart(count: number, fixed: readonly number[]): readonly number[] {
  const taken = new Set(fixed);
  const numbers: number[] = [];
  for (let rank = 10; numbers.length < count; rank += 10) {
    if (!taken.has(rank)) numbers.push(rank);
  }
  return numbers;
}

function least(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
