/** Finds known values in external texts. The time grows with the text, and barely with the number of values. */
export interface ValueFinder {
  /**
   * Adds a value. A value that differs from an earlier one only in case is ignored, and so is one of fewer than four
   * characters.
   */
  add(value: string): void;
  isIn(text: string): boolean;
  /** Replaces each value, in any case, by `show(value)`. */
  replaceIn(text: string, show: (value: string) => string): string;
}

/** Stands for an unknown character in a text; it matches any character but ASCII letters and digits. */
export const UNKNOWN = '\ue000';

/**
 * Number of first characters that values are looked up by. Shorter values would be found in ordinary text by chance.
 */
const LOOKED_UP = 4;
/**
 * Values of this length are also looked up by the characters that follow: thousands of addresses may begin with the
 * same word.
 */
const LONG = 16;
/** Up to this number, values are searched one after another. */
const FEW = 8;
/** ASCII letters and digits, and 0 for all other characters. */
const BASE = 37;
const SPAN = BASE ** LOOKED_UP;

interface Known {
  readonly value: string;
  readonly folded: string;
}

/**
 * Values by their first characters, then by the characters that follow; the second key is empty for values that are
 * not long.
 */
type Index = Map<number, Map<string, Known[]>>;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly known: Known;
}

export function createValueFinder(): ValueFinder {
  const added = new Set<string>();
  const index: Index = new Map();
  return {
    add(value) {
      const folded = fold(value);
      if (value.length < LOOKED_UP || added.has(folded)) return;
      added.add(folded);
      const start = Array.from(folded.slice(0, LOOKED_UP)).reduce(shift, 0);
      const following = folded.length < LONG ? '' : followingAt(folded, 0);
      const same = index.get(start) ?? new Map<string, Known[]>();
      index.set(start, same.set(following, [...(same.get(following) ?? []), { value, folded }]));
    },
    isIn(text) {
      const folded = fold(text);
      // There are usually few values, which the engine finds much faster.
      if (added.size <= FEW && !folded.includes(UNKNOWN))
        return [...added].some((value) => folded.includes(value));
      return matchesIn(folded, index).next().done !== true;
    },
    replaceIn(text, show) {
      let replaced = '';
      let end = 0;
      for (const match of joined(matchesIn(fold(text), index))) {
        replaced += text.slice(end, match.start) + show(match.known.value);
        ({ end } = match);
      }
      return end === 0 ? text : replaced + text.slice(end);
    },
  };
}

/** Yields the longest value at each place of a text. */
function* matchesIn(text: string, index: Index): Generator<Match> {
  if (index.size === 0) return;
  let latest = 0;
  for (let start = 1 - LOOKED_UP; start <= text.length - LOOKED_UP; start += 1) {
    latest = shift(latest, text.charAt(start + LOOKED_UP - 1));
    const candidates = start < 0 ? undefined : index.get(latest);
    const known = candidates === undefined ? null : longestAt(text, start, candidates);
    if (known !== null) yield { start, end: start + known.folded.length, known };
  }
}

/**
 * Returns the characters after the first ones, with `.` for all but ASCII letters and digits, because an unknown
 * character may stand there.
 */
function followingAt(text: string, start: number): string {
  return text.slice(start + LOOKED_UP, start + LONG).replace(/[^a-z\d]/g, '.');
}

function longestAt(
  text: string,
  start: number,
  candidates: ReadonlyMap<string, readonly Known[]>,
): Known | null {
  let longest: Known | null = null;
  for (const known of [...(candidates.get(followingAt(text, start)) ?? []), ...(candidates.get('') ?? [])]) {
    if (longest !== null && known.folded.length <= longest.folded.length) continue;
    if (standsAt(text, start, known.folded)) longest = known;
  }
  return longest;
}

/** Joins overlapping matches into one, shown as the longest, so that no part of a value remains. */
function* joined(matches: Iterable<Match>): Generator<Match> {
  let current: Match | null = null;
  for (const match of matches) {
    if (current === null || match.start >= current.end) {
      if (current !== null) yield current;
      current = match;
    } else {
      const isLonger = match.known.folded.length > current.known.folded.length;
      const known: Known = isLonger ? match.known : current.known;
      current = { start: current.start, end: Math.max(current.end, match.end), known };
    }
  }
  if (current !== null) yield current;
}

function shift(before: number, character: string): number {
  return (before * BASE + codeOf(character.charCodeAt(0))) % SPAN;
}

function codeOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x60;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 27 : 0;
}

function standsAt(text: string, start: number, value: string): boolean {
  if (start + value.length > text.length) return false;
  for (let at = 0; at < value.length; at += 1) {
    const found = text.charAt(start + at);
    if (found === value.charAt(at)) continue;
    if (found !== UNKNOWN || codeOf(value.charCodeAt(at)) !== 0) return false;
  }
  return true;
}

/** Folds case, and `+` to a space as forms are encoded. The length stays the same. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  const folded =
    lower.length === text.length
      ? lower
      : text.replace(/[^]/g, (unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit));
  return folded.replaceAll('+', ' ');
}
