/**
 * An ordered view of a collection that lives elsewhere. It is built at its first reading and kept by binary insertion
 * from then on, so that a listing that nobody asks for costs nothing and a page costs one slice.
 */
export interface SortedIndex<T> {
  readonly source: () => Iterable<T>;
  /** A total order: 0 only for the same item. */
  readonly compare: (a: T, b: T) => number;
  items: T[] | undefined;
}

export type Direction = 'ascending' | 'descending';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export function createIndex<T>(source: () => Iterable<T>, compare: (a: T, b: T) => number): SortedIndex<T> {
  return { source, compare, items: undefined };
}

/** Call after `item` entered the source. */
export function insertInto<T>(index: SortedIndex<T>, item: T): void {
  if (index.items === undefined) return;
  index.items.splice(position(index.items, item, index.compare), 0, item);
}

/** Call before a change of `item` that moves it, or when it leaves the source. */
export function removeFrom<T>(index: SortedIndex<T>, item: T): void {
  if (index.items === undefined) return;
  const at = position(index.items, item, index.compare);
  if (index.items[at] === item) {
    index.items.splice(at, 1);
  } else {
    index.items = undefined;
  }
}

/** Forgets the order; the next reading builds it from the source. */
export function resetIndex<T>(index: SortedIndex<T>): void {
  index.items = undefined;
}

export function readAll<T>(index: SortedIndex<T>): readonly T[] {
  index.items ??= [...index.source()].sort(index.compare);
  return index.items;
}

/**
 * Items `offset` to `offset + limit` in the given direction. With `keep`, pages run over the items that it accepts,
 * which scans the whole index; without it nothing outside of the page is looked at.
 */
export function readPage<T>(
  index: SortedIndex<T>,
  options: {
    readonly offset: number;
    readonly limit: number;
    readonly direction: Direction;
    readonly keep?: ((item: T) => boolean) | undefined;
  },
): Page<T> {
  const { keep } = options;
  const all = keep === undefined ? readAll(index) : readAll(index).filter((item) => keep(item));
  const offset = Math.max(0, options.offset);
  if (options.direction === 'ascending') {
    return { items: all.slice(offset, offset + options.limit), total: all.length };
  }
  const end = Math.max(0, all.length - offset);
  return { items: all.slice(Math.max(0, end - options.limit), end).reverse(), total: all.length };
}

/** By UTF-16 code units, whatever the locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function position<T>(items: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(items[middle] as T, item) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
