import { capturesIn, type Destination, isDiscard, sameDestinations } from '../../model/destinations.ts';
import type { DomainName } from '../../model/names.ts';
import type { Decider } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { createReach, endsOf, type DomainRouting, type Ends } from '../../routing/follow.ts';
import { isOneWay, type Mail } from '../../routing/route.ts';
import { createDoubt, waysOf, type Way } from '../../routing/ways.ts';
import { choiceOf, contradicts, type Choice, type PlanRoute } from './choices.ts';
import { ANY_OTHER } from './known-addresses.ts';
import { conditionKey, type DomainSide, type Side, type Sides } from './sides.ts';
import type { RoutedItem } from './aliases.ts';
import type { RankedItem } from './tables.ts';

/** Mail whose way is followed. */
export type RouteSubject = { readonly domain: DomainName } & (
  | {
      readonly kind: 'address';
      /** The whole address. */
      readonly address: string;
      /** The source of the address; `destination` means that only destinations name it. */
      readonly knownBy: 'name' | 'destination';
    }
  /** Mail to every address that nothing names. */
  | { readonly kind: 'others' }
  /** Mail to addresses that an alias, or a rule for aliases, takes by a pattern or a prefix such as `sales*`. */
  | { readonly kind: 'pattern'; readonly name: string }
  /** Mail that a rule takes by a regular expression or a CEL expression. */
  | { readonly kind: 'condition'; readonly match: RuleMatch; readonly rule: string }
);

/** The end of some mail. */
export interface RouteOutcome {
  readonly to: readonly Destination[];
  /** Addresses behind which the way is unknown. */
  readonly open: readonly string[];
  readonly via: readonly string[];
  readonly by: Decider | null;
  /** The entry that takes the mail at each address where several may, with different destinations. */
  readonly choices: ReadonlyMap<string, Choice>;
  /** Names of the entries that may each take the mail, if their destinations differ. */
  readonly undecided: readonly string[];
}

/** All possible outcomes of some mail, the usual one first. */
export type RouteOutcomes = readonly [RouteOutcome, ...RouteOutcome[]];

/** A message without sender, subject and body. Rules that match these are described by their condition. */
const MESSAGE = { from: '', subject: '', body: '' };

export function outcomesOf(subject: RouteSubject, side: Side): RouteOutcomes {
  switch (subject.kind) {
    case 'address':
      return ofAddress(subject.address, side);
    case 'others':
      return ofAddress(`${ANY_OTHER}@${subject.domain}`, side);
    case 'pattern':
    case 'condition': {
      const taken = takenBy(subject, side(subject.domain));
      return taken === null ? ofAddress(`${ANY_OTHER}@${subject.domain}`, side) : ofDestinations(taken, side);
    }
  }
}

/** True if something takes the mail by its pattern or condition. Otherwise it goes the way of every other address. */
export function isTaken(subject: RouteSubject, { before, after }: Pick<Sides, 'before' | 'after'>): boolean {
  if (subject.kind === 'address' || subject.kind === 'others') return true;
  return [before(subject.domain), after(subject.domain)].some(({ aliasOf, takerOf }) => {
    if (subject.kind === 'pattern' && aliasOf(subject.name) !== null) return true;
    const match = conditionOf(subject);
    const taker = takerOf(match);
    return taker !== null && conditionKey(taker.match) === conditionKey(match);
  });
}

/** True if nothing delivers the mail: it is refused, or accepted and dropped. */
export function isNowhere({ to, open }: RouteOutcome): boolean {
  return open.length === 0 && (to.length === 0 || isDiscard(to));
}

/** The delivery of mail on one side, computed in linear time for any number of mails. */
export interface SideDelivery {
  /** True if the usual way of the mail ends somewhere; see `isNowhere`. */
  readonly delivers: (mail: Mail | RouteSubject) => boolean;
  /** True if the mail may pass an address whose taker is uncertain. */
  readonly isUndecided: (mail: Mail | RouteSubject) => boolean;
}

export function createDelivery(side: Side): SideDelivery {
  const routesOf = (domain: string): DomainSide['routing'] => side(domain).routing;
  const reaches = createReach<RoutedItem, RankedItem>(MESSAGE, (domain) => usualRouting(routesOf(domain)));
  const isOpen = createDoubt<RoutedItem, RankedItem>(MESSAGE, routesOf);
  return {
    delivers: (mail) =>
      isPlain(mail)
        ? startsOf(mail, side).some((to) => capturesIn(to).length > 0 || reaches(to))
        : !isNowhere(outcomesOfMail(mail, side)[0]),
    isUndecided: (mail) =>
      isPlain(mail)
        ? startsOf(mail, side).some((to) => capturesIn(to).length === 0 && isOpen(to))
        : outcomesOfMail(mail, side).length > 1,
  };
}

function usualRouting(routing: DomainSide['routing']): DomainRouting<RoutedItem, RankedItem> {
  if (typeof routing === 'string') return routing;
  return (mail) => {
    const routes = routing(mail);
    return routes === 'unknown' ? routes : routes[0];
  };
}

/** True if the way of the mail depends only on its address. */
function isPlain(mail: Mail | RouteSubject): mail is RouteSubject | (Mail & typeof MESSAGE) {
  return !('to' in mail) || (mail.from === '' && mail.subject === '' && mail.body === '');
}

/** Returns the addresses at which the mail is followed first. */
function startsOf(mail: Mail | RouteSubject, side: Side): readonly string[] {
  if ('to' in mail) return [mail.to];
  if (mail.kind === 'address') return [mail.address];
  const taken = mail.kind === 'others' ? null : takenBy(mail, side(mail.domain));
  return taken?.forward ?? [`${ANY_OTHER}@${mail.domain}`];
}

export function sameOutcome(a: RouteOutcome, b: RouteOutcome): boolean {
  return sameDestinations(a.to, b.to) && new Set(a.open).symmetricDifference(new Set(b.open)).size === 0;
}

/** True unless one outcome rules the other out. */
export function canFollow(before: RouteOutcome, after: RouteOutcome): boolean {
  return before.choices.entries().every(([address, choice]) => {
    const then = after.choices.get(address);
    return then === undefined || !contradicts(choice, then);
  });
}

function ofAddress(address: string, side: Side): RouteOutcomes {
  return outcomesOfMail({ ...MESSAGE, to: address }, side);
}

/** Returns all possible outcomes of one mail, the usual one first. */
export function outcomesOfMail({ to, ...message }: Mail, side: Side): RouteOutcomes {
  return outcomesOfWays(waysTo([to], side, message), ({ hops }) => {
    const [first] = hops;
    const by = first?.kind === 'routed' ? deciderOf(first.route) : null;
    return outcome(endsOf(hops), [], by);
  });
}

type PlanWay = Way<RoutedItem, RankedItem>;

function waysTo(
  to: readonly string[],
  side: Side,
  message: Omit<Mail, 'to'> = MESSAGE,
): readonly [PlanWay, ...PlanWay[]] {
  return waysOf(to, message, (domain) => side(domain).routing);
}

function outcomesOfWays(
  [usual, ...others]: readonly [PlanWay, ...PlanWay[]],
  make: (way: PlanWay) => Omit<RouteOutcome, 'choices' | 'undecided'>,
): RouteOutcomes {
  const outcomeOf = (way: PlanWay): RouteOutcome => {
    // If all of them lead to the same destinations, any one may take the mail: nothing is chosen.
    const open = [...way.choices].filter(([, { among }]) => !isOneWay(among));
    const choices = open.map(([address, { taken, among }]) => [address, choiceOf(taken, among)] as const);
    const undecided = open.flatMap(([, { among }]) => among.flatMap((route) => entryNameOf(route) ?? []));
    return { ...make(way), choices: new Map(choices), undecided };
  };
  return [outcomeOf(usual), ...others.map(outcomeOf)];
}

function entryNameOf(route: PlanRoute): string | null {
  if (route.kind === 'rule') return route.rule.name;
  return route.kind === 'alias' && route.by === 'regex' ? route.alias.name : null;
}

function deciderOf(route: PlanRoute): Decider | null {
  switch (route.kind) {
    case 'alias':
      return { kind: 'alias', name: route.alias.name };
    case 'rule':
      return { kind: 'rule', name: route.rule.name };
    case 'fallback':
      return { kind: 'fallback', name: null };
    case 'refused':
      return null;
  }
}

interface Taken {
  readonly by: Decider;
  readonly forward: readonly Destination[];
}

function takenBy(
  subject: Extract<RouteSubject, { readonly kind: 'pattern' | 'condition' }>,
  { aliasOf, takerOf }: DomainSide,
): Taken | null {
  const alias = subject.kind === 'pattern' ? aliasOf(subject.name) : null;
  if (alias !== null) return { by: { kind: 'alias', name: alias.name }, forward: alias.forward };
  const rule = takerOf(conditionOf(subject));
  return rule === null ? null : { by: { kind: 'rule', name: rule.name }, forward: rule.forward };
}

/** Returns the condition by which a rule takes the mail. */
export function conditionOf(
  subject: Extract<RouteSubject, { readonly kind: 'pattern' | 'condition' }>,
): RuleMatch {
  return subject.kind === 'condition' ? subject.match : { type: 'alias', alias: subject.name };
}

/**
 * Returns the outcomes of a taker's destinations. A destination with a capture differs for each mail, so it counts as
 * an end as written.
 */
function ofDestinations({ by, forward }: Taken, side: Side): RouteOutcomes {
  const captured = forward.filter((destination) => capturesIn(destination).length > 0);
  const plain = forward.filter((destination) => capturesIn(destination).length === 0);
  return outcomesOfWays(waysTo(plain, side), ({ hops }) => {
    const ends = endsOf(hops);
    const passed = hops.filter(({ kind, depth }) => kind === 'routed' && depth === 0);
    return outcome({ ...ends, via: [...passed.map(({ address }) => address), ...ends.via] }, captured, by);
  });
}

function outcome(
  ends: Ends,
  captured: readonly Destination[],
  by: Decider | null,
): Omit<RouteOutcome, 'choices' | 'undecided'> {
  const { to, unknown, via } = ends;
  const all = captured.length > 0 && isDiscard(to) ? captured : [...to, ...captured];
  return { to: all.toSorted(), open: unknown, via, by };
}
