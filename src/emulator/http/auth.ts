import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { Generation } from '../account/model.ts';

/**
 * HTTP Basic with the user `api` and the key as password (v4: Authentication). v3 also takes `api:KEY` that was never
 * base64-encoded, as old clients send it.
 */
export function isAuthorised(header: string | undefined, apiKey: string, version: Generation): boolean {
  const match = /^basic +(\S+)$/i.exec(header?.trim() ?? '');
  const sent = match?.[1];
  if (sent === undefined) return false;
  const wanted = `api:${apiKey}`;
  if (version === 'v3' && isSame(sent, wanted)) return true;
  return isSame(Buffer.from(sent, 'base64').toString('utf8'), wanted);
}

function isSame(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
