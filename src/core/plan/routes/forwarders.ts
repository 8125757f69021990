import type { Destination } from '../../model/destinations.ts';
import { domainPartOf, nameKey, type DomainName } from '../../model/names.ts';
import type { Account, Observed, ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import { forwardsTo, liveTakers, mailTakenBy, type RouteTaker } from './candidates.ts';
import type { RouteSubject } from './outcomes.ts';

/** A live alias, rule or fallback that forwards to a domain of the account. */
export interface Forwarder {
  /** The mail that the forwarder takes. */
  readonly subject: RouteSubject;
  /** `DOMAIN alias NAME` or `DOMAIN rule ID`; see `changedItem`. null for a fallback. */
  readonly item: string | null;
  readonly forward: readonly Destination[];
}

/**
 * Returns the domains of the account whose mail may pass through one of the given domains, and these domains. It
 * covers all domains that were read, managed or not.
 */
export function domainsLeadingTo(
  domains: ReadonlySet<DomainName>,
  { account, domains: live }: Pick<Observed, 'account' | 'domains'>,
): ReadonlySet<DomainName> {
  const found = new Set(domains);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const domain of live.values()) {
      if (!found.has(domain.domain) && !forwardsTo(domain, account).isDisjointFrom(found))
        found.add(domain.domain);
    }
  }
  return found;
}

/** Returns all forwarders in these domains that forward to one of them. */
export function forwardersAmong(
  domains: ReadonlySet<DomainName>,
  { account, domains: live }: Pick<Observed, 'account' | 'domains'>,
): readonly Forwarder[] {
  return [...domains].flatMap((name) => {
    const domain = live.get(name);
    if (domain === undefined || forwardsTo(domain, account).isDisjointFrom(domains)) return [];
    return forwardersIn(domain, account).filter(({ forward }) =>
      forward.some((destination) => domains.has(domainPartOf(destination) as DomainName)),
    );
  });
}

/** Returns all takers of a domain's mail with their destinations. */
export function forwardersIn(live: ObservedDomain, account: Account): readonly Forwarder[] {
  const { domain } = live;
  return Array.from(liveTakers(live, account), (taker) => ({
    subject: mailTakenBy(taker, domain),
    item: itemOf(taker, domain),
    forward: taker.forward,
  }));
}

function itemOf(taker: RouteTaker, domain: DomainName): string | null {
  if (taker.kind === 'fallback') return null;
  return `${domain} ${taker.kind} ${taker.kind === 'alias' ? nameKey(taker.name) : taker.name}`;
}

/** Returns the `item` of the forwarder that a change concerns. */
export function changedItem({ kind, domain, name, id }: Change): string {
  return `${domain} ${kind} ${kind === 'alias' ? nameKey(name) : id}`;
}
