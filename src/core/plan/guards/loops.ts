import type { Destination } from '../../model/destinations.ts';
import { type DomainName, domainPartOf, escapeInvisible, nameKey } from '../../model/names.ts';
import type { Change, GuardFinding } from '../../model/plan.ts';
import { nodesOnCycles, type Graph } from '../../routing/cycles.ts';
import type { GuardInput } from './input.ts';
import { finalRouters, READINGS_OF_ALL } from '../routes/tables.ts';

type Routers = ReturnType<typeof finalRouters>;

/** An item that takes mail, and its destinations. */
interface Taker {
  readonly key: string;
  readonly forward: readonly Destination[];
}

/**
 * Finds destinations that lead back to their own item. It follows only changes, because a new loop passes through at
 * least one of them. If the service's reading of a domain is unknown, a loop in any reading counts.
 */
export function guardLoops(input: GuardInput): readonly GuardFinding[] {
  const managed = new Set<string>(input.domains.map(({ domain }) => domain));
  const starts = input.domains.map(({ domain, changes }) => ({
    domain,
    takers: changes.flatMap((change) => startOf(change, managed)),
  }));
  const found = READINGS_OF_ALL.map((reading) => loopsIn(starts, finalRouters(input, reading)));
  return starts.flatMap(({ domain }) => {
    const first = found.find((loops) => loops.has(domain))?.get(domain);
    return first === undefined ? [] : [first];
  });
}

type Starts = readonly { readonly domain: DomainName; readonly takers: readonly Taker[] }[];

function loopsIn(starts: Starts, routers: Routers): ReadonlyMap<DomainName, GuardFinding> {
  const graph = followAll(
    starts.flatMap(({ takers }) => takers),
    routers,
  );
  const looping = nodesOnCycles(graph);
  const found = new Map<DomainName, GuardFinding>();
  for (const { domain, takers } of starts) {
    const loops = takers.filter(({ key }) => looping.has(key));
    const way = firstOf(loops, (start) => findLoop(start, routers));
    if (way !== null) found.set(domain, finding(domain, loops.length, way));
  }
  return found;
}

/**
 * Returns an item as a change leaves it; empty if the change deletes it or its destinations cannot lead to a managed
 * domain.
 */
function startOf(change: Change, managed: ReadonlySet<string>): readonly Taker[] {
  if ((change.kind !== 'alias' && change.kind !== 'rule') || change.desired === null) return [];
  const { forward } = change.desired;
  // Stryker disable next-line ConditionalExpression: other destinations lead nowhere; checking them only takes time.
  if (!mayReach(forward, managed)) return [];
  const key = change.kind === 'alias' ? `alias ${nameKey(change.name)}` : `rule ${change.id}`;
  return [{ key: `${change.domain} ${key}`, forward }];
}

/** True if a destination may lead to a managed domain. Nearly all do not. */
function mayReach(forward: readonly Destination[], managed: ReadonlySet<string>): boolean {
  return forward.some((destination) => managed.has(domainPartOf(destination)));
}

function firstOf<T, Found>(items: readonly T[], find: (item: T) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the items that take each item's forwarded mail, for everything reachable from the changes. */
function followAll(starts: readonly Taker[], routers: Routers): Graph<string> {
  const graph = new Map<string, Set<string>>();
  const reached = new Map<string, Taker>();
  const follow = ({ key, forward }: Taker): void => {
    const following = graph.get(key) ?? new Set();
    graph.set(key, following);
    for (const { address } of stopsOf(forward, null)) {
      for (const taker of takersOf(address, routers)) {
        following.add(taker.key);
        reached.set(taker.key, taker);
      }
    }
  };
  for (const start of starts) follow(start);
  // The map grows during the loop.
  for (const taker of reached.values()) follow(taker);
  return graph;
}

/** A destination on the way, and the one before it. */
interface Stop {
  readonly address: string;
  readonly from: Stop | null;
}

/** Returns the addresses on a way back to the changed item; null if there is none. */
function findLoop(start: Taker, routers: Routers): readonly string[] | null {
  const seen = new Set<string>();
  const open = stopsOf(start.forward, null);
  // The list grows during the loop. The nearest stops come first.
  for (const stop of open) {
    const takers = takersOf(stop.address, routers);
    if (takers.some(({ key }) => key === start.key)) return wayTo(stop);
    for (const { key, forward } of takers) {
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(...stopsOf(forward, stop));
    }
  }
  return null;
}

function wayTo(last: Stop): readonly string[] {
  const way: string[] = [];
  for (let stop: Stop | null = last; stop !== null; stop = stop.from) way.push(stop.address);
  return way.reverse();
}

function stopsOf(forward: readonly Destination[], from: Stop | null): Stop[] {
  return forward
    .toSorted()
    .filter((destination) => !destination.includes('://'))
    .map((address) => ({ address, from }));
}

/** Returns the items that may take mail to an address; empty if it is unknown or nothing does. */
function takersOf(address: string, routers: Routers): readonly Taker[] {
  const domain = domainPartOf(address);
  const routes = routers(domain)?.routes({ to: address, from: '', subject: '', body: '' }) ?? [];
  return routes.flatMap((route): readonly Taker[] => {
    if (route.kind === 'refused') return [];
    if (route.kind === 'fallback') return [{ key: `${domain} fallback`, forward: route.forward }];
    const key = route.kind === 'alias' ? `alias ${nameKey(route.alias.name)}` : route.rule.key;
    return [{ key: `${domain} ${key}`, forward: route.forward }];
  });
}

function finding(domain: Change['domain'], planned: number, way: readonly string[]): GuardFinding {
  const shortened = way.length > 8 ? [...way.slice(0, 6), '…', ...way.slice(-1)] : way;
  const shown = shortened.map(escapeInvisible).join(' -> ');
  return {
    guard: 'loop',
    scope: domain,
    limit: 0,
    planned,
    message: `mail to ${domain} would return to an address that forwarded it: it is forwarded to ${shown}`,
    allowance: null,
    allow: null,
    allowed: false,
    holds: { kind: 'domain', domain },
    refuses: true,
  };
}
