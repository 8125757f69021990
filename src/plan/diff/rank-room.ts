/** Digits after the point that midpoints may have while it is not known how many the service keeps. */
const DEFAULT_DIGITS = 6;
const STEP = 10;

/** Open bounds; null: there is none. */
export interface Room {
  readonly above: number | null;
  readonly below: number | null;
}

/**
 * `count` distinct ascending numbers strictly within the bounds, or null when there is no room: integers in steps of
 * 10 where they fit, else integers, else the fewest digits after the point. Rank 0 and less are used only before a rank
 * that is so already.
 */
export function fitNumbers(
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
  const base = above === null ? 0 : Math.floor(above / STEP) * STEP;
  return sequence(count, (index) => base + STEP * (index + 1));
}

function leading(count: number, below: number): readonly number[] {
  const base = Math.ceil(below / STEP) * STEP;
  return sequence(count, (index) => base - STEP * (count - index));
}

/** Evenly over the multiples of 1/unit within the bounds; in steps of 10 where that many fit. */
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
  if (step < 1) return [];
  return sequence(count, (index) => (first - 1 + step * (index + 1)) / unit);
}

/** Where numbers are too large or too close, arithmetic rounds: only what keeps the bounds and the order counts. */
function checked(numbers: readonly number[], { above, below }: Room): readonly number[] | null {
  let last = above ?? -Infinity;
  for (const number of numbers) {
    if (!(number > last) || Math.abs(number) > Number.MAX_SAFE_INTEGER) return null;
    last = number;
  }
  if (numbers.length === 0 || (below !== null && !(last < below))) return null;
  return numbers;
}

function sequence(count: number, make: (index: number) => number): readonly number[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
