import { looksLikeRegex, quote } from '../../../model/names.ts';
import type { PresentAlias } from '../../../kinds/alias/fields.ts';
import { laterOf, type LintedDomain, type LintFinding } from './finding.ts';
import {
  createCoverage,
  EVERYTHING,
  reachOfAlias,
  type Coverage,
  type Reach,
} from '../../../routing/reach.ts';

/**
 * Finds patterns whose mail all goes to named aliases, which match first, and a `*` beside patterns that match
 * everything. Patterns have no known order, so none certainly takes another's mail.
 */
export function* shadowedAliases({ aliases, patterns }: LintedDomain): Generator<LintFinding> {
  const regexes = patterns.filter(({ name }) => looksLikeRegex(name));
  if (regexes.length === 0) return;
  const [byNames, byAll] = [createCoverage<PresentAlias>(), createCoverage<PresentAlias>()];
  for (const alias of aliases) {
    const isName = alias.name !== '*' && !looksLikeRegex(alias.name);
    const reach = isName ? reachOfAlias(alias.name) : null;
    if (reach === null) continue;
    byNames.add(alias, reach);
    byAll.add(alias, reach);
  }
  for (const regex of regexes) {
    const reach = reachOfAlias(regex.name);
    if (reach === null) continue;
    yield* shadowedBy(regex, reach, byNames);
    byAll.add(regex, reach);
  }
  const all = patterns.find(({ name }) => name === '*');
  if (all !== undefined) yield* shadowedBy(all, EVERYTHING, byAll);
}

function* shadowedBy(
  alias: PresentAlias,
  reach: Reach,
  coverage: Coverage<PresentAlias>,
): Generator<LintFinding> {
  const first = coverage.whoCovers(reach) ?? [];
  const [one] = first;
  if (one === undefined) return;
  const names = first.map(({ name }) => name);
  yield {
    code: 'shadowed-alias',
    ...laterOf(alias.source, one.source),
    entries: [alias.name, ...names],
    message: `the alias ${quote(alias.name)} gets no mail: all of its mail goes to ${listNames(names)} first`,
    hint: 'delete one of them, or make the pattern match more',
  };
}

const MOST_NAMED = 3;

/** Lists names: `"a", "b", "c" and 2 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map(quote).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}
