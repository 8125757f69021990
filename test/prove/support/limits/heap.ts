export interface Heap<T> {
  push(at: number, item: T): void;
  /** Removes and returns the earliest item; among equal times the one that was pushed first. null means that the heap is empty. */
  pop(): { readonly at: number; readonly item: T } | null;
}

interface Entry<T> {
  readonly at: number;
  readonly order: number;
  readonly item: T;
}

export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  let count = 0;
  const isBefore = (a: number, b: number): boolean => {
    const [first, second] = [entries[a], entries[b]];
    if (first === undefined || second === undefined) return false;
    return first.at < second.at || (first.at === second.at && first.order < second.order);
  };
  const swap = (a: number, b: number): void => {
    const [first, second] = [entries[a], entries[b]];
    if (first !== undefined && second !== undefined) [entries[a], entries[b]] = [second, first];
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0 && isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1) swap(at, (at - 1) >> 1);
  };
  const sink = (): void => {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = isBefore(right, left) ? right : left;
      if (!isBefore(least, at)) return;
      swap(at, least);
      at = least;
    }
  };
  return {
    push(at, item) {
      entries.push({ at, order: (count += 1), item });
      rise(entries.length - 1);
    },
    pop() {
      swap(0, entries.length - 1);
      const first = entries.pop() ?? null;
      sink();
      return first;
    },
  };
}
