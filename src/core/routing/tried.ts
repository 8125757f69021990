import { isPatternName, localPartOf } from '../model/names.ts';
import type { Route, RoutedAlias, RoutedRule, RoutingTable } from './route.ts';

/** An entry that was tried before the one that matched. `name` is a name that no alias has. */
export type Tried<A, R> =
  | { readonly kind: 'rule'; readonly rule: R; readonly outcome: 'no-match' | 'inactive' }
  | { readonly kind: 'alias'; readonly alias: A; readonly outcome: 'no-match' }
  | { readonly kind: 'name'; readonly name: string; readonly outcome: 'absent' };

/**
 * Returns what the service tries before a message to this address takes this route, in its order (field notes: Routing):
 * rules by rank; then the name, the name without its plus label, and the patterns. If nothing matches, it returns
 * everything.
 */
export function triedBefore<A extends RoutedAlias, R extends RoutedRule>(
  table: RoutingTable<A, R>,
  to: string,
  route: Route<A, R>,
): readonly Tried<A, R>[] {
  const rules = table.mode === 'aliases' ? [] : triedRules(table.rules, route);
  if (table.mode === 'rules' || route.kind === 'rule') return rules;
  return [...rules, ...triedAliases(table, localPartOf(to), route)];
}

function triedRules<A, R extends RoutedRule>(
  all: Iterable<R>,
  route: Route<A, R>,
): readonly Tried<never, R>[] {
  const rules = [...all];
  const end = route.kind === 'rule' ? rules.indexOf(route.rule) : rules.length;
  return rules
    .slice(0, end)
    .map((rule) => ({ kind: 'rule', rule, outcome: rule.active ? 'no-match' : 'inactive' }));
}

function triedAliases<A extends RoutedAlias, R extends RoutedRule>(
  { aliases }: RoutingTable<A, R>,
  local: string,
  route: Route<A, R>,
): readonly Tried<A, never>[] {
  const by = route.kind === 'alias' ? route.by : null;
  if (by === 'name') return [];
  const absent = (name: string): Tried<A, never> => ({ kind: 'name', name, outcome: 'absent' });
  if (by === 'plus-address') return [absent(local)];
  const plus = local.indexOf('+');
  const patterns = [...aliases].filter(({ name }) => isPatternName(name));
  const end = route.kind === 'alias' && by === 'regex' ? patterns.indexOf(route.alias) : patterns.length;
  return [
    absent(local),
    ...(plus > 0 ? [absent(local.slice(0, plus))] : []),
    ...patterns.slice(0, end).map((alias) => ({ kind: 'alias', alias, outcome: 'no-match' }) as const),
  ];
}
