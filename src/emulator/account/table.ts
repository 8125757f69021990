/** Items of one kind, indexed by their keys and kept in each order in which they are listed. */
export interface Table<T, Key extends string, Order extends string> {
  readonly size: number;
  /** Finds an item by the first key, or by the key named. */
  get(value: string, key?: Key): T | undefined;
  /** Items in order of insertion. Others may be inserted or removed while iterating. */
  values(): Iterable<T>;
  inOrder(order: Order): readonly T[];
  page(query: PageQuery<T, Order>): Page<T>;
  insert(item: T): void;
  remove(item: T): void;
  clear(): void;
  /** Makes a change that moves the item within the orders. */
  move(item: T, change: () => void): void;
}

export interface PageQuery<T, Order extends string> {
  readonly order: `${Order}_${'asc' | 'desc'}`;
  readonly offset: number;
  readonly limit: number;
  /** Only items that contain this text; case does not count. */
  readonly containing?: string | undefined;
  readonly keep?: ((item: T) => boolean) | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Number of items on all pages together. */
  readonly total: number;
}

interface TableShape<T, Key extends string, Order extends string> {
  readonly keys: Readonly<Record<Key, (item: T) => string>>;
  /** `exact` if case counts in keys. */
  readonly letterCase: 'any' | 'exact';
  /** Total orders: a comparison returns 0 only for the same item. */
  readonly orders: Readonly<Record<Order, (a: T, b: T) => number>>;
  /** The text that a substring search looks through. */
  readonly textOf?: (item: T) => string;
}

export function createTable<T, Key extends string, Order extends string>(
  shape: TableShape<T, Key, Order>,
): Table<T, Key, Order> {
  const fold = (text: string): string => (shape.letterCase === 'any' ? text.toLowerCase() : text);
  const indexes = entriesOf(shape.keys).map(([key, keyOf]) => ({ key, keyOf, items: new Map<string, T>() }));
  const sorted = entriesOf(shape.orders).map(([order, compare]) => ({ order, compare, items: [] as T[] }));
  const [first] = indexes;
  const itemsBy = (key: Key | undefined): Map<string, T> =>
    (indexes.find((index) => index.key === key) ?? first)?.items ?? new Map();
  const inOrder = (order: Order): readonly T[] => sorted.find((list) => list.order === order)?.items ?? [];
  return {
    get size() {
      return itemsBy(undefined).size;
    },
    get: (value, key) => itemsBy(key).get(fold(value)),
    values: () => itemsBy(undefined).values(),
    inOrder,
    page: (query) => readPage(inOrder(query.order.replace(/_\w+$/, '') as Order), query, shape.textOf),
    insert(item) {
      for (const { items, keyOf } of indexes) items.set(fold(keyOf(item)), item);
      for (const { items, compare } of sorted) insertInto(items, item, compare);
    },
    remove(item) {
      for (const { items, keyOf } of indexes) items.delete(fold(keyOf(item)));
      for (const { items, compare } of sorted) removeFrom(items, item, compare);
    },
    clear() {
      for (const { items } of indexes) items.clear();
      for (const { items } of sorted) items.length = 0;
    },
    move(item, change) {
      for (const { items, compare } of sorted) removeFrom(items, item, compare);
      change();
      for (const { items, compare } of sorted) insertInto(items, item, compare);
    },
  };
}

function entriesOf<K extends string, V>(record: Readonly<Record<K, V>>): readonly [K, V][] {
  return Object.entries(record) as [K, V][];
}

function readPage<T>(
  items: readonly T[],
  { order, offset, limit, containing = '', keep }: PageQuery<T, string>,
  textOf: (item: T) => string = () => '',
): Page<T> {
  const wanted = containing.toLowerCase();
  const kept =
    wanted === '' && keep === undefined
      ? items
      : items.filter((item) => (keep?.(item) ?? true) && textOf(item).toLowerCase().includes(wanted));
  const total = kept.length;
  const from = Math.max(0, offset);
  if (order.endsWith('_asc')) return { items: kept.slice(from, from + limit), total };
  const end = Math.max(0, total - from);
  return { items: kept.slice(Math.max(0, end - limit), end).reverse(), total };
}

function insertInto<T>(items: T[], item: T, compare: (a: T, b: T) => number): void {
  const last = items.at(-1);
  if (last === undefined || compare(last, item) < 0) items.push(item);
  else items.splice(firstNotBefore(items, item, compare), 0, item);
}

function removeFrom<T>(items: T[], item: T, compare: (a: T, b: T) => number): void {
  const position = firstNotBefore(items, item, compare);
  if (items[position] !== item) throw new Error('an item left a table that it was not in');
  items.splice(position, 1);
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

/** Compares by UTF-16 code units, independent of the locale. */
export function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares by age, oldest first. */
export function byCreation(
  a: { readonly created_at: number; readonly sequence: number },
  b: { readonly created_at: number; readonly sequence: number },
): number {
  return a.created_at - b.created_at || a.sequence - b.sequence;
}
