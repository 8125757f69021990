const DAY_MS = 86_400_000;

/**
 * Merges lists of several accounts by time, each newest first. The order within a list is the order of writing, and
 * it stays: an entry counts as no earlier than those written before it, even if a clock was wrong. A time later than
 * `now` (epoch milliseconds) does not count.
 */
export function mergeNewestFirst<T>(
  lists: readonly (readonly T[])[],
  at: (found: T) => string | number,
  now: number,
): readonly T[] {
  const last = now + DAY_MS;
  const timed = lists.flatMap((list) => {
    const oldestFirst = list.toReversed().map((found) => ({ found, at: new Date(at(found)).getTime() }));
    let latest = oldestFirst.find((entry) => entry.at <= last)?.at ?? now;
    return oldestFirst
      .map((entry) => {
        if (entry.at > latest && entry.at <= last) latest = entry.at;
        return { ...entry, at: latest };
      })
      .toReversed();
  });
  return timed.sort((a, b) => b.at - a.at).map(({ found }) => found);
}
