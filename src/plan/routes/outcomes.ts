import { capturesIn, type Destination, isDiscard, sameDestinations } from '../../model/destinations.ts';
import type { DomainName } from '../../model/names.ts';
import type { Decider } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { createReach, endsOf, follow, type Ends } from '../../routing/follow.ts';
import type { Mail, Route } from '../../routing/route.ts';
import { ANY_OTHER } from './known-addresses.ts';
import type { DomainSide, Side } from './sides.ts';
import type { RoutedItem } from './aliases.ts';
import type { RankedItem } from './tables.ts';

/** Mail whose way is asked for. */
export type RouteSubject = { readonly domain: DomainName } & (
  | {
      readonly kind: 'address';
      /** The whole address. */
      readonly address: string;
      /** `destination`: only destinations name it. */
      readonly knownBy: 'name' | 'destination';
    }
  /** To every address that nothing names. */
  | { readonly kind: 'others' }
  /** To the addresses that an alias, or a rule for aliases, takes by a pattern or a beginning such as `sales*`. */
  | { readonly kind: 'pattern'; readonly name: string }
  /** What a rule takes by a regular expression or an expression. */
  | { readonly kind: 'condition'; readonly match: RuleMatch; readonly rule: string }
);

/** Where mail ends. */
export interface RouteOutcome {
  readonly to: readonly Destination[];
  /** Addresses after which nothing is known. */
  readonly open: readonly string[];
  readonly via: readonly string[];
  readonly by: Decider | null;
}

/** Without sender, subject and body: what a rule takes for these is said by its condition. */
const MESSAGE = { from: '', subject: '', body: '' };

export function outcomeOf(subject: RouteSubject, side: Side): RouteOutcome {
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

/** True if nothing delivers the mail: it is refused, or accepted and dropped. */
export function isNowhere({ to, open }: RouteOutcome): boolean {
  return open.length === 0 && (to.length === 0 || isDiscard(to));
}

/** Returns a function that tells whether mail is delivered somewhere, as `isNowhere` does, in linear time for any number of mails. */
export function createDelivery(side: Side): (mail: Mail | RouteSubject) => boolean {
  const reaches = createReach<RoutedItem, RankedItem>(MESSAGE, (domain) => side(domain).routing);
  return (mail) => {
    if ('to' in mail) return isPlainMail(mail) ? reaches(mail.to) : !isNowhere(outcomeOfMail(mail, side));
    if (mail.kind === 'address') return reaches(mail.address);
    const taken = mail.kind === 'others' ? null : takenBy(mail, side(mail.domain));
    if (taken === null) return reaches(`${ANY_OTHER}@${mail.domain}`);
    return taken.forward.some((destination) => capturesIn(destination).length > 0 || reaches(destination));
  };
}

function isPlainMail({ from, subject, body }: Mail): boolean {
  return from === '' && subject === '' && body === '';
}

export function sameOutcome(a: RouteOutcome, b: RouteOutcome): boolean {
  return sameDestinations(a.to, b.to) && new Set(a.open).symmetricDifference(new Set(b.open)).size === 0;
}

function ofAddress(address: string, side: Side): RouteOutcome {
  return outcomeOfMail({ ...MESSAGE, to: address }, side);
}

/** Where one mail ends. */
export function outcomeOfMail({ to, ...message }: Mail, side: Side): RouteOutcome {
  const hops = follow<RoutedItem, RankedItem>([to], message, (domain) => side(domain).routing);
  const [first] = hops;
  const by = first?.kind === 'routed' ? deciderOf(first.route) : null;
  return outcome(endsOf(hops), [], by);
}

function deciderOf(route: Route<RoutedItem, RankedItem>): Decider | null {
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

/** By what a rule takes it. */
export function conditionOf(
  subject: Extract<RouteSubject, { readonly kind: 'pattern' | 'condition' }>,
): RuleMatch {
  return subject.kind === 'condition' ? subject.match : { type: 'alias', alias: subject.name };
}

/** A destination with a capture is another address for each mail: it is an end as it is written. */
function ofDestinations({ by, forward }: Taken, side: Side): RouteOutcome {
  const captured = forward.filter((destination) => capturesIn(destination).length > 0);
  const plain = forward.filter((destination) => capturesIn(destination).length === 0);
  const hops = follow<RoutedItem, RankedItem>(plain, MESSAGE, (domain) => side(domain).routing);
  const ends = endsOf(hops);
  const passed = hops.filter(({ kind, depth }) => kind === 'routed' && depth === 0);
  return outcome({ ...ends, via: [...passed.map(({ address }) => address), ...ends.via] }, captured, by);
}

function outcome(ends: Ends, captured: readonly Destination[], by: Decider | null): RouteOutcome {
  const { to, unknown, via } = ends;
  const all = captured.length > 0 && isDiscard(to) ? captured : [...to, ...captured];
  return { to: all.toSorted(), open: unknown, via, by };
}
