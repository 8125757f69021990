import type { Rate } from '../model/budget.ts';

type Header = (name: string) => string | null;

/** The rate-limit headers of one answer (v4: Limits); `now` is our wall clock, for answers without a `Date`. */
export function readRate(header: Header, now: number): Rate {
  const date = Date.parse(header('date') ?? '');
  const serverNow = Number.isNaN(date) ? now : date;
  return {
    limit: numberOf(header('x-ratelimit-limit')),
    remaining: numberOf(header('x-ratelimit-remaining')),
    reset: numberOf(header('x-ratelimit-reset')),
    date: Math.floor(serverNow / 1000),
    retryAfter: retryAfter(header('retry-after'), serverNow),
  };
}

/** Seconds, stated as such or as a date. */
function retryAfter(text: string | null, serverNow: number): number | null {
  const seconds = numberOf(text);
  if (text === null || seconds !== null) return seconds;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) || date <= serverNow ? null : Math.ceil((date - serverNow) / 1000);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : null;
}
