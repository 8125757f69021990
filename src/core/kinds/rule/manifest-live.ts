import type { RuleMatch } from '../../model/resources.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import type { RuleDocument, RuleState, ObservedRule } from './fields.ts';
import type { RuleChange } from '../../model/plan.ts';

/** Returns a live rule as a manifest writes it. */
export function ruleDocument(
  { id, match, forward, active }: Omit<RuleState, 'rank'> & { readonly id: string | null },
  name: string,
  show: ShowForward,
): RuleDocument {
  const { type: _, ...condition } = match;
  return {
    name,
    ...(id === null ? {} : { id }),
    ...condition,
    forward: show(forward),
    ...(active ? {} : { active }),
  };
}

/**
 * Returns a domain's rules as they were before these changes, each by its id. If one moves or is deleted, all live
 * rules are listed in their old order, because neighbours define a rule's place. Otherwise only the changed rules are
 * listed.
 */
export function rulesBefore(
  changes: readonly RuleChange[],
  live: readonly ObservedRule[],
  show: ShowForward,
): readonly RuleDocument[] {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const needsOrder = changes.some(({ action, fields }) => action === 'delete' || fields.includes('rank'));
  const listed = live
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ id }) => needsOrder || byId.has(id))
    .map((rule) => ruleDocument(rule, nameOf(rule, byId.get(rule.id)), show));
  const added = changes.filter(({ action }) => action === 'add');
  return [
    ...listed,
    ...added.map(({ id }): RuleDocument => ({ ...(id === null ? {} : { id }), state: 'absent' })),
  ];
}

/**
 * Returns a rule's name: the manifest's, or the id if only the account has the rule. A deleted rule has both, so that
 * the name is unique.
 */
function nameOf(rule: ObservedRule, change: RuleChange | undefined): string {
  const name = change?.name ?? rule.id;
  return change?.action === 'delete' && name !== rule.id ? `${name} (${rule.id})` : name;
}

/** Creates a function that gives live rules, which have no names, readable names that are unique in their domain. */
export function createRuleNamer(): (match: RuleMatch) => string {
  const taken = new Set<string>();
  return (match) => {
    const base = baseName(match);
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
    taken.add(name);
    return name;
  };
}

function baseName(match: RuleMatch): string {
  switch (match.type) {
    case 'alias':
      return slug(match.alias) || (match.alias === '*' ? 'everything' : 'alias');
    case 'regex':
      return slug(match.regex.replace(/\\[a-zA-Z]/g, ' ')) || 'pattern';
    case 'cel': {
      const texts = [...match.expression.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? '');
      return slug(texts.join(' ')) || slug(match.expression) || 'expression';
    }
  }
}

/** Returns words of letters and digits joined by hyphens, at most 40 characters. */
function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-+$/, '');
}
