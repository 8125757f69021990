import { nameKey, type DomainName } from '../../model/names.ts';
import type { AliasChange, Change, PlannedRoute } from '../../model/plan.ts';
import { isPatternName } from './known-addresses.ts';

/**
 * Makes one entry of an alias that goes and one that comes with the same destinations, where these two alone have them. Where
 * something else takes the mail to the old name from then on, that stays an entry of its own.
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
  const byForward = (action: AliasChange['action']): Map<string, AliasChange[]> =>
    Map.groupBy(
      aliases.filter((change) => change.action === action),
      ({ observed, desired }) => ((observed ?? desired)?.forward ?? []).toSorted().join('\n'),
    );
  const added = byForward('add');
  return [...byForward('delete')].flatMap(([forward, gone]) => {
    const come = added.get(forward) ?? [];
    const [first, second] = [gone[0], come[0]];
    const isSure = gone.length === 1 && come.length === 1 && first !== undefined && second !== undefined;
    return isSure ? [{ gone: first, added: second }] : [];
  });
}

function isOneAddress({ name, conditional }: AliasChange): boolean {
  return name !== '*' && !conditional && !isPatternName(name);
}
