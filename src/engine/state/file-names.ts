import { createHash } from 'node:crypto';
import type { DomainName } from '../../core/model/names.ts';
import { accountName } from './account-name.ts';

/** Readable where it can be, and distinct always: the hash decides, the rest is for people. */
export function accountDirectory(account: string, apiUrl: string): string {
  const { email, host } = accountName(account, apiUrl);
  const readable = `${email}_${host}`
    .replace(/[^a-z0-9.@_-]/g, '-')
    .replace(/^\.+/, '-')
    .slice(0, 120);
  return `${readable}_${shortHash(`${email}\n${host}`)}`;
}

/** A domain of up to 253 characters is a file name of up to 255: the long ones are cut and get a hash. */
export function domainFile(domain: DomainName): string {
  return domain.length <= 200 ? `${domain}.json` : `${domain.slice(0, 180)}_${shortHash(domain)}.json`;
}

/** In hexadecimal: tells a few million texts apart. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
