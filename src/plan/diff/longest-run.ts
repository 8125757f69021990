/**
 * Positions of a longest strictly increasing run of finite numbers: what may stay while the rest moves. Among equally
 * long ones it is one that begins late, with large numbers, since there is always room behind a run.
 * What is no finite number is never part of it. O(n log n).
 */
export function longestRun(ranks: readonly (number | null)[]): ReadonlySet<number> {
  /** For each length of a run, the position at which the run with the greatest first number begins. */
  const starts: number[] = [];
  const after = new Map<number, number | undefined>();
  for (const [position, rank] of [...ranks.entries()].reverse()) {
    if (rank === null || !Number.isFinite(rank)) continue;
    const length = countAbove(starts, rank, ranks);
    after.set(position, starts[length - 1]);
    starts[length] = position;
  }
  const run = new Set<number>();
  for (let position = starts.at(-1); position !== undefined; position = after.get(position))
    run.add(position);
  return run;
}

/** How many runs begin with a number above `rank`; their first numbers descend. */
function countAbove(starts: readonly number[], rank: number, ranks: readonly (number | null)[]): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const first = ranks[starts[middle] ?? 0] ?? 0;
    if (first > rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
