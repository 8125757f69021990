import { destinationsOf } from '../model/destinations.ts';
import { looksLikeRegex, nameKey, type DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { ruleSteps } from './rule-parts.ts';

/**
 * For each change that takes a route away in stage 2, the other domains that forwarded there when the plan was made and
 * whose own changes are to end that. Where those changes fail or are withheld, the route has to stay.
 */
export function dependenciesOf(changes: readonly Change[]): ReadonlyMap<Change, ReadonlySet<DomainName>> {
  const leaving = leavingByDomain(changes);
  const dependencies = new Map<Change, ReadonlySet<DomainName>>();
  if (leaving.size === 0) return dependencies;
  for (const change of changes) {
    const found = takesAway(change) ? domainsLeaving(change, leaving) : [];
    if (found.length > 0) dependencies.set(change, new Set(found.map(({ domain }) => domain)));
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
  if (leaving.size === 0) return late;
  for (const change of changes) {
    if (takesAway(change) && domainsLeaving(change, leaving).length > 0) late.add(change);
  }
  return late;
}

/** A route that a change ends: a destination at the domain under which it is kept, by the change's own domain. */
interface Leaving {
  readonly domain: DomainName;
  readonly localPart: string;
}

/** Destinations at domains in which something is taken away, of routes that changes of other domains end or replace. */
function leavingByDomain(changes: readonly Change[]): ReadonlyMap<string, readonly Leaving[]> {
  const leaving = new Map<string, Leaving[]>();
  for (const change of changes) {
    if ((change.kind !== 'alias' && change.kind !== 'rule') || change.observed === null) continue;
    if (!mayEndRoute(change)) continue;
    for (const destination of destinationsOf(change.observed.forward)) {
      const at = destination.lastIndexOf('@');
      const host = destination.slice(at + 1);
      if (at < 0 || host === change.domain) continue;
      const known = leaving.get(host) ?? [];
      known.push({ domain: change.domain, localPart: nameKey(destination.slice(0, at)) });
      leaving.set(host, known);
    }
  }
  return leaving;
}

/** A move alone ends no route. */
function mayEndRoute(change: Change): boolean {
  return change.action === 'update' || change.action === 'delete';
}

/** Whether mail that the domain takes now is no longer taken after the change. */
function takesAway(change: Change): boolean {
  if (change.stage !== 2) return false;
  if (change.kind === 'rule') return ruleSteps(change).some(({ stage }) => stage === 2);
  return change.kind !== 'credential';
}

function domainsLeaving(
  change: Change,
  leaving: ReadonlyMap<string, readonly Leaving[]>,
): readonly Leaving[] {
  const there = leaving.get(change.domain) ?? [];
  if (change.kind !== 'alias' || change.name === '*' || looksLikeRegex(change.name)) return there;
  const name = nameKey(change.name);
  // `contact+label@` goes to `contact`.
  return there.filter(({ localPart }) => localPart === name || localPart.startsWith(`${name}+`));
}
