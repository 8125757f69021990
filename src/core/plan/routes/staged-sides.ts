import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { Mail, Routes } from '../../routing/route.ts';
import { stageOneChanges } from '../withhold.ts';
import { liveAliases, type RoutedItem } from './aliases.ts';
import type { PlanRoute } from './choices.ts';
import { ANY_OTHER } from './known-addresses.ts';
import { keepLatest, TABLES_KEPT } from './latest.ts';
import { createSide, NO_TABLE, type DomainSide, type RoutesInput, type Side, type Sides } from './sides.ts';
import type { RankedItem, Reading } from './tables.ts';

/**
 * The account in one reading: before, after stage 1, and after all changes. `meanwhile` combines these at each
 * address, because a run may end with only some of the changes made.
 */
export interface StagedSides extends Sides {
  readonly between: Side;
  readonly meanwhile: Side;
}

/** The changes in each domain, and the live aliases to leave out. */
export interface StagedChanges {
  readonly changesIn: (domain: DomainName) => readonly Change[];
  /** Returns the names of aliases that count as missing before the changes. */
  readonly ignoredIn: (domain: DomainName) => ReadonlySet<string>;
}

export function readStages(
  { desired, observed }: Pick<RoutesInput, 'desired' | 'observed'>,
  reading: Reading,
  { changesIn, ignoredIn }: StagedChanges,
): StagedSides {
  const aliasesOf = keepLatest(TABLES_KEPT, (domain) =>
    liveAliases(observed.domains.get(domain as DomainName)),
  );
  const reliedOn = keepLatest(TABLES_KEPT, (domain) => {
    const live = observed.domains.get(domain as DomainName);
    const ignored = ignoredIn(domain as DomainName);
    // Stryker disable next-line ConditionalExpression: it only saves a second table of the whole domain.
    if (live?.aliases === undefined || ignored.size === 0) return aliasesOf(domain);
    return liveAliases({ aliases: live.aliases.filter(({ name }) => !ignored.has(name)) });
  });
  const made = (
    aliases: typeof aliasesOf,
    changesOf: (domain: DomainName) => readonly Change[] | undefined,
  ): Side => createSide({ desired, observed, aliasesOf: aliases }, () => reading, changesOf);
  const before = made(reliedOn, () => undefined);
  const between = made(reliedOn, (domain) => stageOneChanges(changesIn(domain)));
  const after = made(aliasesOf, changesIn);
  const meanwhile = keepLatest(TABLES_KEPT, (domain) =>
    anyOf(domain, [before(domain), between(domain), after(domain)]),
  );
  return { before, between, after, meanwhile };
}

/** Combines sides of a domain: mail goes to all destinations that it has in any of them. */
function anyOf(domain: string, sides: readonly [DomainSide, ...DomainSide[]]): DomainSide {
  const routings: Routing[] = [];
  for (const { routing } of sides) {
    if (typeof routing === 'string') return { ...NO_TABLE, routing };
    routings.push(routing as Routing);
  }
  const toOthers: Mail = { to: `${ANY_OTHER}@${domain}`, from: '', subject: '', body: '' };
  const find = <Item extends RoutedItem>(itemOf: (side: DomainSide) => Item | null): Item | null => {
    const items = sides.map((side) => itemOf(side));
    const found = items.find((item) => item !== null);
    if (found === undefined) return null;
    // If the item is missing on a side, its mail goes the way of every other address there.
    return {
      ...found,
      forward: distinct(items.map((item, index) => item ?? usualRoute(routings[index] as Routing, toOthers))),
    };
  };
  return {
    engine: sides[0].engine,
    routing(mail) {
      const taking = routings.flatMap((routing) => usualRoute(routing, mail) ?? []);
      const [taken] = taking;
      return [taken === undefined ? { kind: 'refused' } : { ...taken, forward: distinct(taking) }];
    },
    aliasOf: (name) => find(({ aliasOf }) => aliasOf(name)),
    takerOf: (match) => find(({ takerOf }) => takerOf(match)),
  };
}

/** The routing of a side whose table is known. */
type Routing = (mail: Mail) => Routes<RoutedItem, RankedItem>;

/** Returns the usual taker of some mail; null if the mail is refused. */
function usualRoute(routing: Routing, mail: Mail): Exclude<PlanRoute, { readonly kind: 'refused' }> | null {
  const [usual] = routing(mail);
  return usual.kind === 'refused' ? null : usual;
}

function distinct(takers: readonly (Pick<RoutedItem, 'forward'> | null)[]): RoutedItem['forward'] {
  return [...new Set(takers.flatMap((taker) => taker?.forward ?? []))];
}
