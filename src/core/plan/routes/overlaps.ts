import { isPatternName, type DomainName } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import { overlapsIn, type Overlap } from '../../routing/overlaps/overlaps.ts';
import { finalAliases, liveAliases, type RoutedItem } from './aliases.ts';

/** Finds overlapping patterns of a domain after the changes; none if aliases do not route its mail. */
export function finalOverlaps(
  live: ObservedDomain | undefined,
  changes: readonly Change[],
): readonly Overlap<RoutedItem>[] {
  // Most domains have fewer than two patterns and need no table.
  if (!mayRouteByAliases(live) || !hasTwoPatterns(live, changes)) return [];
  return overlapsIn(finalAliases(liveAliases(live), changes)).toArray();
}

/**
 * Returns an address for each pair of overlapping patterns, before and after, if the changes touch one of the pair.
 */
export function contestedAddresses(
  domain: DomainName,
  live: ObservedDomain | undefined,
  changes: readonly Change[],
): readonly string[] {
  const changed = new Set(changes.filter(changesPattern).map(({ name }) => name));
  if (changed.size === 0 || !mayRouteByAliases(live)) return [];
  const aliases = liveAliases(live);
  const found = [[], changes].flatMap((made) =>
    overlapsIn(finalAliases(aliases, made), (...pair) =>
      pair.some(({ name }) => changed.has(name)),
    ).toArray(),
  );
  return [...new Set(found.map(({ localPart }) => `${localPart}@${domain}`))];
}

/** True if an alias that is a pattern is added, changed or deleted. */
export function changesPattern({ kind, name }: Change): boolean {
  return kind === 'alias' && isPatternName(name);
}

function mayRouteByAliases(live: ObservedDomain | undefined): boolean {
  return live?.routingEngine !== 'rules' && live?.routingEngine !== null;
}

function hasTwoPatterns(live: ObservedDomain | undefined, changes: readonly Change[]): boolean {
  let count = changes.filter(changesPattern).length;
  for (const { name } of live?.aliases ?? []) {
    if (isPatternName(name)) count += 1;
    if (count > 1) return true;
  }
  return count > 1;
}
