import { domainPartOf, localPartOf } from '../../../model/names.ts';
import { compilePattern } from '../../../routing/regex.ts';
import {
  isUnderstood,
  type LeftOutLine,
  type Lookup,
  type OpaquePattern,
  type ParsedSource,
  type PatternEntry,
} from '../forwards.ts';

/** Removes the patterns that match addresses of more than one domain of the sources. */
export function withOneDomain(
  sources: readonly ParsedSource[],
  localDomains: readonly string[],
): readonly ParsedSource[] {
  const lookups = sources.flatMap((source) => source.lookups);
  if (lookups.every(({ kind }) => kind === 'names')) return sources;
  const domains = new Set([...localDomains, ...sources.flatMap((source) => source.domains)]);
  for (const lookup of lookups) {
    if (lookup.kind === 'patterns')
      for (const entry of lookup.entries) if (isUnderstood(entry)) domains.add(entry.domain);
    if (lookup.kind !== 'names') continue;
    for (const key of lookup.entries.keys()) if (key.includes('@')) domains.add(domainPartOf(key));
  }
  const isOfOne = (entry: PatternEntry | OpaquePattern): boolean =>
    !isUnderstood(entry) ||
    !domains.values().some((other) => other !== entry.domain && entry.matchesDomain(other));
  return sources.map((source) => {
    const leftOut: LeftOutLine[] = [...source.leftOut];
    const kept = source.lookups.map((lookup): Lookup => {
      if (lookup.kind !== 'patterns') return lookup;
      const entries = lookup.entries.map((entry) => {
        if (isOfOne(entry) || !isUnderstood(entry)) return entry;
        const { span, shown } = entry;
        leftOut.push({ span, address: shown, reason: 'pattern' });
        return { span, shown, mayMatch: matcherOfEntry(entry) };
      });
      return { kind: 'patterns', entries };
    });
    return { ...source, lookups: kept, leftOut };
  });
}

function matcherOfEntry({ pattern, matchesDomain }: PatternEntry): OpaquePattern['mayMatch'] {
  const compiled = compilePattern(pattern.text, { letterCase: 'any' });
  return (address) =>
    matchesDomain(domainPartOf(address)) &&
    (!compiled.ok || compiled.value.capture(localPartOf(address)) !== null);
}
