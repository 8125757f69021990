import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { Generation } from '../account/model.ts';

/**
 * True if the header is HTTP Basic with the user `api` and the key as password (v4: Authentication). v3 also accepts
 * `api:KEY` without base64, which old clients send.
 */
export function isAuthorised(header: string | undefined, apiKey: string, version: Generation): boolean {
  const [decoded, plain] = sentKeys(header);
  if (version === 'v3' && plain !== undefined && isSame(plain, apiKey)) return true;
  return decoded !== undefined && isSame(decoded, apiKey);
}

/**
 * Returns the key in a header, first decoded from base64, then taken literally. Returns an empty list if there is no such
 * header.
 */
export function sentKeys(header: string | undefined): readonly string[] {
  const sent = /^basic +(\S+)$/i.exec(header?.trim() ?? '')?.[1];
  if (sent === undefined) return [];
  return [Buffer.from(sent, 'base64').toString('utf8'), sent].map(keyOf);
}

/** Returns the key, or an empty text, which is never a key, if the user is not `api`. */
function keyOf(text: string): string {
  return text.startsWith('api:') ? text.slice('api:'.length) : '';
}

function isSame(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
