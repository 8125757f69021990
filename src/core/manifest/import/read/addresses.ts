import { domainPartOf, localPartOf, parseDomainName } from '../../../model/names.ts';
import { memoise } from '../../../model/text/memoise.ts';
import type { Target } from '../forwards.ts';

/** Splits at commas outside quotes, comments and angle brackets. */
export function splitList(text: string): readonly string[] {
  const items: string[] = [];
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  for (const { 0: sign, index } of text.matchAll(SIGNS)) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted) depth = Math.max(0, depth + (NESTING[sign] ?? 0));
    if (sign !== ',' || isQuoted || depth > 0) continue;
    items.push(text.slice(start, index));
    start = index + 1;
  }
  items.push(text.slice(start));
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** A backslash escapes the next character. */
const SIGNS = /\\[\s\S]|[",()<>]/g;
const NESTING: Readonly<Record<string, number>> = { '(': 1, '<': 1, ')': -1, '>': -1 };

/** Returns the address of `Name <address>` and `address (Name)`; any other text without its comments. */
export function bareAddress(item: string): string {
  const text = item.replace(/\([^()]*\)/g, ' ').trim();
  return /^[^<>]*<([^<>]*)>$/.exec(text)?.[1]?.trim() ?? text;
}

/** The domain of names without one; null means that they are mailboxes of the source's own host. */
export type LocalDomain = string | null;

/** Parses an address, or a name without a domain. A leading backslash has no meaning here. */
export function addressTarget(text: string, local: LocalDomain): Target {
  const plain = text.startsWith('\\') ? text.slice(1) : text;
  if (/^@|[\s"<>()[\]:;\\|]/.test(plain) || plain === '') return { kind: 'lost', reason: 'destination' };
  if (plain.includes('@')) return { kind: 'address', address: sourceAddress(plain) };
  return local === null
    ? { kind: 'lost', reason: 'mailbox' }
    : { kind: 'address', address: `${plain}@${local}` };
}

/** Returns an address with its domain in lower-case ASCII; an invalid domain stays, in lower case. */
export function sourceAddress(address: string): string {
  return `${localPartOf(address)}@${sourceDomain(domainPartOf(address))}`;
}

/** Returns a domain in normal form; an invalid one stays, in lower case. Most lines share a few. */
export const sourceDomain = memoise((text) => {
  const parsed = parseDomainName(text.replace(/(?<=[^.])\.$/, ''));
  return parsed.ok ? parsed.value : text.toLowerCase();
});
