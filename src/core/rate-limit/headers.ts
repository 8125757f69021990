import type { Rate } from './budget.ts';

type Header = (name: string) => string | null;

/** Two clocks that differ by more milliseconds cannot both be right. */
const MOST_SKEW_MS = 300_000;

/**
 * Returns how many milliseconds the service's clock is ahead of ours (`now`). Returns null if the difference is within the
 * limit or unknown.
 */
export function readSkew(header: Header, now: number): number | null {
  const skew = Date.parse(header('date') ?? '') - now;
  return Math.abs(skew) > MOST_SKEW_MS ? skew : null;
}

/** Reads the rate-limit headers of one answer (v4: Limits). `now` is our wall clock, for answers without a `Date`. */
export function readRate(header: Header, now: number): Rate {
  const date = Date.parse(header('date') ?? '');
  const clocks = Number.isNaN(date) ? [now] : readSkew(header, now) === null ? [date] : [date, now];
  const reset = numberOf(header('x-ratelimit-reset'));
  return {
    limit: numberOf(header('x-ratelimit-limit')),
    remaining: numberOf(header('x-ratelimit-remaining')),
    reset,
    date: Math.floor(clockFor(reset === null ? null : reset * 1000, clocks) / 1000),
    retryAfter: retryAfter(header('retry-after'), clocks),
  };
}

/**
 * Returns the clock by which a time comes soonest. If two clocks contradict each other, one is wrong, and waiting by it may
 * take an hour. A wrong choice costs only a 429.
 */
function clockFor(moment: number | null, clocks: readonly number[]): number {
  const before = moment === null ? [] : clocks.filter((clock) => clock <= moment);
  return before.length === 0 ? (clocks[0] ?? 0) : Math.max(...before);
}

/** Returns the seconds in Retry-After, given as a number or as a date. */
function retryAfter(text: string | null, clocks: readonly number[]): number | null {
  const seconds = numberOf(text);
  if (text === null || seconds !== null) return seconds;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  const clock = clockFor(date, clocks);
  return Number.isNaN(date) || date <= clock ? null : Math.ceil((date - clock) / 1000);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : null;
}
