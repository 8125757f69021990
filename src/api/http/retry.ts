/** How often one request goes out at most, the first time included. */
export const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;
const LEAST_RETRIES = 10;
const RETRY_SHARE = 0.1;

/** Milliseconds after a failed attempt, which count from 1. Full jitter: a service that comes back is not met by everybody at once. */
export function pauseAfter(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
}

/** How many of so many requests may be repetitions: a tenth, and at least ten. */
export function retriesAllowed(requests: number): number {
  return Math.max(LEAST_RETRIES, requests * RETRY_SHARE);
}
