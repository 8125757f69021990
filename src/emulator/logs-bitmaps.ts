import type { LogEntry } from './model.ts';
import {
  bitsInAll,
  bitsInAny,
  bitsOf,
  countOnes,
  countOwners,
  forgetOwner,
  positionsOf,
  type Bits,
} from './piece-bits.ts';
import { readBetween, type Range, type SortedIndex } from './sorted.ts';
import type { LogTable } from './state.ts';

/** What is in one of these indexes, of which there is one at least, is in the group. */
export type Group = readonly SortedIndex<LogEntry>[];

/** Which entries of a piece of the created order are in each of the groups, of which there is one at least. */
export function commonBits(piece: readonly LogEntry[], groups: readonly Group[]): Bits {
  return bitsInAll(groups.map((group) => bitsInAny(group.map((index) => memberBits(piece, index)))));
}

/** How many entries of a range of the created order are in each of the groups. */
export function countCommon(
  { pieces }: SortedIndex<LogEntry>,
  groups: readonly Group[],
  range: Range,
): number {
  let count = 0;
  let start = 0;
  for (const piece of pieces) {
    const from = range.from - start;
    const to = range.to - start;
    start += piece.length;
    if (to <= 0 || from >= piece.length) continue;
    const bits = commonBits(piece, groups);
    const isWhole = from <= 0 && to >= piece.length;
    count += isWhole ? countOnes(bits) : positionsOf(bits).filter((at) => at >= from && at < to).length;
  }
  return count;
}

/** Makes the bitmaps ready that listings with several tests take. */
export function readyBitmaps({ inCreatedOrder, marked }: LogTable): void {
  // Listings see to the last piece, which the next mail changes.
  for (const piece of inCreatedOrder.pieces.slice(0, -1)) {
    if (countOwners(piece) === marked.size) continue;
    for (const index of marked) memberBits(piece, index);
  }
}

/** Call when the last entry of an index has left the log. */
export function forgetBitmap({ inCreatedOrder, marked }: LogTable, index: SortedIndex<LogEntry>): void {
  if (!marked.delete(index)) return;
  for (const piece of inCreatedOrder.pieces) forgetOwner(piece, index);
}

function memberBits(piece: readonly LogEntry[], index: SortedIndex<LogEntry>): Bits {
  return bitsOf(piece, index, () => readBetween(index, piece[0] as LogEntry, piece.at(-1) as LogEntry));
}
