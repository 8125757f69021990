import type { Destination } from '../../model/destinations.ts';
import { nameKey, type NameKey } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import { mayTakeOthers, type AliasIndex } from '../../routing/route.ts';
import { compareText } from '../sorting.ts';

/** An alias that takes mail. */
export interface RoutedItem {
  readonly name: string;
  readonly forward: readonly Destination[];
}

/** The live aliases of a domain, prepared once for both sides of a plan. */
export interface LiveAliases {
  readonly byKey: ReadonlyMap<NameKey, RoutedItem>;
  /** See `AliasIndex`. */
  readonly patterns: readonly RoutedItem[];
}

/** The aliases of a domain after changes. */
export interface FinalAliases extends AliasIndex<RoutedItem> {
  readonly named: (key: NameKey) => RoutedItem | undefined;
}

/**
 * Prepares the live aliases of a domain. Patterns are sorted by creation if their ids show it, because that is the
 * most likely order in which the service asks them.
 */
export function liveAliases(live: Pick<ObservedDomain, 'aliases'> | undefined): LiveAliases {
  const byKey = new Map<NameKey, RoutedItem>();
  const patterns: { readonly id: string; readonly item: RoutedItem }[] = [];
  for (const alias of live?.aliases ?? []) {
    const { name, forward } = alias;
    const item = { name, forward };
    byKey.set(nameKey(name), item);
    if (mayTakeOthers(name)) patterns.push({ id: alias.id, item });
  }
  const areNumbered = patterns.every(({ id }) => /^\d+$/.test(id));
  if (areNumbered) patterns.sort((a, b) => a.id.length - b.id.length || compareText(a.id, b.id));
  return { byKey, patterns: patterns.map(({ item }) => item) };
}

/**
 * Applies changes to live aliases. Live ones are not copied, because a plan changes few of them. Added ones come last.
 */
export function finalAliases({ byKey, patterns }: LiveAliases, changes: Iterable<Change>): FinalAliases {
  const changed = new Map<NameKey, RoutedItem | null>();
  for (const change of changes) {
    if (change.kind !== 'alias') continue;
    const item = change.desired === null ? null : { name: change.name, forward: change.desired.forward };
    changed.set(nameKey(change.name), item);
  }
  const added = [...changed].flatMap(([key, item]) => (item === null || byKey.has(key) ? [] : [item]));
  const named = (key: NameKey): RoutedItem | undefined => {
    const item = changed.get(key);
    return item === undefined ? byKey.get(key) : (item ?? undefined);
  };
  const finalOf = (items: Iterable<RoutedItem>): readonly RoutedItem[] => {
    const kept = [...items].flatMap(({ name }) => named(nameKey(name)) ?? []);
    return [...kept, ...added];
  };
  return {
    named,
    get(name) {
      const item = named(nameKey(name));
      return item?.name.toLowerCase() === name ? item : undefined;
    },
    patterns: finalOf(patterns).filter(({ name }) => mayTakeOthers(name)),
    [Symbol.iterator]: () => finalOf(byKey.values()).values(),
  };
}
