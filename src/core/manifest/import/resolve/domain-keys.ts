import { domainPartOf, localPartOf } from '../../../model/names.ts';
import { isOpaque, type PatternEntry } from '../forwards.ts';
import type { Forwards } from './find.ts';

/** What the sources name at one domain. */
export interface DomainKeys {
  /** Local parts, in lower case, in the order of the sources. */
  readonly names: ReadonlySet<string>;
  /** Patterns in the order in which they are asked. */
  readonly patterns: readonly PatternEntry[];
}

/** Lists what the sources name, by domain. */
export function keysByDomain({ lookups, localDomains }: Forwards): ReadonlyMap<string, DomainKeys> {
  const found = new Map<string, { readonly names: Set<string>; readonly patterns: PatternEntry[] }>();
  const at = (domain: string) => {
    const known = found.get(domain) ?? { names: new Set(), patterns: [] };
    found.set(domain, known);
    return known;
  };
  for (const domain of localDomains) at(domain);
  for (const lookup of lookups) {
    const keys =
      lookup.kind === 'names' ? lookup.entries.keys() : lookup.kind === 'records' ? lookup.names.keys() : [];
    for (const key of keys) {
      if (!key.includes('@')) for (const domain of localDomains) at(domain).names.add(key);
      else if (key.startsWith('@')) at(domainPartOf(key));
      else at(domainPartOf(key)).names.add(localPartOf(key));
    }
    if (lookup.kind === 'names') continue;
    const patterns = lookup.kind === 'patterns' ? lookup.entries : lookup.patterns;
    for (const entry of patterns) if (!isOpaque(entry)) at(entry.domain).patterns.push(entry);
  }
  return found;
}
