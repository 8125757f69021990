import { nameKey } from '../../model/names.ts';
import type { Route } from '../../routing/route.ts';
import type { RoutedItem } from './aliases.ts';
import type { RankedItem } from './tables.ts';

export type PlanRoute = Route<RoutedItem, RankedItem>;

/** Keys of what takes mail to an address, such as `alias info`, and of all that might. */
export interface Choice {
  readonly taken: string;
  readonly among: readonly string[];
}

export function choiceOf(taken: PlanRoute, among: readonly PlanRoute[]): Choice {
  return { taken: keyOf(taken), among: among.map(keyOf) };
}

/** True if both choices cannot be: what the service asks first of two entries, it asks first before a plan and after it. */
export function contradicts(before: Choice, after: Choice): boolean {
  if (before.taken === after.taken) return false;
  return after.among.includes(before.taken) && before.among.includes(after.taken);
}

function keyOf(route: PlanRoute): string {
  if (route.kind === 'alias') return `alias ${nameKey(route.alias.name)}`;
  return route.kind === 'rule' ? route.rule.key : route.kind;
}
