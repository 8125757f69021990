import { KINDS } from '../../kinds/registry.ts';
import { type DomainName, domainPartOf, localPartOf, nameKey, takesOthers } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';

/**
 * Returns, for each change that removes a route in stage 2, the other domains that forwarded there when the plan was
 * made and whose own changes, `ending`, will end that. If these changes fail or are withheld, the route must stay.
 */
export function dependenciesOf(
  changes: readonly Change[],
  ending: readonly Change[] = changes,
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  return dependenciesOn(changes, forwardersLeaving(ending));
}

/** Returns, for each change that removes a route in stage 2, the domains among `staying` that forward there. */
export function neededBy(
  changes: readonly Change[],
  staying: readonly ObservedDomain[],
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const forwarders = new Map<string, Forwarders<ObservedDomain>>();
  for (const live of staying) {
    for (const { forward } of [...(live.aliases ?? []), ...(live.rules ?? [])]) {
      for (const destination of forward) noteForwarder(destination, live, forwarders);
    }
  }
  return dependenciesOn(changes, forwarders);
}

function dependenciesOn(
  changes: readonly Change[],
  forwarders: ForwardersByHost<InDomain>,
): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const dependencies = new Map<Change, ReadonlySet<DomainName>>();
  for (const change of changes) {
    const found = takesAway(change) ? forwardersTo(change, forwarders) : NONE;
    if (found.size > 0) dependencies.set(change, new Set(found.values().map(({ domain }) => domain)));
  }
  return dependencies;
}

/**
 * Returns the changes that must wait for the rest of stage 2, because other domains forward there until their own
 * stage 2.
 */
export function overtakingChanges(changes: readonly Change[]): ReadonlySet<Change> {
  const leaving = forwardersLeaving(changes.filter((change) => change.stage === 2));
  return new Set(changes.filter((change) => takesAway(change) && forwardersTo(change, leaving).size > 0));
}

interface InDomain {
  readonly domain: DomainName;
}

/** Forwarders to other domains, by destination domain. */
type ForwardersByHost<Forwarder> = ReadonlyMap<string, Forwarders<Forwarder>>;

/** Forwarders to one domain: all of them, and by local part. */
interface Forwarders<Forwarder> {
  readonly all: Set<Forwarder>;
  /** Forwarders by local part; `contact+label@` goes to `contact`. */
  readonly byName: Map<string, Set<Forwarder>>;
}

/** Returns the forwards to other domains that changes end or replace. */
function forwardersLeaving(changes: readonly Change[]): ForwardersByHost<Change> {
  const leaving = new Map<string, Forwarders<Change>>();
  for (const change of changes) {
    const { observed } = change;
    if (observed === null || !('forward' in observed) || !mayEndRoute(change)) continue;
    for (const destination of observed.forward) noteForwarder(destination, change, leaving);
  }
  return leaving;
}

function noteForwarder<Forwarder extends InDomain>(
  destination: string,
  forwarder: Forwarder,
  found: Map<string, Forwarders<Forwarder>>,
): void {
  const host = domainPartOf(destination);
  if (host === destination || host === forwarder.domain) return;
  const here = found.get(host) ?? { all: new Set(), byName: new Map() };
  found.set(host, here);
  here.all.add(forwarder);
  const name = nameKey(localPartOf(destination)).replace(/\+.*/, '');
  here.byName.set(name, (here.byName.get(name) ?? new Set()).add(forwarder));
}

/** True if a change may end a route. A move alone does not. */
function mayEndRoute(change: Change): boolean {
  return change.action === 'update' || change.action === 'delete';
}

/** True if the domain may no longer take some mail after the change. */
function takesAway({ kind, stage }: Change): boolean {
  return stage === 2 && KINDS[kind].routesMail;
}

function forwardersTo<Forwarder>(
  change: Change,
  forwarders: ForwardersByHost<Forwarder>,
): ReadonlySet<Forwarder> {
  const here = forwarders.get(change.domain);
  if (here === undefined) return NONE;
  if (change.kind !== 'alias' || takesOthers(change.name)) return here.all;
  return here.byName.get(nameKey(change.name)) ?? NONE;
}

const NONE: ReadonlySet<never> = new Set();
