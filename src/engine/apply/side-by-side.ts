/** Runs `work` for each item, at most `limit` at a time; the first to throw ends it all. */
export async function sideBySide<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // One iterator for all workers: each takes the next item that nobody has taken.
  const rest = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
