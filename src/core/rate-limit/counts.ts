/** Numbers of requests, by endpoint. */
export type Counts = ReadonlyMap<string, number>;

export const NO_REQUESTS: Counts = new Map();

export function mergeCounts(all: Iterable<Counts>): Counts {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [endpoint, count] of counts) sums.set(endpoint, (sums.get(endpoint) ?? 0) + count);
  }
  return sums;
}

export function totalOf(counts: Counts): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}
