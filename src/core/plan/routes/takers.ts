import type { Destination } from '../../model/destinations.ts';
import { domainPartOf } from '../../model/names.ts';
import type { Account, ObservedDomain } from '../../model/observed.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { fallbackOf } from './tables.ts';

/** An entry that takes mail or may take it: an alias, an active rule or the fallback, live or as a change makes it. */
export type MailTaker =
  | { readonly kind: 'alias'; readonly name: string }
  | { readonly kind: 'rule'; readonly name: string; readonly match: RuleMatch }
  | { readonly kind: 'fallback' };
export type RouteTaker = MailTaker & { readonly forward: readonly Destination[] };

/** Yields the live entries that take a domain's mail. */
export function* liveTakers(live: ObservedDomain, account: Account): Generator<RouteTaker> {
  for (const { name, forward } of live.aliases ?? []) yield { kind: 'alias', name, forward };
  yield* liveTakersBesideAliases(live, account);
}

/** Yields the active rules of a domain, and its fallback if rules route its mail or may do so. */
export function* liveTakersBesideAliases(
  live: ObservedDomain | undefined,
  { email }: Account,
): Generator<RouteTaker> {
  for (const { id, match, forward, active } of live?.rules ?? []) {
    if (active) yield { kind: 'rule', name: id, match, forward };
  }
  if (live?.routingEngine !== 'alias') yield { kind: 'fallback', forward: [fallbackOf(live, email)] };
}

/** Cached per read of a domain, because the guards check all domains again before each stage 2. */
const hosts = new WeakMap<ObservedDomain, ReadonlySet<string>>();

/** Returns the domains of all destinations in a domain. */
export function forwardsTo(live: ObservedDomain, account: Account): ReadonlySet<string> {
  const known = hosts.get(live);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const { forward } of liveTakers(live, account)) {
    for (const destination of forward) if (!destination.includes('://')) found.add(domainPartOf(destination));
  }
  hosts.set(live, found);
  return found;
}
