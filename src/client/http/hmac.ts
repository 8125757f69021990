import { createHmac } from 'node:crypto';

/** SHA-256 in hexadecimal digits, keyed: only who has the key can make it, or try what it was made of. */
export function hmacWith(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
