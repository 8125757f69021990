import { createHmac } from 'node:crypto';

/**
 * Returns a function that computes an HMAC: SHA-256 in hexadecimal digits. Without the key, it cannot be computed or used to
 * test guesses of the text.
 */
export function hmacWith(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
