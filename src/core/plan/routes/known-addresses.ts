import { presentEntries, type PresentDomain } from '../../model/desired.ts';
import type { Destination } from '../../model/destinations.ts';
import { domainPartOf } from '../../model/names.ts';

/** Stands for every address that nothing names. Only entries that take nearly everything take it. */
export const ANY_OTHER = 'zzqxjkvw';

/** Yields the names of a domain's aliases in the manifest, and those of its rules for aliases. */
export function* namesOf({ aliases, rules }: PresentDomain): Generator<string> {
  if (aliases !== undefined) for (const { name } of aliases.entries.values()) yield name;
  for (const { match } of presentEntries(rules)) if (match.type === 'alias') yield match.alias;
}

/**
 * Returns the destinations that are addresses in one of the domains, by domain. Nearly all destinations are elsewhere.
 */
export function addressesIn(
  domains: Iterable<string>,
  forwards: Iterable<readonly Destination[]>,
): ReadonlyMap<string, ReadonlySet<Destination>> {
  const found = new Map<string, Set<Destination>>();
  for (const domain of domains) found.set(domain, new Set());
  for (const forward of forwards) {
    for (const destination of forward) {
      if (!destination.includes('://')) found.get(domainPartOf(destination))?.add(destination);
    }
  }
  return found;
}
