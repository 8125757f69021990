import { forgetBits } from './piece-bits.ts';
import { forgetText, positionsWith, readyText } from './piece-text.ts';

/**
 * An ordered view of a collection that lives elsewhere, in order from the first insertion on. It is kept in pieces of a
 * bounded size, so that in a million items too an insertion moves few of them and a page costs one walk over the pieces.
 */
export interface SortedIndex<T> {
  /** A total order: 0 only for the same item. */
  readonly compare: (a: T, b: T) => number;
  /** What filters by substring look at. */
  readonly textOf: (item: T) => string;
  /** None is empty. */
  pieces: T[][];
  size: number;
}

export type Direction = 'ascending' | 'descending';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Positions `from` to `to`, the latter not included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const MAX_PIECE = 1024;

export function createIndex<T>(
  compare: (a: T, b: T) => number,
  textOf: (item: T) => string = () => '',
): SortedIndex<T> {
  return { compare, textOf, pieces: [], size: 0 };
}

/** Call when `item` enters the collection. */
export function insertInto<T>(index: SortedIndex<T>, item: T): void {
  index.size += 1;
  const last = index.pieces.at(-1);
  if (last === undefined) {
    index.pieces.push([item]);
    return;
  }
  const isLast = index.compare(last.at(-1) as T, item) < 0;
  const place = isLast
    ? { piece: index.pieces.length - 1, within: last.length }
    : locate(index, (other) => index.compare(other, item) < 0);
  const piece = index.pieces[place.piece] as T[];
  piece.splice(place.within, 0, item);
  forgetPiece(piece);
  if (piece.length > MAX_PIECE) {
    // What only grows at its end keeps its pieces full.
    const rest = piece.splice(isLast ? MAX_PIECE : MAX_PIECE / 2);
    index.pieces.splice(place.piece + 1, 0, rest);
  }
}

/** Call before a change of `item` that moves it, or when it leaves the collection. */
export function removeFrom<T>(index: SortedIndex<T>, item: T): void {
  const place = locate(index, (other) => index.compare(other, item) < 0);
  const piece = index.pieces[place.piece];
  if (piece?.[place.within] !== item) throw new Error('an item left an index that it was not in');
  piece.splice(place.within, 1);
  forgetPiece(piece);
  if (piece.length === 0) index.pieces.splice(place.piece, 1);
  index.size -= 1;
}

/** Call when the text of `item` has changed. */
export function renewText<T>(index: SortedIndex<T>, item: T): void {
  const { piece } = locate(index, (other) => index.compare(other, item) < 0);
  forgetText(index.pieces[piece] ?? []);
}

/** Takes the first items away. */
export function dropFirst<T>(index: SortedIndex<T>, count: number): void {
  index.size -= count;
  let left = count;
  const whole = index.pieces.findIndex((piece) => {
    if (piece.length > left) return true;
    left -= piece.length;
    return false;
  });
  index.pieces.splice(0, whole === -1 ? index.pieces.length : whole);
  const [first] = index.pieces;
  if (first === undefined || left === 0) return;
  first.splice(0, left);
  forgetPiece(first);
}

export function clearIndex<T>(index: SortedIndex<T>): void {
  index.pieces = [];
  index.size = 0;
}

export function readAll<T>(index: SortedIndex<T>): readonly T[] {
  return index.pieces.flat();
}

export function lastOf<T>(index: SortedIndex<T>): T | undefined {
  return index.pieces.at(-1)?.at(-1);
}

/** How many items are before; `isBefore` holds for the first items and for none after them. */
export function positionOf<T>(index: SortedIndex<T>, isBefore: (item: T) => boolean): number {
  const place = locate(index, isBefore);
  let position = place.within;
  for (let at = 0; at < place.piece; at += 1) position += index.pieces[at]?.length ?? 0;
  return position;
}

/**
 * Items `offset` to `offset + limit` of the range in the given direction. With `containing`, a lower-case text, or `keep`,
 * pages run over the items that have the text and that it accepts; without them nothing outside of the page is looked at.
 */
export function readPage<T>(
  index: SortedIndex<T>,
  options: {
    readonly offset: number;
    readonly limit: number;
    readonly direction: Direction;
    readonly range?: Range | undefined;
    readonly containing?: string | undefined;
    readonly keep?: ((item: T) => boolean) | undefined;
  },
): Page<T> {
  const { direction, containing = '', keep, range = { from: 0, to: index.size } } = options;
  const page = { ...options, offset: Math.max(0, options.offset) };
  const hits = containing === '' ? undefined : hitsIn(index, range, containing);
  const read = (slice: Range): T[] => (hits === undefined ? readSlice(index, slice) : readHits(hits, slice));
  const all = hits === undefined ? range : { from: 0, to: countHits(hits) };
  if (keep === undefined) {
    return { items: inDirection(read(pagePositions(all, page)), direction), total: all.to - all.from };
  }
  const kept = read(all).filter(keep);
  const { from, to } = pagePositions({ from: 0, to: kept.length }, page);
  return { items: inDirection(kept.slice(from, to), direction), total: kept.length };
}

/** Positions of some of the items of a piece, in ascending order. */
export type Selection<T> = (piece: readonly T[]) => readonly number[];

/** The items of a range, one after the other; with `select`, those that it selects. */
export function* walk<T>(
  index: SortedIndex<T>,
  range: Range,
  direction: Direction,
  select?: Selection<T>,
): Generator<T> {
  const isAscending = direction === 'ascending';
  let end = isAscending ? 0 : index.size;
  for (const piece of isAscending ? index.pieces : index.pieces.toReversed()) {
    const start = isAscending ? end : end - piece.length;
    end = isAscending ? start + piece.length : start;
    const from = Math.max(0, range.from - start);
    const to = Math.min(piece.length, range.to - start);
    if (from >= to) continue;
    const items = slicePiece(piece, { from, to }, select);
    yield* isAscending ? items : items.reverse();
  }
}

/** The items from `first` to `last`, both included. */
export function readBetween<T>(index: SortedIndex<T>, first: T, last: T): readonly T[] {
  return readSlice(index, {
    from: positionOf(index, (item) => index.compare(item, first) < 0),
    to: positionOf(index, (item) => index.compare(item, last) <= 0),
  });
}

/** Gathers the texts of an index of several pieces; those of a single one are gathered fast enough when they are needed. */
export function readyTexts<T>({ pieces, textOf }: SortedIndex<T>): void {
  if (pieces.length === 1) return;
  for (const piece of pieces) readyText(piece, textOf);
}

function slicePiece<T>(piece: readonly T[], { from, to }: Range, select: Selection<T> | undefined): T[] {
  if (select === undefined) return piece.slice(from, to);
  return select(piece)
    .filter((at) => at >= from && at < to)
    .map((at) => piece[at] as T);
}

/** By UTF-16 code units, whatever the locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function forgetPiece(piece: readonly unknown[]): void {
  forgetText(piece);
  forgetBits(piece);
}

function pagePositions(
  range: Range,
  page: { readonly offset: number; readonly limit: number; readonly direction: Direction },
): Range {
  if (page.direction === 'ascending') {
    const from = Math.min(range.to, range.from + page.offset);
    return { from, to: Math.min(range.to, from + page.limit) };
  }
  const to = Math.max(range.from, range.to - page.offset);
  return { from: Math.max(range.from, to - page.limit), to };
}

function readSlice<T>(index: SortedIndex<T>, range: Range): T[] {
  const items: T[] = [];
  let start = 0;
  for (const piece of index.pieces) {
    if (start >= range.to) break;
    const isInRange = start + piece.length > range.from;
    if (isInRange) items.push(...piece.slice(Math.max(0, range.from - start), range.to - start));
    start += piece.length;
  }
  return items;
}

/** Items of one piece, by their positions in ascending order. */
interface Hits<T> {
  readonly piece: readonly T[];
  readonly positions: readonly number[];
}

/** The items of a range that have a lower-case text. */
function hitsIn<T>(index: SortedIndex<T>, range: Range, text: string): readonly Hits<T>[] {
  const hits: Hits<T>[] = [];
  let start = 0;
  for (const piece of index.pieces) {
    const from = range.from - start;
    const to = range.to - start;
    start += piece.length;
    if (to <= 0 || from >= piece.length) continue;
    const found = positionsWith(piece, index.textOf, text);
    const isWhole = from <= 0 && to >= piece.length;
    hits.push({ piece, positions: isWhole ? found : found.filter((at) => at >= from && at < to) });
  }
  return hits;
}

function countHits<T>(hits: readonly Hits<T>[]): number {
  return hits.reduce((count, { positions }) => count + positions.length, 0);
}

function readHits<T>(hits: readonly Hits<T>[], { from, to }: Range): T[] {
  const items: T[] = [];
  let start = 0;
  for (const { piece, positions } of hits) {
    const slice = positions.slice(Math.max(0, from - start), Math.max(0, to - start));
    for (const position of slice) items.push(piece[position] as T);
    start += positions.length;
  }
  return items;
}

function inDirection<T>(items: T[], direction: Direction): readonly T[] {
  return direction === 'ascending' ? items : items.reverse();
}

/** The first item that is not before: its piece and its place therein; past the end when there is none. */
function locate<T>(
  index: SortedIndex<T>,
  isBefore: (item: T) => boolean,
): { readonly piece: number; readonly within: number } {
  const { pieces } = index;
  const piece = partition(pieces.length, (at) => isBefore(pieces[at]?.at(-1) as T));
  const items = pieces[piece] ?? [];
  return { piece, within: partition(items.length, (at) => isBefore(items[at] as T)) };
}

/** The first position that is not before. */
function partition(length: number, isBefore: (position: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
