import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/model/clock.ts';

/** Who may see the page. */
export interface PageAccess {
  /** By the headers of a request. `isExposed`: it came, or may have come, from beyond loopback. */
  judge(headers: AccessHeaders, isExposed: boolean): AccessVerdict;
  /** A token that was typed in; `cookie` is the session that it begins. */
  signIn(token: string): { readonly kind: 'signed-in'; readonly cookie: string } | Refusal;
}

export interface AccessHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

export type AccessVerdict =
  | { readonly kind: 'granted' }
  /** Nobody may: there is no token, and strangers could reach it. */
  | { readonly kind: 'closed' }
  /** Neither a token nor a session. */
  | { readonly kind: 'unknown' }
  | Refusal;

type Refusal =
  | { readonly kind: 'wrong' }
  /** Too many wrong tokens; seconds until the next one is checked. */
  | { readonly kind: 'slowed'; readonly seconds: number };

export const SESSION_COOKIE = 'fwdsync_session';
export const SESSION_MS = 12 * 3_600_000;
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;

/** `token`: null where none is set: then loopback alone sees the page. */
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
      if (token === null) return { kind: isExposed ? 'closed' : 'granted' };
      if (authorization !== undefined) {
        const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
        return bearer !== undefined && isToken(bearer) ? { kind: 'granted' } : refuse();
      }
      return { kind: sessions.isValid(cookie ?? '') ? 'granted' : 'unknown' };
    },
    signIn(text) {
      const seconds = limit.secondsLeft();
      if (seconds > 0) return { kind: 'slowed', seconds };
      const isRight = token !== null && isToken(text.trim());
      return isRight ? { kind: 'signed-in', cookie: sessions.begin() } : refuse();
    },
  };
}

interface Limit {
  /** 0: another wrong token is taken. */
  secondsLeft(): number;
  count(): void;
}

/** So many wrong tokens a minute, whoever sends them. */
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
  isValid(cookies: string): boolean;
}

/** A session is its end and a proof that who knows the token has made it: any process with that token takes it. */
function createSessions(token: string, clock: Clock): Sessions {
  const key = createHmac('sha256', token).update('fwdsync page session').digest();
  const proofOf = (end: string): string => createHmac('sha256', key).update(end).digest('base64url');
  return {
    begin() {
      const end = String(clock.now() + SESSION_MS);
      return `${end}.${proofOf(end)}`;
    },
    isValid(cookies) {
      return cookies.split(';').some((cookie) => {
        const [, name, end = '', proof = ''] = /^\s*([^=]+)=(\d{1,15})\.([\w-]+)\s*$/.exec(cookie) ?? [];
        if (name !== SESSION_COOKIE || Number(end) <= clock.now()) return false;
        return timingSafeEqual(digest(proof), digest(proofOf(end)));
      });
    },
  };
}

/** Of equal length, so that comparing takes as long whatever is compared. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
