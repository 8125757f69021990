/** The candidate that was probably meant: at most two letters away, or a third of a long word; null if none is. */
export function suggest(word: string, candidates: Iterable<string>): string | null {
  const bound = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  const lower = word.toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > bound) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance <= bound && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** `did you mean "x"?`, or the words for when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const found = word.length > 100 ? null : suggest(word, candidates);
  return found === null ? otherwise : `did you mean "${found}"?`;
}

/** Damerau-Levenshtein distance (optimal string alignment): swapping two neighbours counts as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = at(last, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, substituted);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(least, at(beforeLast, j - 2) + 1) : least);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
