import { editDistance } from '../../model/names.ts';

/**
 * The candidate that was probably meant: a third of the word's letters away, at most three, or its plural, such as `aliases` for
 * `alias`; null if none is.
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

/** `did you mean "x"?`, or the words for when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const found = word.length > 100 ? null : suggest(word, candidates);
  return found === null ? otherwise : `did you mean "${found}"?`;
}
