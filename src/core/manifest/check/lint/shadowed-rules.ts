import { sameDestinations } from '../../../model/destinations.ts';
import { quote } from '../../../model/names.ts';
import type { PresentRule } from '../../../kinds/rule/fields.ts';
import type { RuleMatch, Scope } from '../../../model/resources.ts';
import { createCoverage, reachOfAliasRule, takesEverything, type Coverage } from '../../../routing/reach.ts';
import type { LintedDomain, LintFinding } from './finding.ts';
import { listNames } from './shadowed-aliases.ts';

/**
 * Finds rules that no mail reaches, because rules above them match all of it. An equal condition with different
 * destinations is a separate finding.
 */
export function* shadowedRules({ rules }: LintedDomain): Generator<LintFinding> {
  const above: Above = { coverage: createCoverage(), conditions: new Map(), scopes: new Map(), total: null };
  for (const rule of rules) {
    const same = above.conditions.get(conditionOf(rule.match));
    if (same !== undefined && !sameDestinations(same.forward, rule.forward)) yield equalCondition(rule, same);
    else yield* shadowed(rule, above);
    note(rule, above);
  }
}

interface Above {
  readonly coverage: Coverage<PresentRule>;
  /** The first rule of each condition. */
  readonly conditions: Map<string, PresentRule>;
  /** Rules by the pattern of a regex. */
  readonly scopes: Map<string, { readonly rule: PresentRule; readonly scopes: ReadonlySet<Scope> }[]>;
  /** The first rule that matches every mail. */
  total: PresentRule | null;
}

function note(rule: PresentRule, above: Above): void {
  const { match } = rule;
  const condition = conditionOf(match);
  if (!above.conditions.has(condition)) above.conditions.set(condition, rule);
  if (takesEverything(match)) above.total ??= rule;
  if (match.type === 'alias') above.coverage.add(rule, reachOfAliasRule(match.alias) ?? []);
  if (match.type !== 'regex') return;
  const known = above.scopes.get(match.regex) ?? [];
  // There are fifteen sets of scopes.
  if (known.length < 15) known.push({ rule, scopes: new Set(match.scopes) });
  above.scopes.set(match.regex, known);
}

function* shadowed(rule: PresentRule, above: Above): Generator<LintFinding> {
  const first = above.total === null ? whoMatchesFirst(rule.match, above) : [above.total];
  const [one] = first;
  if (one === undefined) return;
  const names = first.map(({ name }) => name);
  yield {
    code: 'shadowed-rule',
    source: rule.source,
    related: one.source,
    entries: [rule.name, ...names],
    message: `the rule ${quote(rule.name)} gets no mail: all of its mail is matched by ${listNames(names)} first`,
    hint: 'move it up, delete it, or narrow the rule above it',
  };
}

function whoMatchesFirst(match: RuleMatch, { coverage, conditions, scopes }: Above): readonly PresentRule[] {
  const same = conditions.get(conditionOf(match));
  if (same !== undefined) return [same];
  if (match.type === 'alias') {
    const reach = reachOfAliasRule(match.alias);
    return reach === null ? [] : (coverage.whoCovers(reach) ?? []);
  }
  if (match.type === 'cel') return [];
  const wider = scopes
    .get(match.regex)
    ?.find((known) => match.scopes.every((scope) => known.scopes.has(scope)));
  return wider === undefined ? [] : [wider.rule];
}

function equalCondition(rule: PresentRule, same: PresentRule): LintFinding {
  return {
    code: 'equal-condition',
    source: rule.source,
    related: same.source,
    entries: [rule.name, same.name],
    message: `the rules ${quote(same.name)} and ${quote(rule.name)} have the same condition and different destinations: the first gets all the mail`,
    hint: 'write the destinations of both into one rule, or change a condition',
  };
}

function conditionOf(match: RuleMatch): string {
  switch (match.type) {
    case 'alias':
      return `alias ${match.alias.toLowerCase()}`;
    case 'cel':
      return `cel ${match.expression.trim()}`;
    case 'regex':
      return `regex ${match.scopes.toSorted().join()} ${match.regex}`;
  }
}
