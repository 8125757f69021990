import { domainPartOf } from '../model/names.ts';
import { DISCARD, type Destination } from '../model/destinations.ts';
import type { Mail, Route, RoutedAlias } from './route.ts';

/**
 * What the domain of an address does with a message: a function where that is known, for all messages or some; `outside`:
 * nothing here routes it, so the message is delivered to the address; `unknown`: it is routed here, but what decides was not
 * read.
 */
export type DomainRouting<A, R> = ((mail: Mail) => Route<A, R> | 'unknown') | 'outside' | 'unknown';

/** An address, a webhook or `null` that a message reaches, and what happens to it there. */
export type Hop<A, R> = {
  readonly address: string;
  /** How many hops lead to it: 0 for the first. It follows the nearest earlier hop of `depth - 1`. */
  readonly depth: number;
} & (
  | {
      /** The hops of its destinations follow; there are none where the route is `refused`. */
      readonly kind: 'routed';
      readonly route: Route<A, R>;
    }
  | {
      /**
       * `delivered`: to an address outside, or to a webhook. `discarded`: accepted and dropped. `loop`: it comes back to an
       * address that it has passed, and is never delivered. `reached`: it was there before by another way; what follows stands
       * there. `unknown`: its domain is routed here, but what decides was not read.
       */
      readonly kind: 'delivered' | 'discarded' | 'loop' | 'reached' | 'unknown';
    }
);

/** Where a message ends. */
export interface Ends {
  /**
   * Addresses and webhooks to which it is delivered, sorted; `null` alone where it is accepted and dropped; none where it is
   * refused, or goes round for ever.
   */
  readonly to: readonly Destination[];
  /** The addresses on the way that are routed here, in the order of the hops, without the one it was sent to. */
  readonly via: readonly string[];
  /** Addresses after which nothing is known; where there are any, `to` is only what is known. */
  readonly unknown: readonly string[];
  /** Addresses at which it comes back to where it has been. */
  readonly loops: readonly string[];
}

/**
 * Addresses that are written nowhere, but made by the captures of patterns or by plus labels. Only of these can there be new
 * ones for ever, as where `(.+)` of one domain forwards to `$1x` at another, and that one back.
 */
const MOST_MADE = 1000;

/**
 * Follows a message hop by hop to its end, depth first: after each hop come the hops of its destinations, in their order.
 * `to` is the address it is sent to, or the destinations of what matched it already; domains in lower-case ASCII. A forwarded
 * message keeps its sender, subject and body. Each address is followed once: the time is linear in the hops, and there is
 * always an end.
 */
export function follow<A extends RoutedAlias, R>(
  to: readonly string[],
  message: Omit<Mail, 'to'>,
  routingOf: (domain: string) => DomainRouting<A, R>,
): readonly Hop<A, R>[] {
  const hops: Hop<A, R>[] = [];
  const passed = new Map<string, 'on-the-way' | 'left'>();
  const open: Visit[] = to.map((address) => ({ address, depth: 0 })).reverse();
  let made = 0;
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { address, depth, isMade = false } = visit;
    if (visit.isLeft === true) {
      passed.set(address, 'left');
      continue;
    }
    if (isMade) made += 1;
    const before = isMade && made > MOST_MADE ? 'on-the-way' : passed.get(address);
    const hop = { address, depth, ...stepTo(address, message, before, routingOf) };
    hops.push(hop);
    if (hop.kind !== 'routed') continue;
    passed.set(address, 'on-the-way');
    open.push({ address, depth, isLeft: true }, ...visitsAfter(hop.route, depth + 1));
  }
  return hops;
}

/**
 * Returns a function that tells whether mail to an address is delivered somewhere, or may be where that is not known. It keeps
 * what it found: however many addresses are asked for, each is followed about once.
 */
export function createReach<A extends RoutedAlias, R>(
  message: Omit<Mail, 'to'>,
  routingOf: (domain: string) => DomainRouting<A, R>,
): (address: string) => boolean {
  const known = new Map<string, boolean>();
  /** The addresses that come next; null where the mail is delivered. */
  const nextOf = (address: string): readonly Visit[] | null => {
    const before = known.get(address);
    if (before !== undefined) return before ? null : [];
    const step = stepTo(address, message, undefined, routingOf);
    if (step.kind === 'delivered' || step.kind === 'unknown') return null;
    return step.kind === 'routed' ? visitsAfter(step.route, 0) : [];
  };
  return (start) => {
    const cameFrom = new Map<string, string | null>([[start, null]]);
    let made = 0;
    // Grows while it is gone through.
    for (const address of cameFrom.keys()) {
      const next = nextOf(address);
      if (next === null) {
        for (let on: string | null = address; on !== null; on = cameFrom.get(on) ?? null) known.set(on, true);
        return true;
      }
      for (const visit of next) {
        made += Number(visit.isMade === true);
        if (made <= MOST_MADE && !cameFrom.has(visit.address)) cameFrom.set(visit.address, address);
      }
    }
    for (const address of cameFrom.keys()) known.set(address, false);
    return false;
  };
}

/** What is left to do, the next last. */
interface Visit {
  readonly address: string;
  readonly depth: number;
  /** A capture or a label made the address. */
  readonly isMade?: boolean;
  /** All that follows the address was followed. */
  readonly isLeft?: true;
}

type Step<A, R> = DistributiveOmit<Hop<A, R>, 'address' | 'depth'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function stepTo<A extends RoutedAlias, R>(
  address: string,
  message: Omit<Mail, 'to'>,
  before: 'on-the-way' | 'left' | undefined,
  routingOf: (domain: string) => DomainRouting<A, R>,
): Step<A, R> {
  if (address === DISCARD) return { kind: 'discarded' };
  if (address.includes('://')) return { kind: 'delivered' };
  if (before !== undefined) return { kind: before === 'left' ? 'reached' : 'loop' };
  const routing = routingOf(domainPartOf(address));
  if (routing === 'outside') return { kind: 'delivered' };
  if (routing === 'unknown') return { kind: 'unknown' };
  const route = routing({ ...message, to: address });
  return route === 'unknown' ? { kind: 'unknown' } : { kind: 'routed', route };
}

function visitsAfter<A extends RoutedAlias, R>(route: Route<A, R>, depth: number): Visit[] {
  if (route.kind === 'refused') return [];
  const written = route.kind === 'alias' ? new Set<string>(route.alias.forward) : null;
  const visits = route.forward.map((address) => {
    return { address, depth, isMade: written?.has(address) === false };
  });
  return visits.reverse();
}

/** Where a message ends that was followed. */
export function endsOf<A, R>(hops: readonly Hop<A, R>[]): Ends {
  const addressesOf = (wanted: (hop: Hop<A, R>) => boolean): readonly string[] => [
    ...new Set(hops.filter(wanted).map(({ address }) => address)),
  ];
  const delivered = addressesOf(({ kind }) => kind === 'delivered').toSorted() as Destination[];
  const isDiscarded = delivered.length === 0 && hops.some(({ kind }) => kind === 'discarded');
  return {
    to: isDiscarded ? [DISCARD] : delivered,
    via: addressesOf(({ kind, depth }) => kind === 'routed' && depth > 0),
    unknown: addressesOf(({ kind }) => kind === 'unknown'),
    loops: addressesOf(({ kind }) => kind === 'loop'),
  };
}
