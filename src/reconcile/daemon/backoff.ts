const FIRST_MS = 5_000;
const LEAST_MS = 1_000;

/**
 * How long to wait after so many failures in a row (from 1): doubling up to the interval, of which up to a quarter is left
 * off at random, so that many accounts do not come back at one moment.
 */
export function backoff(failures: number, intervalMs: number, random: () => number): number {
  const ceiling = Math.min(intervalMs, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(LEAST_MS, ceiling * (1 - random() / 4));
}
