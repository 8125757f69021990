import { KINDS } from '../../model/kinds.ts';
import { type DomainName, domainPartOf, localPartOf, nameKey, takesOthers } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';

/**
 * For each change that takes a route away in stage 2, the other domains that forwarded there when the plan was made and
 * whose own changes, `ending`, are to end that. Where those changes fail or are withheld, the route has to stay.
 */
export function dependenciesOf(
  changes: readonly Change[],
  ending: readonly Change[] = changes,
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  return dependenciesOn(changes, leavingByDomain(ending));
}

/** For each change that takes a route away in stage 2, the domains among `staying` that forward there. */
export function neededBy(
  changes: readonly Change[],
  staying: readonly ObservedDomain[],
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const leaving = new Map<string, LeavingHere>();
  for (const { domain, aliases = [], rules = [] } of staying) {
    for (const { forward } of [...aliases, ...rules]) {
      for (const destination of forward) noteLeaving(destination, domain, leaving);
    }
  }
  return dependenciesOn(changes, leaving);
}

function dependenciesOn(
  changes: readonly Change[],
  leaving: LeavingByDomain,
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const dependencies = new Map<Change, ReadonlySet<DomainName>>();
  for (const change of changes) {
    const domains = takesAway(change) ? domainsLeaving(change, leaving) : NONE;
    if (domains.size > 0) dependencies.set(change, domains);
  }
  return dependencies;
}

/**
 * The changes of stage 2 that have to wait for the rest of it: deletes of domains, and what other domains forward to
 * until their own stage 2.
 */
export function overtakingChanges(changes: readonly Change[]): ReadonlySet<Change> {
  const late = new Set<Change>(changes.filter((change) => change.kind === 'domain' && change.stage === 2));
  const leaving = leavingByDomain(changes.filter((change) => change.stage === 2));
  for (const change of changes) {
    if (takesAway(change) && domainsLeaving(change, leaving).size > 0) late.add(change);
  }
  return late;
}

/** Routes that changes end, by the domain of a destination under which each is kept. */
type LeavingByDomain = ReadonlyMap<string, LeavingHere>;

/** The domains of the changes that end routes to one domain: to any of its addresses, and by local part. */
interface LeavingHere {
  readonly all: Set<DomainName>;
  /** `contact+label@` goes to `contact`. */
  readonly byName: Map<string, Set<DomainName>>;
}

/** Destinations at domains in which something is taken away, of routes that changes of other domains end or replace. */
function leavingByDomain(changes: readonly Change[]): LeavingByDomain {
  const leaving = new Map<string, LeavingHere>();
  for (const change of changes) {
    if ((change.kind !== 'alias' && change.kind !== 'rule') || change.observed === null) continue;
    if (!mayEndRoute(change)) continue;
    for (const destination of change.observed.forward) {
      noteLeaving(destination, change.domain, leaving);
    }
  }
  return leaving;
}

function noteLeaving(destination: string, domain: DomainName, leaving: Map<string, LeavingHere>): void {
  const host = domainPartOf(destination);
  if (host === destination || host === domain) return;
  const here = leaving.get(host) ?? { all: new Set(), byName: new Map() };
  leaving.set(host, here);
  here.all.add(domain);
  const name = nameKey(localPartOf(destination)).replace(/\+.*/, '');
  here.byName.set(name, (here.byName.get(name) ?? new Set()).add(domain));
}

/** A move alone ends no route. */
function mayEndRoute(change: Change): boolean {
  return change.action === 'update' || change.action === 'delete';
}

/** Whether mail that the domain takes now is no longer taken after the change. */
function takesAway({ kind, stage }: Change): boolean {
  return stage === 2 && KINDS[kind].routesMail;
}

function domainsLeaving(change: Change, leaving: LeavingByDomain): ReadonlySet<DomainName> {
  const here = leaving.get(change.domain);
  if (here === undefined) return NONE;
  if (change.kind !== 'alias' || takesOthers(change.name)) return here.all;
  return here.byName.get(nameKey(change.name)) ?? NONE;
}

const NONE: ReadonlySet<DomainName> = new Set();
