/** An ordered view of a collection that lives elsewhere: an array in order from the first insertion on. */
export interface SortedIndex<T> {
  /** A total order: 0 only for the same item. */
  readonly compare: (a: T, b: T) => number;
  /** What filters by substring search. */
  readonly textOf: (item: T) => string;
  readonly items: T[];
}

export type Direction = 'ascending' | 'descending';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export function createIndex<T>(
  compare: (a: T, b: T) => number,
  textOf: (item: T) => string = () => '',
): SortedIndex<T> {
  return { compare, textOf, items: [] };
}

/** Call when `item` enters the collection. */
export function insertInto<T>({ compare, items }: SortedIndex<T>, item: T): void {
  const last = items.at(-1);
  if (last === undefined || compare(last, item) < 0) items.push(item);
  else items.splice(firstNotBefore(items, item, compare), 0, item);
}

/** Call before a change of `item` that moves it, or when it leaves the collection. */
export function removeFrom<T>({ compare, items }: SortedIndex<T>, item: T): void {
  const position = firstNotBefore(items, item, compare);
  if (items[position] !== item) throw new Error('an item left an index that it was not in');
  items.splice(position, 1);
}

export function clearIndex<T>({ items }: SortedIndex<T>): void {
  items.length = 0;
}

/**
 * Items `offset` to `offset + limit` in the given direction. With `containing`, a lower-case text, or `keep`, pages run over
 * the items that have the text and that it accepts.
 */
export function readPage<T>(
  { items, textOf }: SortedIndex<T>,
  options: {
    readonly offset: number;
    readonly limit: number;
    readonly direction: Direction;
    readonly containing?: string | undefined;
    readonly keep?: ((item: T) => boolean) | undefined;
  },
): Page<T> {
  const { limit, direction, containing = '', keep = () => true } = options;
  const hasText = (item: T): boolean => textOf(item).toLowerCase().includes(containing);
  const kept =
    containing === '' && options.keep === undefined
      ? items
      : items.filter((item) => keep(item) && (containing === '' || hasText(item)));
  const total = kept.length;
  const offset = Math.max(0, options.offset);
  if (direction === 'ascending') return { items: kept.slice(offset, offset + limit), total };
  const end = Math.max(0, total - offset);
  return { items: kept.slice(Math.max(0, end - limit), end).reverse(), total };
}

/** By UTF-16 code units, whatever the locale. */
export function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function firstNotBefore<T>(items: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(items[middle] as T, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
