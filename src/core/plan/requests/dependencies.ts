import { KINDS } from '../../kinds/registry.ts';
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
  return dependenciesOn(changes, forwardersLeaving(ending));
}

/** For each change that takes a route away in stage 2, the domains among `staying` that forward there. */
export function neededBy(
  changes: readonly Change[],
  staying: readonly ObservedDomain[],
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const forwarders = new Map<string, Forwarders>();
  for (const { domain, aliases = [], rules = [] } of staying) {
    for (const { forward } of [...aliases, ...rules]) {
      for (const destination of forward) noteForwarder(destination, domain, forwarders);
    }
  }
  return dependenciesOn(changes, forwarders);
}

function dependenciesOn(
  changes: readonly Change[],
  forwarders: ForwardersByHost,
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const dependencies = new Map<Change, ReadonlySet<DomainName>>();
  for (const change of changes) {
    const domains = takesAway(change) ? forwardersTo(change, forwarders) : NONE;
    if (domains.size > 0) dependencies.set(change, domains);
  }
  return dependencies;
}

/** The changes that have to wait for the rest of stage 2: what other domains forward to until their own stage 2. */
export function overtakingChanges(changes: readonly Change[]): ReadonlySet<Change> {
  const leaving = forwardersLeaving(changes.filter((change) => change.stage === 2));
  return new Set(changes.filter((change) => takesAway(change) && forwardersTo(change, leaving).size > 0));
}

/**
 * Returns by domain how many parts of stage 1 it waits for; those that wait for none are left out. Mail is led to another
 * domain only when the address was added there, or forwards where it is to. Domains that lead to each other in a circle do
 * not wait.
 */
export function waitsInStageOne(changes: readonly Change[]): ReadonlyMap<DomainName, number> {
  const leadsTo = domainsLedTo(changes.filter(({ stage }) => stage === 1));
  const waits = new Map<DomainName, number>();
  const waitOf = (domain: DomainName): number => {
    const known = waits.get(domain);
    if (known !== undefined) return known;
    waits.set(domain, 0);
    const others = [...(leadsTo.get(domain) ?? NONE)].map(waitOf);
    const wait = others.length === 0 ? 0 : 1 + Math.max(...others);
    waits.set(domain, wait);
    return wait;
  };
  for (const domain of leadsTo.keys()) waitOf(domain);
  return waits;
}

/** By domain, the other domains in which an address is added or changed that its mail is led to. */
function domainsLedTo(changes: readonly Change[]): ReadonlyMap<DomainName, ReadonlySet<DomainName>> {
  const leading = new Map<string, Forwarders>();
  for (const change of changes) {
    for (const destination of newDestinations(change)) noteForwarder(destination, change.domain, leading);
  }
  const leadsTo = new Map<DomainName, Set<DomainName>>();
  for (const change of changes.filter(routesInStageOne)) {
    for (const domain of forwardersTo(change, leading)) {
      leadsTo.set(domain, (leadsTo.get(domain) ?? new Set()).add(change.domain));
    }
  }
  return leadsTo;
}

/** Returns the one of these changes that adds or changes an address of another domain to which a change leads mail. */
export function findLedTo(
  change: Change,
  changesOf: (domain: string) => Iterable<Change>,
): Change | undefined {
  for (const destination of newDestinations(change)) {
    const leading = new Map<string, Forwarders>();
    noteForwarder(destination, change.domain, leading);
    for (const host of leading.keys()) {
      const added = Iterator.from(changesOf(host)).find(
        (other) => routesInStageOne(other) && forwardersTo(other, leading).size > 0,
      );
      if (added !== undefined) return added;
    }
  }
  return undefined;
}

/** Destinations that an alias or rule did not have before. */
function newDestinations(change: Change): readonly string[] {
  const { observed, desired } = change;
  if (desired === null || !('forward' in desired)) return [];
  const before = new Set(observed !== null && 'forward' in observed ? observed.forward : []);
  return desired.forward.filter((destination) => !before.has(destination));
}

function routesInStageOne({ kind, action, stage }: Change): boolean {
  return stage === 1 && action !== 'move' && KINDS[kind].routesMail;
}

/** Domains that forward to other domains, by the domain that they forward to. */
type ForwardersByHost = ReadonlyMap<string, Forwarders>;

/** The domains that forward to one domain: to any of its addresses, and by local part. */
interface Forwarders {
  readonly all: Set<DomainName>;
  /** `contact+label@` goes to `contact`. */
  readonly byName: Map<string, Set<DomainName>>;
}

/** Destinations at domains in which something is taken away, of routes that changes of other domains end or replace. */
function forwardersLeaving(changes: readonly Change[]): ForwardersByHost {
  const leaving = new Map<string, Forwarders>();
  for (const change of changes) {
    const { observed, domain } = change;
    if (observed === null || !('forward' in observed) || !mayEndRoute(change)) continue;
    for (const destination of observed.forward) noteForwarder(destination, domain, leaving);
  }
  return leaving;
}

function noteForwarder(destination: string, domain: DomainName, leaving: Map<string, Forwarders>): void {
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

function forwardersTo(change: Change, leaving: ForwardersByHost): ReadonlySet<DomainName> {
  const here = leaving.get(change.domain);
  if (here === undefined) return NONE;
  if (change.kind !== 'alias' || takesOthers(change.name)) return here.all;
  return here.byName.get(nameKey(change.name)) ?? NONE;
}

const NONE: ReadonlySet<DomainName> = new Set();
