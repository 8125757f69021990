import { mayBePattern, quote } from '../../../model/names.ts';
import type { LintedDomain, LintFinding } from './finding.ts';

/** Finds names with a `*` or `?` in places where it makes no pattern: the service compares them literally. */
export function* literalPatterns({ patterns, rules }: LintedDomain): Generator<LintFinding> {
  for (const { name, source } of patterns) {
    if (!mayBePattern(name)) continue;
    yield {
      code: 'literal-pattern',
      source,
      entries: [name],
      message: `the alias ${quote(name)} looks like a pattern, but may match only mail to exactly that name`,
      hint: `for a pattern, write a regular expression in parentheses: ${quote(regexFor(name))}`,
    };
  }
  for (const { name, match, source } of rules) {
    if (match.type !== 'alias' || !mayBePattern(match.alias) || /^[^*?]+\*$/.test(match.alias)) continue;
    yield {
      code: 'literal-pattern',
      source,
      entries: [name],
      message: `the rule ${quote(name)} names ${quote(match.alias)}, where only a * at the end matches any characters`,
      hint: `for another pattern, write a regular expression in parentheses: ${quote(regexFor(match.alias))}`,
    };
  }
}

/** Returns the regular expression that the author of `sales*` or `sales.*` probably meant. */
function regexFor(name: string): string {
  return `(${name.replaceAll(/\.?\*/g, '.*').replaceAll('?', '.')})`;
}
