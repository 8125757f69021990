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
  /** `renewed`: the session goes on under this cookie; null means that nothing is to be set. */
  | { readonly kind: 'granted'; readonly renewed: string | null }
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
/** A session that is used goes on for this long. */
const LONGEST_SESSION_MS = 30 * 86_400_000;
const RENEW_AFTER_MS = 3_600_000;
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
  /** Null: there is none that is valid. */
  find(cookies: string): { readonly renewed: string | null } | null;
}

/** A session is its begin, its end and a proof that who knows the token has made it: any process with that token takes it. */
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

/** Of equal length, so that comparing takes as long whatever is compared. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
