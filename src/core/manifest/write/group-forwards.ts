import type { DomainDocument, ManifestDocument } from '../../model/manifest/manifest-document.ts';
import type { AbsentDocument, ForwardDocument } from '../../model/resources.ts';
import type { RuleDocument } from '../../kinds/rule/fields.ts';
import { findGroups, type FoundGroups, type GroupedEntry } from './find-groups.ts';

type Part = Extract<ForwardDocument, readonly unknown[]>[number];

/** Replaces sets of destinations that three or more entries share by names. The first document defines the names. */
export function groupForwards(documents: readonly ManifestDocument[]): readonly ManifestDocument[] {
  const found = findGroups(documents.flatMap(({ domains }) => [...domains.values()].flatMap(entriesOf)));
  if (found.groups.size === 0) return documents;
  return documents.map((document, index) => ({
    ...document,
    ...(index === 0 ? { destinations: found.groups } : {}),
    domains: new Map([...document.domains].map(([name, domain]) => [name, groupDomain(domain, found)])),
  }));
}

function entriesOf({ aliases, rules }: DomainDocument): readonly GroupedEntry<Part>[] {
  const named = [...(aliases ?? [])].map(([name, forward]) => ({ name, forward: listOf(forward) }));
  const ruled = (rules ?? []).map((rule) => {
    return { name: rule.alias ?? rule.name ?? 'rule', forward: listOf(rule.forward) };
  });
  return [...named, ...ruled];
}

function listOf(forward: ForwardDocument | AbsentDocument | undefined): readonly Part[] {
  return Array.isArray(forward) ? (forward as readonly Part[]) : [];
}

function groupDomain(domain: DomainDocument, { nameOf }: FoundGroups<Part>): DomainDocument {
  const { aliases, rules } = domain;
  const group = <F extends ForwardDocument | AbsentDocument | undefined>(forward: F): F | string =>
    nameOf(listOf(forward)) ?? forward;
  return {
    ...domain,
    ...(aliases === undefined
      ? {}
      : { aliases: new Map([...aliases].map(([name, forward]) => [name, group(forward)])) }),
    ...(rules === undefined ? {} : { rules: rules.map((rule) => groupRule(rule, group(rule.forward))) }),
  };
}

function groupRule(rule: RuleDocument, forward: ForwardDocument | undefined): RuleDocument {
  return forward === undefined ? rule : { ...rule, forward };
}
