import { editDistance } from '../../model/names.ts';

/**
 * Returns the candidate that was probably meant: at most a third of the word's letters away, and at most three, or its
 * plural, such as `aliases` for `alias`. Returns null if there is none.
 */
export function suggest(word: string, candidates: Iterable<string>): string | null {
  const bound = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  const lower = word.toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const isPlural = candidate === `${lower}es`;
    const distance = isPlural ? 1 : editDistance(lower, candidate.toLowerCase(), bound);
    if (distance <= bound && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** Returns `did you mean "x"?`, or the other text if nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const found = word.length > 100 ? null : suggest(word, candidates);
  return found === null ? otherwise : `did you mean "${found}"?`;
}
