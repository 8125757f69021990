/**
 * Positions of a longest strictly increasing run of finite numbers, in order: what may stay while the rest moves.
 * What is no finite number is never part of it. O(n log n).
 */
export function longestRun(ranks: readonly (number | null)[]): ReadonlySet<number> {
  /** For each length of a run, the position at which the run with the least last number ends. */
  const ends: number[] = [];
  const before = new Map<number, number | null>();
  for (const [position, rank] of ranks.entries()) {
    if (rank === null || !Number.isFinite(rank)) continue;
    const length = countBelow(ends, rank, ranks);
    before.set(position, ends[length - 1] ?? null);
    ends[length] = position;
  }
  const run = new Set<number>();
  let position = ends.at(-1) ?? null;
  while (position !== null) {
    run.add(position);
    position = before.get(position) ?? null;
  }
  return run;
}

/** How many runs end in a number below `rank`; their last numbers ascend. */
function countBelow(ends: readonly number[], rank: number, ranks: readonly (number | null)[]): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const last = ranks[ends[middle] ?? 0] ?? 0;
    if (last < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
