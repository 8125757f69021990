import { presentEntries, type PresentDomain } from '../../core/model/desired.ts';
import { localPartOf, looksLikeRegex, nameKey, type NameKey } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { compilePattern } from '../../core/routing/regex.ts';

/** A name that was meant to receive mail, and the line that says so, or would have to. */
export interface KnownName {
  readonly name: string;
  readonly source: Source;
}

/** Finds the name that an address of the domain was meant for, by its local part; null: nobody knows it. */
export type FindName = (localPart: string) => KnownName | null;

/** Asks one after the other. */
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
 * What the manifest knows: aliases, those that must not exist too, patterns but `*`, rules for one alias, and whatever an
 * expectation names.
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

/** Where a name is written in several ways the alias counts, then the rule. */
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

/** By the name, or without its plus label. */
function findIn(names: Names, localPart: string): KnownName | null {
  return names.get(nameKey(localPart)) ?? names.get(nameKey(withoutLabel(localPart))) ?? null;
}

/** What the account has by name. */
export function namesOfAccount(aliases: Iterable<{ readonly name: string }>, place: Source): FindName {
  const names = new Map([...aliases].map(({ name }) => namePair(name, place)));
  names.delete(CATCH_ALL);
  return (localPart) => findIn(names, localPart);
}

export function withoutLabel(localPart: string): string {
  return localPart.replace(/(?<=.)\+.*$/su, '');
}

/** The section that holds aliases, or would. */
export function placeOfAliases({ aliases, source }: PresentDomain): Source {
  return aliases?.source ?? source;
}
