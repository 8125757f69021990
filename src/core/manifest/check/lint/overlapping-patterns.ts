import { overlapText } from '../../../routing/overlaps/overlap-text.ts';
import { overlapsIn } from '../../../routing/overlaps/overlaps.ts';
import { laterOf, type LintedDomain, type LintFinding } from './finding.ts';

/**
 * Finds patterns that match the same address with different destinations. It is unknown which one the service asks
 * first.
 */
export function* overlappingPatterns({ domain, aliases, patterns }: LintedDomain): Generator<LintFinding> {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: it only saves a search through the whole domain.
  if (patterns.length < 2) return;
  for (const overlap of overlapsIn(aliases)) {
    const { first, second } = overlap;
    yield {
      code: 'overlapping-patterns',
      ...laterOf(first.source, second.source),
      entries: [first.name, second.name],
      ...overlapText(domain.domain, overlap),
    };
  }
}
