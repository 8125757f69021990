/** The most results that are kept; then all are forgotten. */
const MOST = 10_000;
/** The longest text whose result is kept, so that all that is kept stays small. */
const LONGEST = 500;

/** Returns a function that keeps its results, so that equal texts are read once and share one result in memory. */
export function memoise<T>(read: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    if (text.length > LONGEST) return read(text);
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size === MOST) results.clear();
    const result = read(text);
    results.set(text, result);
    return result;
  };
}
