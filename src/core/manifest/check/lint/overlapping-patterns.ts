import { quote } from '../../../model/names.ts';
import { overlapsIn } from '../../../routing/overlaps/overlaps.ts';
import { laterOf, type LintedDomain, type LintFinding } from './finding.ts';

/**
 * Finds patterns that match the same address with different destinations. It is unknown which one the service asks
 * first.
 */
export function* overlappingPatterns({ domain, aliases, patterns }: LintedDomain): Generator<LintFinding> {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: it only saves a search through the whole domain.
  if (patterns.length < 2) return;
  for (const { first, second, localPart } of overlapsIn(aliases)) {
    yield {
      code: 'overlapping-patterns',
      ...laterOf(first.source, second.source),
      entries: [first.name, second.name],
      message: `the aliases ${quote(first.name)} and ${quote(second.name)} both match ${quote(`${localPart}@${domain.domain}`)} and forward to different destinations: it is not known which of them gets its mail`,
      hint: `let only one of them match it, or add an alias ${quote(localPart)}`,
    };
  }
}
