import { domainPartOf } from '../model/names.ts';
import { DISCARD, type Destination } from '../model/destinations.ts';
import type { Mail, Route, RoutedAlias } from './route.ts';

/**
 * Routing of an address's domain. A function routes each message, and returns `unknown` where a route cannot be told.
 * `outside`: nothing here routes the domain, so the message is delivered to the address. `unknown`: the domain is routed
 * here, but its entries were not read.
 */
export type DomainRouting<A, R> = ((mail: Mail) => Route<A, R> | 'unknown') | 'outside' | 'unknown';

/** An address, a webhook or `null` that a message reaches, and its result there. */
export type Hop<A, R> = {
  readonly address: string;
  /** Number of hops before this one; 0 for the first. A hop follows the nearest earlier hop with `depth - 1`. */
  readonly depth: number;
} & (
  | {
      /** The hops of its destinations follow. If the route is `refused`, there are none. */
      readonly kind: 'routed';
      readonly route: Route<A, R>;
    }
  | {
      /**
       * `delivered`: to an address outside, or to a webhook. `discarded`: accepted and dropped. `loop`: back at an address
       * that the message has passed; it is never delivered. `reached`: another path came here before; the hops that follow
       * are listed there. `unknown`: the domain is routed here, but its entries were not read.
       */
      readonly kind: 'delivered' | 'discarded' | 'loop' | 'reached' | 'unknown';
    }
);

/** Places where a message ends. */
export interface Ends {
  /**
   * Addresses and webhooks that get the message, sorted. Only `null` if it is accepted and dropped. Empty if it is refused
   * or loops forever.
   */
  readonly to: readonly Destination[];
  /** Addresses on the way that are routed here, in the order of the hops, without the first one. */
  readonly via: readonly string[];
  /** Addresses with an unknown continuation. If there are any, `to` may be incomplete. */
  readonly unknown: readonly string[];
  /** Addresses at which the message returns to an earlier one. */
  readonly loops: readonly string[];
}

/**
 * Maximum number of addresses that captures or plus labels produce. Only these can be endless: for example, `(.+)` of one
 * domain forwards to `$1x` at another domain, which forwards back.
 */
const MOST_MADE = 1000;

/**
 * Follows a message hop by hop to its ends, depth first: after each hop come the hops of its destinations, in order. `to` is
 * the recipient, or the destinations of an entry that already matched; domains are lower-case ASCII. A forwarded message
 * keeps its sender, subject and body. Each address is followed once, so the time is linear in the hops and there is always
 * an end.
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
 * Returns a function that is true if mail to an address is delivered somewhere, or may be where the routing is unknown. It
 * caches results, so that each address is followed about once.
 */
export function createReach<A extends RoutedAlias, R>(
  message: Omit<Mail, 'to'>,
  routingOf: (domain: string) => DomainRouting<A, R>,
): (address: string) => boolean {
  const known = new Map<string, boolean>();
  /** Returns the next addresses, or null if the mail is delivered. */
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
    // The map grows during this loop.
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

/** A hop still to make. The next one is last in the list. */
interface Visit {
  readonly address: string;
  readonly depth: number;
  /** True if a capture or a label produced the address. */
  readonly isMade?: boolean;
  /** True if all hops after the address have been followed. */
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

/** Returns the places where a followed message ends. */
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
