import { editDistance } from '../../model/names.ts';

/** The candidate that was probably meant: at most two letters away, or a third of a long word; null if none is. */
export function suggest(word: string, candidates: Iterable<string>): string | null {
  const bound = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  const lower = word.toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase(), bound);
    if (distance <= bound && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** `did you mean "x"?`, or the words for when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const found = word.length > 100 ? null : suggest(word, candidates);
  return found === null ? otherwise : `did you mean "${found}"?`;
}
