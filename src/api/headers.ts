import type { BudgetHeaders } from '../model/budget.ts';

type Header = (name: string) => string | null;

const DAY_S = 86_400;
const LONGEST_WAIT_S = 15 * 60;

/** `X-RateLimit-*` against the server's own `Date` (v4: Limits); absent, past or absurd values are null. */
export function readBudgetHeaders(header: Header, now: number): BudgetHeaders {
  return {
    limit: wholeNumber(header('x-ratelimit-limit')),
    remaining: wholeNumber(header('x-ratelimit-remaining')),
    resetIn: resetIn(header, now),
  };
}

/** Seconds to wait after a 429: `Retry-After` (seconds or date), else the reset, else a minute; at least 1. */
export function retryAfterSeconds(header: Header, now: number): number {
  const stated = retryAfter(header, now);
  if (stated !== null) return Math.max(1, stated);
  const reset = resetIn(header, now);
  return reset === null ? 60 : Math.max(1, Math.ceil(reset / 1000) + 1);
}

/** A wait this long ends the run with an error instead. */
export function isTooLong(seconds: number): boolean {
  return seconds > LONGEST_WAIT_S;
}

function retryAfter(header: Header, now: number): number | null {
  const text = header('retry-after');
  if (text === null) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  const date = Date.parse(text);
  if (!/[a-z]/i.test(text) || Number.isNaN(date)) return null;
  const seconds = Math.ceil((date - serverNow(header, now)) / 1000);
  return seconds > 0 ? seconds : null;
}

function resetIn(header: Header, now: number): number | null {
  const reset = wholeNumber(header('x-ratelimit-reset'));
  if (reset === null) return null;
  const seconds = reset - Math.floor(serverNow(header, now) / 1000);
  // Over a day ahead is not seconds but milliseconds; the past is a clock that is off.
  return seconds < 0 || seconds > DAY_S ? null : seconds * 1000;
}

function serverNow(header: Header, now: number): number {
  const date = Date.parse(header('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null;
}
