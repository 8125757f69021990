import { domainPartOf } from '../../../model/names.ts';
import type { LeftOutLine, Lookup, ParsedSource, PatternEntry } from '../forwards.ts';

/** Leaves out the patterns that match addresses of more than one of the sources' domains. */
export function withOneDomain(
  sources: readonly ParsedSource[],
  localDomains: readonly string[],
): readonly ParsedSource[] {
  const lookups = sources.flatMap((source) => source.lookups);
  if (lookups.every(({ kind }) => kind === 'names')) return sources;
  const domains = new Set([...localDomains, ...sources.flatMap((source) => source.domains)]);
  for (const lookup of lookups) {
    if (lookup.kind === 'patterns') for (const { domain } of lookup.entries) domains.add(domain);
    if (lookup.kind !== 'names') continue;
    for (const key of lookup.entries.keys()) if (key.includes('@')) domains.add(domainPartOf(key));
  }
  const isOfOne = ({ domain, matchesDomain }: PatternEntry): boolean =>
    !domains.values().some((other) => other !== domain && matchesDomain(other));
  return sources.map((source) => {
    const leftOut: LeftOutLine[] = [...source.leftOut];
    const kept = source.lookups.map((lookup): Lookup => {
      if (lookup.kind !== 'patterns') return lookup;
      const others = lookup.entries.filter((entry) => !isOfOne(entry));
      leftOut.push(
        ...others.map(({ span, shown }) => ({ span, address: shown, reason: 'pattern' as const })),
      );
      return { ...lookup, entries: lookup.entries.filter(isOfOne) };
    });
    return { ...source, lookups: kept, leftOut };
  });
}
