/** Runs `work` for each item, at most `limit` at a time. The first error ends all of it. */
export async function sideBySide<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All workers share one iterator, so each takes the next free item.
  const rest = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
