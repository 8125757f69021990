import { destinationsOf } from '../../model/destinations.ts';
import { escapeInvisible, nameKey } from '../../model/names.ts';
import type { AliasChange, Change, GuardFinding, RuleChange } from '../../model/plan.ts';
import type { DomainPlan } from '../domain.ts';
import { nodesOnCycles } from './cycles.ts';
import type { GuardInput } from './guards.ts';
import { finalRouters } from './tables.ts';

type Routers = ReturnType<typeof finalRouters>;

/**
 * Destinations that lead back to where they stand, through what is live. Only what the plan changes is followed: a loop
 * that the plan makes passes through one of its changes.
 */
export function guardLoops(input: GuardInput): readonly GuardFinding[] {
  const managed = new Set<string>(input.domains.map(({ domain }) => domain));
  const routers = finalRouters(input);
  const changesOf = ({ changes }: DomainPlan): readonly RoutingChange[] =>
    changes.filter((change) => isRouting(change)).filter((change) => mayReach(change, managed));
  const looping = nodesOnCycles(followAll(input.domains.flatMap(changesOf), routers));
  return input.domains.flatMap((plan) => {
    const loops = changesOf(plan).filter((change) => looping.has(keyOf(change)));
    const way = firstOf(loops, (change) => findLoop(change, routers));
    return way === null ? [] : [finding(plan.domain, loops.length, way)];
  });
}

type RoutingChange = AliasChange | RuleChange;

function isRouting(change: Change): change is RoutingChange {
  return change.kind === 'alias' || change.kind === 'rule';
}

function firstOf<T, Found>(items: readonly T[], find: (item: T) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Which items take the mail that each item forwards, for all that can be reached from the changes. */
function followAll(
  changes: readonly RoutingChange[],
  routers: Routers,
): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, readonly string[]>();
  const reached: Taker[] = [];
  const follow = (key: string, forward: string): void => {
    const takers = stopsOf(forward, null).flatMap(({ address }) => takerOf(address, routers) ?? []);
    graph.set(key, [...(graph.get(key) ?? []), ...takers.map((taker) => taker.key)]);
    reached.push(...takers);
  };
  for (const change of changes) follow(keyOf(change), change.desired?.forward ?? '');
  const seen = new Set<string>();
  for (let taker = reached.pop(); taker !== undefined; taker = reached.pop()) {
    if (seen.has(taker.key)) continue;
    seen.add(taker.key);
    follow(taker.key, taker.forward);
  }
  return graph;
}

/** A destination on the way, and what led to it. */
interface Stop {
  readonly address: string;
  readonly from: Stop | null;
}

/** The addresses by which mail comes back to the item that is changed; null when it does not. */
function findLoop(change: RoutingChange, routers: Routers): readonly string[] | null {
  const start = keyOf(change);
  const seen = new Set<string>();
  const open = stopsOf(change.desired?.forward ?? '', null);
  // Grows while it is gone through: the nearest stops first.
  for (const stop of open) {
    const taker = takerOf(stop.address, routers);
    if (taker === null) continue;
    if (taker.key === start) return wayTo(stop);
    if (seen.has(taker.key)) continue;
    seen.add(taker.key);
    open.push(...stopsOf(taker.forward, stop));
  }
  return null;
}

function wayTo(last: Stop): readonly string[] {
  const way: string[] = [];
  for (let stop: Stop | null = last; stop !== null; stop = stop.from) way.push(stop.address);
  return way.reverse();
}

/** A quick look before anything is parsed: nearly all destinations are elsewhere. */
function mayReach({ desired }: Change, managed: ReadonlySet<string>): boolean {
  if (desired === null || !('forward' in desired)) return false;
  const { forward } = desired;
  if (forward.includes(',') || forward.includes('://')) return true;
  return managed.has(forward.slice(forward.lastIndexOf('@') + 1));
}

function stopsOf(forward: string, from: Stop | null): Stop[] {
  return destinationsOf(forward)
    .filter((destination) => destination.includes('@') && !destination.includes('://'))
    .map((address) => ({ address, from }));
}

interface Taker {
  readonly key: string;
  readonly forward: string;
}

/** What will take mail to an address; null when that is not known, or nothing. */
function takerOf(address: string, routers: Routers): Taker | null {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const route = routers(domain)?.route({ to: address, from: '', subject: '', body: '' });
  if (route === undefined || route.kind === 'refused') return null;
  if (route.kind === 'fallback') return { key: `${domain} fallback`, forward: route.forward };
  const item = route.kind === 'alias' ? route.alias : route.rule;
  return { key: `${domain} ${item.key}`, forward: route.forward };
}

function keyOf(change: RoutingChange): string {
  const key = change.kind === 'alias' ? `alias ${nameKey(change.name)}` : `rule ${change.id ?? ''}`;
  return `${change.domain} ${key}`;
}

function finding(domain: Change['domain'], planned: number, way: readonly string[]): GuardFinding {
  const shortened = way.length > 8 ? [...way.slice(0, 6), '…', ...way.slice(-1)] : way;
  const shown = shortened.map(escapeInvisible).join(' -> ');
  return {
    guard: 'loop',
    scope: domain,
    limit: 0,
    planned,
    message: `mail to ${domain} would come back to where it was: it goes on to ${shown}`,
    allowance: null,
    allow: null,
    allowed: false,
    holds: { kind: 'domain', domain },
    refuses: true,
  };
}
