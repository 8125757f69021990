import { isPatternName } from '../../model/names.ts';
import { commonWords, machineOf, type Machine } from './common-words.ts';
import { lazily } from '../lazily.ts';
import {
  createRouter,
  isOneWay,
  mayTakeOthers,
  type AliasIndex,
  type RoutedAlias,
  type Router,
} from '../route.ts';

/** Two patterns that match one address and forward its mail to different destinations. */
export interface Overlap<A> {
  readonly first: A;
  readonly second: A;
  /** A local part that both patterns match. No alias has it as its name. */
  readonly localPart: string;
}

/** Limit on the work for one domain. With more patterns than that, some overlaps are not found. */
const MOST_STEPS = 200_000;

/**
 * Finds pairs of overlapping patterns in one domain. Each pair is proven by an address. Patterns with rare syntax or too
 * many forms are not compared. `concerns` selects the pairs to compare.
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
  const made = patterns.map((alias) => ({ alias, machine: lazily(() => machineOf(alias.name)) }));
  const steps = { left: MOST_STEPS };
  for (const [at, second] of made.entries()) {
    for (const first of made.slice(0, at)) {
      if ((steps.left -= 1) <= 0) return;
      if (!concerns(first.alias, second.alias)) continue;
      const localPart = commonAddress([first, second], router, steps);
      if (localPart !== null) yield { first: first.alias, second: second.alias, localPart };
    }
  }
}

interface Pattern<A> {
  readonly alias: A;
  readonly machine: () => Machine | null;
}

/** Returns the first local part that both patterns match with different destinations, or null if none is found. */
function commonAddress<A extends RoutedAlias>(
  pair: readonly [Pattern<A>, Pattern<A>],
  { routesByAlias }: Router<A, never>,
  steps: { left: number },
): string | null {
  const [first, second] = pair;
  if (isSame(first.alias.forward, second.alias.forward)) return null;
  const [a, b] = [first.machine(), second.machine()];
  if (a === null || b === null) return null;
  const aliases = [first.alias, second.alias];
  const isProof = (word: string): boolean => {
    const [one, other] = routesByAlias(word).filter(
      (route) => route.kind === 'alias' && aliases.includes(route.alias),
    );
    return one !== undefined && other !== undefined && !isOneWay([one, other]);
  };
  return commonWords(a, b, steps).find(isProof) ?? null;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.toSorted().join() === b.toSorted().join();
}
