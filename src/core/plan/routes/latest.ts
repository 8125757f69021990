/**
 * Gives what `make` makes of a key, and keeps the `most` that were asked for latest: what is asked for again after many others
 * is made again, so that the tables of a large account are not all there at once.
 */
export function keepLatest<Value>(most: number, make: (key: string) => Value): (key: string) => Value {
  const kept = new Map<string, { readonly value: Value }>();
  return (key) => {
    const known = kept.get(key) ?? { value: make(key) };
    // The latest comes last.
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > most) kept.delete(kept.keys().next().value as string);
    return known.value;
  };
}

/** Of domains: those of a way through several are few, and subjects come domain by domain. */
export const TABLES_KEPT = 8;
