import { createHash } from 'node:crypto';
import type { DomainName } from '../../core/model/names.ts';
import { accountName } from './account-name.ts';

/** Returns the directory name of an account. Its hash makes it unique; the rest is for people. */
export function accountDirectory(account: string, apiUrl: string): string {
  const { email, host } = accountName(account, apiUrl);
  const readable = `${email}_${host}`
    .replace(/[^a-z0-9.@_-]/g, '-')
    .replace(/^\.+/, '-')
    .slice(0, 120);
  return `${readable}_${shortHash(`${email}\n${host}`)}`;
}

/**
 * Returns the file name of a domain's memory. A domain has up to 253 characters and a file name up to 255, so a long domain
 * is cut and gets a hash.
 */
export function domainFile(domain: DomainName): string {
  return domain.length <= 200 ? `${domain}.json` : `${domain.slice(0, 180)}_${shortHash(domain)}.json`;
}

/** Returns a short hash in hexadecimal, long enough to distinguish a few million texts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
