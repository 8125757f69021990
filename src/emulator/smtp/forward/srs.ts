import { createHmac, timingSafeEqual } from 'node:crypto';
import { quoteLocal, unquoteLocal } from '../mail.ts';

/**
 * The Sender Rewriting Scheme. A forwarded mail gets an envelope sender in the forwarding domain, so that SPF passes at the
 * next server and a bounce finds its way back. The format and the hashed text are those of Mail::SRS, the reference
 * implementation: `SRS0=HASH=DAY=HOST=USER`, and `SRS1=HASH=HOST==...` for a sender that another server has already
 * rewritten.
 */
const HASH_LENGTH = 4;
const MAX_DAYS = 21;
const DAY = 86_400_000;
const BASE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SLOTS = BASE.length ** 2;

export type ReversedSender =
  | { readonly kind: 'sender'; readonly address: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Returns the envelope sender for forwarding through `domain`. The null sender and senders in the domain itself are not
 * rewritten.
 */
export function rewriteSender(
  sender: string,
  domain: string,
  { key, now }: { readonly key: string; readonly now: number },
): string {
  const at = sender.lastIndexOf('@');
  if (at === -1) return sender;
  const [user, host] = [sender.slice(0, at), sender.slice(at + 1)];
  if (host.toLowerCase() === domain.toLowerCase()) return sender;
  return `${quoteLocal(rewriteUser(unquoteLocal(user), host, { key, now }))}@${domain}`;
}

function rewriteUser(
  user: string,
  host: string,
  { key, now }: { readonly key: string; readonly now: number },
): string {
  const twice = /^SRS1[-+=]([^=]*)=([^=]*)=(.*)$/is.exec(user);
  if (twice !== null) {
    const [, , first = '', rest = ''] = twice;
    return ['SRS1', hashOf(key, first, rest), first, rest].join('=');
  }
  const once = /^SRS0([-+=].*)$/is.exec(user);
  if (once !== null) return ['SRS1', hashOf(key, host, once[1] ?? ''), host, once[1]].join('=');
  const day = stampOf(now);
  return ['SRS0', hashOf(key, day, host, user), day, host, user].join('=');
}

/** True if a local part is a rewritten sender. */
export function isRewritten(local: string): boolean {
  return /^"?SRS[01][-+=]/i.test(local);
}

/**
 * Returns the address that a bounce to a rewritten sender goes to. A sender that is forged or older than three weeks is
 * refused.
 */
export function reverseSender(
  written: string,
  { key, now }: { readonly key: string; readonly now: number },
): ReversedSender {
  const local = unquoteLocal(written);
  const twice = /^SRS1[-+=]([^=]*)=([^=]*)=(.*)$/is.exec(local);
  if (twice !== null) return reverseTwice(twice.slice(1), key);
  const once = /^SRS0[-+=]([^=]*)=([^=]*)=([^=]*)=(.*)$/is.exec(local);
  return once === null ? UNREADABLE : reverseOnce(once.slice(1), { key, now });
}

function reverseTwice([hash = '', host = '', user = '']: readonly string[], key: string): ReversedSender {
  if (!isHash(hash, key, host, user)) return FORGED;
  return { kind: 'sender', address: `${quoteLocal(`SRS0${user}`)}@${host}` };
}

function reverseOnce(
  [hash = '', day = '', host = '', user = '']: readonly string[],
  { key, now }: { readonly key: string; readonly now: number },
): ReversedSender {
  if (!isHash(hash, key, day, host, user)) return FORGED;
  if (!isCurrent(day, now)) return { kind: 'refused', reason: 'the rewritten sender is stale' };
  return { kind: 'sender', address: `${quoteLocal(user)}@${host}` };
}

const UNREADABLE = { kind: 'refused', reason: 'it is not a rewritten sender' } as const;
const FORGED = { kind: 'refused', reason: 'the rewritten sender is forged' } as const;

function hashOf(key: string, ...parts: readonly string[]): string {
  const hmac = createHmac('sha1', key);
  for (const part of parts) hmac.update(part.toLowerCase());
  return hmac.digest('base64').slice(0, HASH_LENGTH);
}

/** True if the hash is valid. Case does not count, because some servers change it in local parts. */
function isHash(hash: string, key: string, ...parts: readonly string[]): boolean {
  if (hash.length !== HASH_LENGTH) return false;
  const [given, wanted] = [hash, hashOf(key, ...parts)].map((text) => Buffer.from(text.toLowerCase()));
  return given !== undefined && wanted?.length === given.length && timingSafeEqual(given, wanted);
}

function stampOf(now: number): string {
  const day = Math.floor(now / DAY);
  return `${BASE[Math.floor(day / BASE.length) % BASE.length]}${BASE[day % BASE.length]}`;
}

/** True if the day is recent. Days count modulo 1024. */
function isCurrent(stamp: string, now: number): boolean {
  const digits = stamp
    .toUpperCase()
    .split('')
    .map((letter) => BASE.indexOf(letter));
  const [high, low] = digits;
  if (digits.length !== 2 || high === undefined || low === undefined || digits.includes(-1)) return false;
  const age = (Math.floor(now / DAY) - (high * BASE.length + low)) % SLOTS;
  return (age + SLOTS) % SLOTS <= MAX_DAYS;
}
