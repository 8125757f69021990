import { capturesIn, DISCARD } from '../../model/destinations.ts';
import { domainPartOf, type DomainName, nameKey } from '../../model/names.ts';
import type { Mail } from '../../routing/route.ts';
import { createDelivery, type SideDelivery } from '../routes/outcomes.ts';
import type { Side } from '../routes/sides.ts';

/** The account before or after the changes, with the delivery of its mail. */
export interface DeliveringSide extends SideDelivery {
  readonly side: Side;
}

export function withDelivery(side: Side): DeliveringSide {
  return { side, ...createDelivery(side) };
}

/** An entry that takes mail to an address. */
interface AddressTaker {
  /** The item's key within its domain; see `changedItem`. */
  readonly item: string;
  readonly forward: readonly string[];
}

export function takersAt(address: string, side: Side): readonly AddressTaker[] {
  const { routing } = side(domainPartOf(address));
  const routes = typeof routing === 'string' ? routing : routing(mailTo(address));
  if (typeof routes === 'string') return [];
  return routes.flatMap((route): readonly AddressTaker[] => {
    switch (route.kind) {
      case 'alias':
        return [{ item: `alias ${nameKey(route.alias.name)}`, forward: route.forward }];
      case 'rule':
        return [{ item: route.rule.key, forward: route.forward }];
      case 'fallback':
        return [{ item: 'fallback', forward: route.forward }];
      case 'refused':
        return [];
    }
  });
}

/** Returns the next addresses of mail to an address. */
export function nextOf(address: string, side: Side): readonly string[] {
  return addressesAmong(takersAt(address, side).flatMap(({ forward }) => [...forward]));
}

/** Leaves out webhooks, and destinations that differ for each mail. */
export function addressesAmong(destinations: readonly string[]): readonly string[] {
  return destinations.filter(isAddress);
}

function isAddress(destination: string): boolean {
  return destination.includes('@') && !destination.includes('://') && capturesIn(destination).length === 0;
}

/** True if mail is delivered to one of these destinations. */
export function isDelivered(forward: readonly string[], { delivers }: SideDelivery): boolean {
  return forward.some((to) => to !== DISCARD && (!isAddress(to) || delivers(mailTo(to))));
}

export function mailTo(to: string): Mail & { readonly domain: DomainName } {
  return { domain: domainPartOf(to) as DomainName, to, from: '', subject: '', body: '' };
}

/** The most addresses that are followed. Only captures can make more. */
const MOST_FOLLOWED = 1000;

/**
 * Returns the addresses, reachable from the given ones, at which mail is delivered on one side and not on the other.
 * It follows only such addresses.
 */
export function onlyWith(
  here: DeliveringSide,
  there: DeliveringSide,
  starts: readonly string[],
): readonly string[] {
  const isOnlyHere = (address: string): boolean => {
    const mail = mailTo(address);
    return here.delivers(mail) && !there.delivers(mail);
  };
  const found = reach(starts.filter(isOnlyHere), (address) => nextOf(address, here.side).filter(isOnlyHere));
  return [...found.keys()];
}

/**
 * Returns the addresses, reachable from the given ones, at which the other side leads mail back to its start, so that
 * it would go round.
 */
export function waysBack(
  starts: readonly string[],
  { there, back }: { readonly there: DeliveringSide; readonly back: DeliveringSide },
  isStart: (address: string) => boolean,
): readonly string[] {
  const ahead = reach(starts, (address) => nextOf(address, there.side));
  const behind = reach([...ahead.keys()], (address) => nextOf(address, back.side));
  const leading = new Set([...behind.keys()].filter(isStart));
  for (let size = -1; size !== leading.size;) {
    size = leading.size;
    for (const [address, next] of behind) if (next.some((to) => leading.has(to))) leading.add(address);
  }
  return [...leading].filter((address) => !isStart(address));
}

/** Returns all reachable addresses with their next ones. */
function reach(
  starts: readonly string[],
  next: (address: string) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const open = new Set(starts);
  // The set grows during the loop.
  for (const address of open) {
    const following = next(address);
    found.set(address, following);
    if (found.size === MOST_FOLLOWED) break;
    for (const to of following) open.add(to);
  }
  return found;
}
