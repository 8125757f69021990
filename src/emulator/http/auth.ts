import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { Generation } from '../account/model.ts';

/**
 * HTTP Basic with the user `api` and the key as password (v4: Authentication). v3 also takes `api:KEY` that was never
 * base64-encoded, as old clients send it.
 */
export function isAuthorised(header: string | undefined, apiKey: string, version: Generation): boolean {
  const [decoded, plain] = sentKeys(header);
  if (version === 'v3' && plain !== undefined && isSame(plain, apiKey)) return true;
  return decoded !== undefined && isSame(decoded, apiKey);
}

/** The key that a header holds when it is decoded, then when it is not; none where there is no such header. */
export function sentKeys(header: string | undefined): readonly string[] {
  const sent = /^basic +(\S+)$/i.exec(header?.trim() ?? '')?.[1];
  if (sent === undefined) return [];
  return [Buffer.from(sent, 'base64').toString('utf8'), sent].map(keyOf);
}

/** Empty, which is no key, for another user. */
function keyOf(text: string): string {
  return text.startsWith('api:') ? text.slice('api:'.length) : '';
}

function isSame(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
