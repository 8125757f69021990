import { presentEntries, type PresentDomain } from '../../core/model/desired.ts';
import { localPartOf, looksLikeRegex, nameKey, type NameKey } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { compilePattern } from '../../core/routing/regex.ts';

/** A name that is meant to receive mail, and the manifest line that says so or that would have to. */
export interface KnownName {
  readonly name: string;
  readonly source: Source;
}

/** Finds the name that an address is meant for, by its local part. Returns null if the name is unknown. */
export type FindName = (localPart: string) => KnownName | null;

/** Returns a function that tries the sources in order. */
export function firstName(...sources: readonly FindName[]): FindName {
  return (localPart) => {
    for (const find of sources) {
      const known = find(localPart);
      if (known !== null) return known;
    }
    return null;
  };
}

/**
 * Returns the names in the manifest: aliases (including those that must be absent), patterns except `*`, rules for one
 * alias, and names in expectations.
 */
export function namesOfManifest(domain: PresentDomain): FindName {
  const names = writtenNames(domain);
  const patterns = writtenPatterns(domain);
  return (localPart) => {
    const named = findIn(names, localPart);
    if (named !== null) return named;
    const pattern = patterns.find(({ matches }) => matches(localPart));
    return pattern === undefined ? null : { name: localPart.toLowerCase(), source: pattern.source };
  };
}

/** Returns the names written in the manifest. If a name is written more than once, the alias counts, then the rule. */
function writtenNames(domain: PresentDomain): Names {
  const { aliases, rules, expect } = domain;
  const place = placeOfAliases(domain);
  const names = new Map(expect.map(({ to }) => namePair(localPartOf(to), place)));
  for (const { match, source } of presentEntries(rules)) {
    if (match.type === 'alias') names.set(...namePair(match.alias, source));
  }
  for (const { name, source } of aliases?.entries.values() ?? []) names.set(...namePair(name, source));
  names.delete(CATCH_ALL);
  return names;
}

function writtenPatterns({ aliases }: PresentDomain): readonly {
  readonly matches: (text: string) => boolean;
  readonly source: Source;
}[] {
  return [...(aliases?.entries.values() ?? [])].flatMap(({ name, source }) => {
    const compiled = looksLikeRegex(name) ? compilePattern(name, { letterCase: 'any' }) : null;
    return compiled?.ok === true ? [{ matches: compiled.value.matchesAll, source }] : [];
  });
}

type Names = Map<NameKey, KnownName>;

const CATCH_ALL = '*' as NameKey;

function namePair(name: string, source: Source): [NameKey, KnownName] {
  return [nameKey(name), { name, source }];
}

/** Finds a name, with or without its plus label. */
function findIn(names: Names, localPart: string): KnownName | null {
  return names.get(nameKey(localPart)) ?? names.get(nameKey(withoutLabel(localPart))) ?? null;
}

/** Returns the names of the account's aliases. */
export function namesOfAccount(aliases: Iterable<{ readonly name: string }>, place: Source): FindName {
  const names = new Map([...aliases].map(({ name }) => namePair(name, place)));
  names.delete(CATCH_ALL);
  return (localPart) => findIn(names, localPart);
}

export function withoutLabel(localPart: string): string {
  return localPart.replace(/(?<=.)\+.*$/su, '');
}

/** Returns the section that has the aliases, or that would have them. */
export function placeOfAliases({ aliases, source }: PresentDomain): Source {
  return aliases?.source ?? source;
}
