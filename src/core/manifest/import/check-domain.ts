import type { DomainDocument } from '../../model/manifest/manifest-document.ts';
import type { RuleDocument } from '../../kinds/rule/fields.ts';
import { findRefused } from '../write/drop-refused.ts';
import type { Missing, TranslatedDomain } from './translate/missing.ts';
import type { ImportedRule } from './translated.ts';

/** The most rounds. Each round removes refused entries, which can reveal a few new errors. */
const MOST_ROUNDS = 10;

/** Removes the entries that the manifest language refuses, such as names that look alike. */
export function withoutRefusedEntries(domain: TranslatedDomain): TranslatedDomain {
  let current = domain;
  for (let round = 0; round < MOST_ROUNDS && needsCheck(current); round += 1) {
    const refused = findRefused(
      { version: 1, domains: new Map([[current.domain, documentOf(current)]]) },
      'v4',
    );
    const entries = new Set((refused.get(current.domain) ?? []).map(({ entry }) => entry));
    if (entries.size === 0) return current;
    current = without(current, entries);
  }
  return current;
}

/** True if a domain needs the check. Plain names and addresses were checked one by one. */
function needsCheck({ aliases, rules }: TranslatedDomain): boolean {
  return rules.length > 0 || aliases.some(({ name }) => !/^(?:[\w.+-]+|\*)$/.test(name));
}

function documentOf({ aliases, rules }: TranslatedDomain): DomainDocument {
  return rules.length > 0
    ? { rules: rules.map(ruleDocumentOf) }
    : { aliases: new Map(aliases.map(({ name, forward }) => [name, forward])) };
}

/** Returns a rule as the manifest writes it. */
export function ruleDocumentOf({ name, match, forward }: ImportedRule): RuleDocument {
  const { type: _, ...condition } = match;
  return { name, ...condition, forward };
}

function without(domain: TranslatedDomain, entries: ReadonlySet<string | number | null>): TranslatedDomain {
  const aliases = domain.aliases.filter(({ name }) => !entries.has(name));
  const rules = domain.rules.filter((_, index) => !entries.has(index));
  const gone = [
    ...domain.aliases.filter(({ name }) => entries.has(name)),
    ...domain.rules.filter((_, index) => entries.has(index)),
  ];
  const missing = gone.map(({ span, name }): Missing => {
    return { span, address: `${name}@${domain.domain}`, reason: 'name', mail: { kind: 'address' } };
  });
  return { ...domain, aliases, rules, missing: [...domain.missing, ...missing] };
}
