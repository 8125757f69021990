import type { RuleMatch } from '../../model/resources.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import type { RuleDocument, RuleState } from './fields.ts';

/** A live rule as a manifest writes it. */
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

/** Gives live rules, which have no names, readable ones that are unique in their domain. */
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

/** Words of letters and digits joined by hyphens, at most 40 characters. */
function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-+$/, '');
}
