/**
 * Merges lists of several accounts, each the newest first, by time. The order within a list is that of writing and stays: an
 * entry counts as no earlier than those that were written before it, whatever the clock of its machine said.
 */
export function mergeNewestFirst<T>(
  lists: readonly (readonly T[])[],
  at: (found: T) => string | number,
): readonly T[] {
  const timed = lists.flatMap((list) => {
    let latest: string | number | null = null;
    const oldestFirst = list.toReversed().map((found) => {
      const own = at(found);
      latest = latest === null || own > latest ? own : latest;
      return { found, at: latest };
    });
    return oldestFirst.toReversed();
  });
  return timed.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1)).map(({ found }) => found);
}
