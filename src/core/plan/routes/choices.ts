import { nameKey } from '../../model/names.ts';
import type { Route } from '../../routing/route.ts';
import type { RoutedItem } from './aliases.ts';
import type { RankedItem } from './tables.ts';

export type PlanRoute = Route<RoutedItem, RankedItem>;

/** The key of the entry that takes mail to an address, such as `alias info`, and the keys of all that may. */
export interface Choice {
  readonly taken: string;
  readonly among: readonly string[];
}

export function choiceOf(taken: PlanRoute, among: readonly PlanRoute[]): Choice {
  return { taken: keyOf(taken), among: among.map(keyOf) };
}

/**
 * True if both choices cannot hold together: of two entries, the service asks the same one first before and after a
 * plan.
 */
export function contradicts(before: Choice, after: Choice): boolean {
  if (before.taken === after.taken) return false;
  return after.among.includes(before.taken) && before.among.includes(after.taken);
}

function keyOf(route: PlanRoute): string {
  if (route.kind === 'alias') return `alias ${nameKey(route.alias.name)}`;
  return route.kind === 'rule' ? route.rule.key : route.kind;
}
