import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/model/clock.ts';

/** Decides who may see the page. */
export interface PageAccess {
  /** Judges a request by its headers. `isExposed` means that the request may have come from beyond loopback. */
  judge(headers: AccessHeaders, isExposed: boolean): AccessVerdict;
  /** Checks a typed token. `cookie` holds the new session. */
  signIn(token: string): { readonly kind: 'signed-in'; readonly cookie: string } | Refusal;
}

export interface AccessHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

export type AccessVerdict =
  /** `renewed` is the cookie with which the session goes on; null sets no cookie. */
  | { readonly kind: 'granted'; readonly renewed: string | null }
  /** Access is closed: there is no token, and strangers could reach the page. */
  | { readonly kind: 'closed' }
  /** The request has neither a token nor a session. */
  | { readonly kind: 'unknown' }
  | Refusal;

type Refusal =
  | { readonly kind: 'wrong' }
  /** There were too many wrong tokens; `seconds` until the next one is checked. */
  | { readonly kind: 'slowed'; readonly seconds: number };

export const SESSION_COOKIE = 'fwdsync_session';
export const SESSION_MS = 12 * 3_600_000;
/** Maximum time for which a used session goes on. */
const LONGEST_SESSION_MS = 30 * 86_400_000;
const RENEW_AFTER_MS = 3_600_000;
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;

/** Opens the access to the page. If `token` is null, only loopback sees the page. */
export function createPageAccess(token: string | null, clock: Clock): PageAccess {
  const limit = createLimit(clock);
  const sessions = createSessions(token ?? '', clock);
  const isToken = (text: string): boolean => timingSafeEqual(digest(text), digest(token ?? ''));
  const refuse = (): Refusal => {
    const seconds = limit.secondsLeft();
    if (seconds > 0) return { kind: 'slowed', seconds };
    limit.count();
    return { kind: 'wrong' };
  };
  return {
    judge({ authorization, cookie }, isExposed) {
      if (token === null) return isExposed ? { kind: 'closed' } : GRANTED;
      if (authorization !== undefined) {
        const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
        return bearer !== undefined && isToken(bearer) ? GRANTED : refuse();
      }
      const session = sessions.find(cookie ?? '');
      return session === null ? { kind: 'unknown' } : { kind: 'granted', renewed: session.renewed };
    },
    signIn(text) {
      const seconds = limit.secondsLeft();
      if (seconds > 0) return { kind: 'slowed', seconds };
      const isRight = token !== null && isToken(text.trim());
      return isRight ? { kind: 'signed-in', cookie: sessions.begin() } : refuse();
    },
  };
}

const GRANTED = { kind: 'granted', renewed: null } as const;

interface Limit {
  /** Returns the seconds until another token is checked; 0 means now. */
  secondsLeft(): number;
  count(): void;
}

/** Limits the number of wrong tokens per minute, from all clients together. */
function createLimit(clock: Clock): Limit {
  let moments: readonly number[] = [];
  return {
    secondsLeft() {
      const now = clock.monotonic();
      moments = moments.filter((moment) => now - moment < WINDOW_MS);
      const [oldest] = moments;
      if (oldest === undefined || moments.length < MOST_WRONG) return 0;
      return Math.ceil((oldest + WINDOW_MS - now) / 1000);
    },
    count() {
      moments = [...moments, clock.monotonic()];
    },
  };
}

interface Sessions {
  begin(): string;
  /** Returns the valid session in the cookies; null if there is none. */
  find(cookies: string): { readonly renewed: string | null } | null;
}

/**
 * Opens the sessions. A session consists of its begin, its end, and a proof made with the token. Any process with the
 * same token accepts it.
 */
function createSessions(token: string, clock: Clock): Sessions {
  const key = createHmac('sha256', token).update('fwdsync page session').digest();
  const proofOf = (times: string): string => createHmac('sha256', key).update(times).digest('base64url');
  const sealed = (begin: number, end: number): string => `${begin}.${end}.${proofOf(`${begin}.${end}`)}`;
  const renew = (begin: number, end: number): string | null => {
    const later = Math.min(clock.now() + SESSION_MS, begin + LONGEST_SESSION_MS);
    return later - end < RENEW_AFTER_MS ? null : sealed(begin, later);
  };
  return {
    begin: () => sealed(clock.now(), clock.now() + SESSION_MS),
    find(cookies) {
      for (const cookie of cookies.split(';')) {
        const [, name, times = '', begin, end, proof = ''] = OF_SESSION.exec(cookie) ?? [];
        if (name !== SESSION_COOKIE || Number(end) <= clock.now()) continue;
        if (timingSafeEqual(digest(proof), digest(proofOf(times))))
          return { renewed: renew(Number(begin), Number(end)) };
      }
      return null;
    },
  };
}

const OF_SESSION = /^\s*([^=]+)=((\d{1,15})\.(\d{1,15}))\.([\w-]+)\s*$/;

/** Returns a digest. All digests have the same length, so every comparison takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
