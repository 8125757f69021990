import { sameDestinations } from '../../../model/destinations.ts';
import { nameKey, quote } from '../../../model/names.ts';
import type { LintedDomain, LintFinding } from './finding.ts';

/** Addresses that a domain should have in any case. */
const ROLES: ReadonlySet<string> = new Set(['postmaster', 'abuse']);

/**
 * Finds aliases whose mail would go the same way through the `*`. With patterns that is uncertain, so nothing is
 * reported.
 */
export function* sameAsCatchAll({
  aliases,
  patterns: [all, ...others],
}: LintedDomain): Generator<LintFinding> {
  if (all?.name !== '*' || others.length > 0) return;
  for (const { name, forward, source } of aliases) {
    if (name === '*' || ROLES.has(nameKey(name)) || !sameDestinations(forward, all.forward)) continue;
    yield {
      code: 'same-as-catch-all',
      source,
      related: all.source,
      entries: [name, '*'],
      message: `the alias ${quote(name)} has the same destinations as the catch-all`,
      hint: `delete ${quote(name)}; or keep it, if it should stay when "*" changes`,
    };
  }
}
