import { destinationsOf } from '../../model/destinations.ts';
import { escapeInvisible, nameKey } from '../../model/names.ts';
import type { AliasChange, Change, GuardFinding, RuleChange } from '../../model/plan.ts';
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
  return input.domains.flatMap((plan) => {
    const loops = plan.changes
      .filter((change) => change.kind === 'alias' || change.kind === 'rule')
      .map((change) => findLoop(change, managed, routers))
      .filter((loop) => loop !== null);
    const [first] = loops;
    return first === undefined ? [] : [finding(plan.domain, loops.length, first)];
  });
}

/** A destination on the way, and how it was reached. */
interface Stop {
  readonly address: string;
  readonly way: readonly string[];
}

/** The addresses by which mail comes back to the item that is changed; null when it does not. */
function findLoop(
  change: AliasChange | RuleChange,
  managed: ReadonlySet<string>,
  routers: Routers,
): readonly string[] | null {
  if (change.desired === null || !mayReach(change, managed)) return null;
  const start = keyOf(change);
  const seen = new Set<string>();
  const open: Stop[] = stopsOf(change.desired.forward, []);
  for (let stop = open.shift(); stop !== undefined; stop = open.shift()) {
    const taker = takerOf(stop.address, routers);
    if (taker === null) continue;
    if (taker.key === start) return stop.way;
    if (seen.has(taker.key)) continue;
    seen.add(taker.key);
    open.push(...stopsOf(taker.forward, stop.way));
  }
  return null;
}

/** A quick look before anything is parsed: nearly all destinations are elsewhere. */
function mayReach({ desired }: Change, managed: ReadonlySet<string>): boolean {
  if (desired === null || !('forward' in desired)) return false;
  const { forward } = desired;
  if (forward.includes(',') || forward.includes('://')) return true;
  return managed.has(forward.slice(forward.lastIndexOf('@') + 1));
}

function stopsOf(forward: string, way: readonly string[]): Stop[] {
  return destinationsOf(forward)
    .filter((destination) => destination.includes('@') && !destination.includes('://'))
    .map((address) => ({ address, way: [...way, address] }));
}

/** What will take mail to an address; null when that is not known, or nothing. */
function takerOf(
  address: string,
  routers: Routers,
): { readonly key: string; readonly forward: string } | null {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const route = routers(domain)?.route({ to: address, from: '', subject: '', body: '' });
  if (route === undefined || route.kind === 'refused') return null;
  if (route.kind === 'fallback') return { key: `${domain} fallback`, forward: route.forward };
  const item = route.kind === 'alias' ? route.alias : route.rule;
  return { key: `${domain} ${item.key}`, forward: route.forward };
}

function keyOf(change: AliasChange | RuleChange): string {
  const key = change.kind === 'alias' ? `alias ${nameKey(change.name)}` : `rule ${change.id ?? ''}`;
  return `${change.domain} ${key}`;
}

function finding(domain: Change['domain'], planned: number, way: readonly string[]): GuardFinding {
  const shown = way.map(escapeInvisible).join(' -> ');
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
