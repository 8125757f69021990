import { domainPartOf, localPartOf } from '../../../model/names.ts';
import { sourceDomain } from './addresses.ts';

/**
 * Returns the keys of an address in a table; `*` and `*@acme.example` stand for every other address. Empty if it needs
 * a domain.
 */
export function keysOfAddress(address: string, localDomains: readonly string[]): readonly string[] {
  const text = address.trim().toLowerCase();
  const name = (local: string): string => (local === '*' ? '' : local);
  if (!text.includes('@')) return localDomains.map((domain) => `${name(text)}@${domain}`);
  return [`${name(localPartOf(text))}@${sourceDomain(domainPartOf(text))}`];
}
