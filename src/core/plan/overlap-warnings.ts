import { presentEntries, type Desired } from '../model/desired.ts';
import { silence } from '../model/lint/silence.ts';
import { compareSources } from '../model/manifest/problem.ts';
import { nameKey } from '../model/names.ts';
import type { Observed } from '../model/observed.ts';
import type { Warning } from '../model/plan.ts';
import { overlapText } from '../routing/overlaps/overlap-text.ts';
import type { DomainPlan } from './diff/section.ts';
import { finalOverlaps } from './routes/overlaps.ts';

/**
 * Warns of patterns that overlap after the plan is applied, in each planned domain. If both patterns are in the
 * manifest, validation has already found the overlap and counted it if it is silenced.
 */
export function overlapWarnings(
  desired: Desired,
  observed: Observed,
  domains: readonly DomainPlan[],
): readonly Warning[] {
  return domains.flatMap((plan) => {
    const wanted = desired.domains.get(plan.domain);
    if (wanted?.state !== 'present' || plan.withheld.length > 0) return [];
    const overlaps = finalOverlaps(observed.domains.get(plan.domain), plan.changes);
    // Stryker disable next-line ConditionalExpression: it only saves a map of all aliases.
    if (overlaps.length === 0) return [];
    const written = new Map(
      presentEntries(wanted.aliases).map((entry) => [nameKey(entry.name), entry.source]),
    );
    return overlaps.flatMap((overlap) => {
      const { first, second } = overlap;
      const sources = [first, second].flatMap(({ name }) => written.get(nameKey(name)) ?? []);
      const warning: Warning = {
        code: 'overlapping-patterns',
        ...overlapText(plan.domain, overlap),
        source: sources.toSorted(compareSources).at(-1) ?? null,
        subject: { domain: plan.domain, entries: [first.name, second.name] },
      };
      return sources.length === 2 ? silence([warning], desired) : [warning];
    });
  });
}
