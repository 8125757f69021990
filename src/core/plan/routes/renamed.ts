import { isPatternName, nameKey, type DomainName } from '../../model/names.ts';
import type { AliasChange, Change, PlannedRoute } from '../../model/plan.ts';
import type { AliasState } from '../../kinds/alias/fields.ts';

/**
 * Joins an alias that is deleted and one that is added with the same destinations into one route, if only these two
 * have them. If something else takes mail to the old name afterwards, the old route also stays.
 */
export function joinRenamed(
  routes: readonly PlannedRoute[],
  domain: DomainName,
  changes: readonly Change[],
): readonly PlannedRoute[] {
  const byAddress = new Map(routes.map((route) => [nameKey(route.address ?? ''), route]));
  const joined = new Map<PlannedRoute, PlannedRoute>();
  const covered = new Set<PlannedRoute>();
  for (const { gone, added } of renames(domain, changes)) {
    const [from, to] = [gone, added].map(({ name }) => byAddress.get(nameKey(`${name}@${domain}`)));
    if (from === undefined || to === undefined) continue;
    const by = { before: from.by.before, after: to.by.after };
    joined.set(to, { ...to, kind: 'renamed', was: from.address, from: from.from, by });
    if (from.to?.length === 0 && from.otherwise === null) covered.add(from);
  }
  return routes.filter((route) => !covered.has(route)).map((route) => joined.get(route) ?? route);
}

function renames(
  domain: DomainName,
  changes: readonly Change[],
): readonly { readonly gone: AliasChange; readonly added: AliasChange }[] {
  const aliases = changes.filter(
    (change): change is AliasChange =>
      change.kind === 'alias' && change.domain === domain && isOneAddress(change),
  );
  return [...Map.groupBy(aliases, forwardOf).values()].flatMap((same) => {
    const gone = same.filter(({ action }) => action === 'delete');
    const added = same.filter(({ action }) => action === 'add');
    if (gone.length > 1 || added.length > 1) return [];
    return gone.flatMap((one) => added.map((other) => ({ gone: one, added: other })));
  });
}

/** Returns the destinations of a change that is not conditional; only a change of `*` may be. */
function forwardOf({ observed, desired }: AliasChange): string {
  return ((observed ?? desired) as AliasState).forward.toSorted().join();
}

function isOneAddress({ name }: AliasChange): boolean {
  return name !== '*' && !isPatternName(name);
}
