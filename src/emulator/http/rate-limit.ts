import type { RequestSummary } from './protocol.ts';

/**
 * A rate limit. Every rule that applies to a request counts it; the request is refused if any of these limits is used up.
 */
export interface RateLimitRule {
  /** Scope of a window: method and route template, method and concrete path, or the whole account. */
  readonly per: 'template' | 'path' | 'account';
  readonly limit: number;
  /** Counts only these requests: `read` is GET, `write` is everything else. */
  readonly methods?: 'read' | 'write' | undefined;
  /** Counts only this route template. */
  readonly endpoint?: string | undefined;
  readonly window?: 'fixed' | 'sliding' | undefined;
  /** Start of a fixed window: its first request, or a multiple of its length since 1970. */
  readonly align?: 'first' | 'clock' | undefined;
  readonly windowSeconds?: number | undefined;
}

export interface RateLimited extends RequestSummary {
  /** Owner of the budget. Requests without a valid key share a separate budget. */
  readonly caller: 'account' | 'stranger';
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Numbers of the rule with the least left; undefined if no rule applies. */
  readonly numbers: RateNumbers | undefined;
}

/** The numbers in the answer's headers. */
export interface RateNumbers {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window as Unix time in seconds, rounded up so that the window is over at that second. */
  readonly reset: number;
  /** Seconds to wait; only meaningful if the request is refused. */
  readonly retryAfter: number;
}

export interface RateLimiter {
  /** Counts a request at `now` (epoch milliseconds). A refused request uses nothing. */
  admit(request: RateLimited, now: number): RateVerdict;
  /** Replaces the rules and resets all counts. */
  configure(rules: readonly RateLimitRule[]): void;
  rules(): readonly RateLimitRule[];
}

/** Requests per window and endpoint (v4: Limits). */
export const DEFAULT_LIMITS = { free: 30, paid: 200 } as const;
export const DEFAULT_WINDOW_SECONDS = 60;

const MAX_BUCKETS = 50_000;

interface Bucket {
  /** Epoch milliseconds of the requests in a sliding window, oldest first. */
  times: number[];
  start: number;
  used: number;
}

interface Usage {
  readonly rule: RateLimitRule;
  readonly bucket: Bucket;
  readonly left: number;
  /** End of the window in epoch milliseconds. */
  readonly resetAt: number;
}

export function createRateLimiter(initial: readonly RateLimitRule[]): RateLimiter {
  let rules = initial;
  const buckets = new Map<string, Bucket>();
  return {
    admit(request, now) {
      if (buckets.size > MAX_BUCKETS) buckets.clear();
      const usages = rules
        .filter((rule) => applies(rule, request))
        .map((rule) => {
          const key = `${rules.indexOf(rule)} ${bucketKey(rule, request)}`;
          const bucket = buckets.get(key) ?? { times: [], start: now, used: 0 };
          buckets.set(key, bucket);
          return usageOf(rule, bucket, now);
        });
      return decide(usages, now);
    },
    rules: () => rules,
    configure(next) {
      rules = next;
      buckets.clear();
    },
  };
}

function decide(usages: readonly Usage[], now: number): RateVerdict {
  const tightest = usages.toSorted((a, b) => a.left - b.left || b.resetAt - a.resetAt)[0];
  if (tightest === undefined) return { allowed: true, numbers: undefined };
  const allowed = tightest.left > 0;
  if (allowed) {
    for (const usage of usages) count(usage, now);
  }
  const resetAt = allowed ? resetOf(tightest, now) : tightest.resetAt;
  return {
    allowed,
    numbers: {
      limit: tightest.rule.limit,
      remaining: Math.max(0, tightest.left - 1),
      reset: Math.ceil(resetAt / 1000),
      retryAfter: Math.max(1, Math.ceil((resetAt - now) / 1000)),
    },
  };
}

function usageOf(rule: RateLimitRule, bucket: Bucket, now: number): Usage {
  const length = lengthOf(rule);
  if (rule.window === 'sliding') {
    const alive = bucket.times.findIndex((time) => time > now - length);
    bucket.times.splice(0, alive === -1 ? bucket.times.length : alive);
    const left = rule.limit - bucket.times.length;
    return { rule, bucket, left, resetAt: (bucket.times[0] ?? now) + length };
  }
  if (bucket.used === 0 || now >= bucket.start + length || now < bucket.start) {
    bucket.start = rule.align === 'clock' ? Math.floor(now / length) * length : now;
    bucket.used = 0;
  }
  return { rule, bucket, left: rule.limit - bucket.used, resetAt: bucket.start + length };
}

function count(usage: Usage, now: number): void {
  if (usage.rule.window === 'sliding') {
    usage.bucket.times.push(now);
  } else {
    usage.bucket.used += 1;
  }
}

function resetOf(usage: Usage, now: number): number {
  if (usage.rule.window !== 'sliding') return usage.resetAt;
  return (usage.bucket.times[0] ?? now) + lengthOf(usage.rule);
}

function lengthOf(rule: RateLimitRule): number {
  return (rule.windowSeconds ?? DEFAULT_WINDOW_SECONDS) * 1000;
}

function applies(rule: RateLimitRule, request: RateLimited): boolean {
  if (rule.endpoint !== undefined && rule.endpoint !== request.endpoint) return false;
  if (rule.methods === undefined) return true;
  return (rule.methods === 'read') === (request.method === 'GET');
}

function bucketKey(rule: RateLimitRule, request: RateLimited): string {
  if (request.caller === 'stranger') return 'stranger';
  switch (rule.per) {
    case 'account':
      return 'account';
    case 'template':
      return `${request.version ?? ''} ${request.method} ${request.endpoint ?? 'unknown'}`;
    case 'path':
      return `${request.version ?? ''} ${request.method} ${request.endpoint === null ? 'unknown' : request.path}`;
  }
}
