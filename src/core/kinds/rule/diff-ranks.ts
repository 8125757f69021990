export interface RankInput {
  /** The live rank of each rule in the desired order; null for a new rule. */
  readonly wanted: readonly (number | null)[];
  /** Ranks of unmanaged rules; they stay. */
  readonly fixed: readonly number[];
  /** Decimal digits that the service keeps; null means all, as far as is known. */
  readonly digits: number | null;
}

/**
 * Assigns a rank to each rule, strictly ascending in the desired order. The longest run that is in order keeps its
 * ranks. The others get numbers between their neighbours: directly after the one before, else directly before the
 * next, else last. If there is no room, neighbours are renumbered too, with integers.
 */
export function assignRanks(input: RankInput): readonly number[] {
  const kept = longestRun(input.wanted);
  const ranks = input.wanted.map((rank, position) => (kept.has(position) ? rank : null));
  const fixed = input.fixed.filter(Number.isFinite).sort((a, b) => a - b);
  let start = ranks.indexOf(null);
  while (start >= 0) {
    fillGap(ranks, start, fixed, input.digits);
    start = ranks.indexOf(null);
  }
  return ranks as number[];
}

interface Gap {
  start: number;
  /** The first position after the gap. */
  end: number;
  /** True if the place relative to unmanaged rules was given up, because none fits. */
  loose: boolean;
}

/** Numbers the gap that begins at `start`, widening it over its neighbours until there is room. */
function fillGap(
  ranks: (number | null)[],
  start: number,
  fixed: readonly number[],
  digits: number | null,
): void {
  const gap: Gap = { start, end: start, loose: false };
  absorb(gap, ranks);
  let numbers = fitNumbers(gap.end - gap.start, roomOf(gap, ranks, fixed), { digits });
  while (numbers === null) {
    widen(gap, ranks, fixed);
    numbers = fitNumbers(gap.end - gap.start, roomOf(gap, ranks, fixed), { digits: 0 });
  }
  for (const [index, number] of numbers.entries()) ranks[gap.start + index] = number;
}

function roomOf(gap: Gap, ranks: readonly (number | null)[], fixed: readonly number[]): Room {
  const before = ranks[gap.start - 1] ?? null;
  const after = ranks[gap.end] ?? null;
  if (gap.loose) return { above: before, below: after };
  if (before !== null) {
    const next = fixed.find((rank) => rank > before) ?? null;
    return { above: before, below: least(next, after) };
  }
  if (after === null) return { above: fixed.at(-1) ?? null, below: null };
  return { above: fixed.findLast((rank) => rank < after) ?? null, below: after };
}

/** Takes in the neighbour that bounds the gap. If only unmanaged rules bound it, drops these bounds. */
function widen(gap: Gap, ranks: (number | null)[], fixed: readonly number[]): void {
  const room = roomOf(gap, ranks, fixed);
  const before = ranks[gap.start - 1] ?? null;
  const after = ranks[gap.end] ?? null;
  if (after !== null && room.below === after) ranks[gap.end] = null;
  else if (before !== null) ranks[gap.start - 1] = null;
  else gap.loose = true;
  absorb(gap, ranks);
}

function absorb(gap: Gap, ranks: readonly (number | null)[]): void {
  while (ranks[gap.start - 1] === null) gap.start -= 1;
  while (ranks[gap.end] === null) gap.end += 1;
}

function least(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/**
 * Returns the positions of a longest strictly increasing run of finite numbers; these rules stay while the others
 * move. Of equally long runs it prefers one that starts late, with large numbers, because there is always room behind
 * a run. Other values are never part of it. O(n log n).
 */
export function longestRun(ranks: readonly (number | null)[]): ReadonlySet<number> {
  /** For each length of a run, the start position of the run with the greatest first number. */
  const starts: number[] = [];
  const after = new Map<number, number | undefined>();
  for (const [position, live] of [...ranks.entries()].reverse()) {
    const rank = live ?? Number.NaN;
    if (!Number.isFinite(rank)) continue;
    const length = countAbove(starts, rank, ranks);
    after.set(position, starts[length - 1]);
    starts[length] = position;
  }
  const run = new Set<number>();
  for (let position = starts.at(-1); position !== undefined; position = after.get(position))
    run.add(position);
  return run;
}

/** Returns the number of runs that begin with a number above `rank`. Their first numbers descend. */
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

/** Decimal digits of midpoints while the service's precision is unknown. */
const DEFAULT_DIGITS = 6;
const STEP = 10;

/** Open bounds; null means that there is none. */
interface Room {
  readonly above: number | null;
  readonly below: number | null;
}

/**
 * Returns `count` distinct ascending numbers strictly within the bounds; null if there is no room. It prefers integers
 * in steps of 10, then integers, then the fewest decimal digits. Ranks of 0 or less are used only before a rank that
 * is already 0 or less.
 */
function fitNumbers(
  count: number,
  room: Room,
  options: { readonly digits: number | null },
): readonly number[] | null {
  const { above, below } = room;
  if (below === null) return checked(endless(count, above), room);
  if (above === null && below <= 0) return checked(leading(count, below), room);
  const within = { above: above ?? 0, below };
  const most = options.digits ?? DEFAULT_DIGITS;
  for (let digits = 0; digits <= most; digits += 1) {
    const numbers = checked(spread(count, within, 10 ** digits), room);
    if (numbers !== null) return numbers;
  }
  return null;
}

function endless(count: number, above: number | null): readonly number[] {
  const base = Math.floor((above ?? 0) / STEP) * STEP;
  return sequence(count, (index) => base + STEP * (index + 1));
}

function leading(count: number, below: number): readonly number[] {
  const base = Math.ceil(below / STEP) * STEP;
  return sequence(count, (index) => base - STEP * (count - index));
}

/** Spreads numbers evenly over the multiples of 1/unit within the bounds; in steps of 10 if they fit. */
function spread(
  count: number,
  { above, below }: { readonly above: number; readonly below: number },
  unit: number,
): readonly number[] {
  const tens = endless(count, above);
  if ((tens.at(-1) ?? Infinity) < below) return tens;
  const first = Math.floor(above * unit) + 1;
  const last = Math.ceil(below * unit) - 1;
  const step = Math.floor((last - first + 2) / (count + 1));
  return sequence(count, (index) => (first - 1 + step * (index + 1)) / unit);
}

/**
 * Returns the numbers only if they keep the bounds and the order. Arithmetic rounds numbers that are too large or too
 * close.
 */
function checked(numbers: readonly number[], { above, below }: Room): readonly number[] | null {
  let last = above ?? -Infinity;
  for (const number of numbers) {
    if (!(number > last) || Math.abs(number) > Number.MAX_SAFE_INTEGER) return null;
    last = number;
  }
  return below === null || last < below ? numbers : null;
}

function sequence(count: number, make: (index: number) => number): readonly number[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
