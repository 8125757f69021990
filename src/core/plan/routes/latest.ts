/**
 * Returns a function that caches the `most` latest results of `make`. An older result is made again on demand, so that
 * the tables of a large account are not all in memory at once.
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

/** The number of domains whose tables are kept. A way passes few domains, and subjects come domain by domain. */
export const TABLES_KEPT = 8;
