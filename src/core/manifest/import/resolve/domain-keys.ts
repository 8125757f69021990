import { domainPartOf, localPartOf } from '../../../model/names.ts';
import { isUnderstood, type Lookup, type PatternEntry } from '../forwards.ts';
import type { Forwards } from './find.ts';

/** Names and patterns of one domain. */
export interface DomainKeys {
  /** Local parts, in lower case, in the order of the sources. */
  readonly names: ReadonlySet<string>;
  /** Patterns in the order in which they are tried. */
  readonly patterns: readonly PatternEntry[];
}

/** Lists the names and patterns of the sources, by domain. */
export function keysByDomain({ lookups, localDomains }: Forwards): ReadonlyMap<string, DomainKeys> {
  const found: FoundKeys = new Map();
  for (const domain of localDomains) keysAt(domain, found);
  for (const lookup of lookups) {
    for (const key of namesInLookup(lookup)) addKey(key, localDomains, found);
    for (const entry of patternsInLookup(lookup)) keysAt(entry.domain, found).patterns.push(entry);
  }
  return found;
}

type FoundKeys = Map<string, { readonly names: Set<string>; readonly patterns: PatternEntry[] }>;

function keysAt(domain: string, found: FoundKeys) {
  const known = found.get(domain) ?? { names: new Set(), patterns: [] };
  found.set(domain, known);
  return known;
}

function addKey(key: string, localDomains: Iterable<string>, found: FoundKeys): void {
  if (!key.includes('@')) for (const domain of localDomains) keysAt(domain, found).names.add(key);
  else if (key.startsWith('@')) keysAt(domainPartOf(key), found);
  else keysAt(domainPartOf(key), found).names.add(localPartOf(key));
}

/** Returns the keys of a lookup that are not patterns. */
export function namesInLookup(lookup: Lookup): Iterable<string> {
  if (lookup.kind === 'patterns') return [];
  return lookup.kind === 'names' ? lookup.entries.keys() : lookup.names.keys();
}

/** Returns the patterns of a lookup that are understood. */
export function patternsInLookup(lookup: Lookup): readonly PatternEntry[] {
  if (lookup.kind === 'names') return [];
  return lookup.kind === 'records' ? lookup.patterns : lookup.entries.filter(isUnderstood);
}
