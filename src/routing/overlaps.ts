import { isPatternName } from '../model/names.ts';
import { commonWords, machineOf, type Machine } from './common-words.ts';
import { createRouter, isOneWay, mayTakeOthers, type AliasIndex, type RoutedAlias } from './route.ts';

/** Two patterns that match one address and send its mail to different destinations. */
export interface Overlap<A> {
  readonly first: A;
  readonly second: A;
  /** A local part that both match, and no alias by its name. */
  readonly localPart: string;
}

/** Bounds the work for one domain. Where it has more patterns than that allows, some overlaps are not found. */
const MOST_STEPS = 200_000;

/**
 * Finds pairs of patterns that overlap, of one domain. A pair is found only with an address that proves it: patterns with rare
 * syntax, or with too many forms, are not compared. `concerns`: only pairs of which it is true.
 */
export function* overlapsIn<A extends RoutedAlias>(
  aliases: Iterable<A> | AliasIndex<A>,
  concerns: (first: A, second: A) => boolean = () => true,
): Generator<Overlap<A>> {
  const patterns = [...('get' in aliases ? aliases.patterns : aliases)].filter(
    ({ name }) => mayTakeOthers(name) && isPatternName(name),
  );
  if (patterns.length < 2) return;
  const router = createRouter<A, never>({ aliases, rules: [], mode: 'aliases', fallback: null });
  const machines = new Map<A, Machine | null>();
  const steps = { left: MOST_STEPS };
  function machine(alias: A): Machine | null {
    const found = machines.get(alias) ?? machineOf(alias.name);
    machines.set(alias, found);
    return found;
  }
  function isProof(localPart: string, pair: readonly A[]): boolean {
    const routes = router.routesByAlias(localPart);
    const taken = routes.filter((route) => route.kind === 'alias' && pair.includes(route.alias));
    const [one, other] = taken;
    return one !== undefined && other !== undefined && !isOneWay([one, other]);
  }
  for (const [at, second] of patterns.entries()) {
    for (const first of patterns.slice(0, at)) {
      if ((steps.left -= 1) <= 0) return;
      if (first.forward.toSorted().join() === second.forward.toSorted().join() || !concerns(first, second))
        continue;
      const [a, b] = [machine(first), machine(second)];
      if (a === null || b === null) continue;
      const localPart = commonWords(a, b, steps).find((word) => isProof(word, [first, second]));
      if (localPart !== undefined) yield { first, second, localPart };
    }
  }
}
