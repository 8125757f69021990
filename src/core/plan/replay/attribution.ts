import { domainPartOf, localPartOf, nameKey } from '../../model/names.ts';
import type { Decider, PlannedRoute } from '../../model/plan.ts';
import { conditionOf, outcomesOf, type RouteSubject } from '../routes/outcomes.ts';
import { conditionKey, type Side, type Sides } from '../routes/sides.ts';

/** The entries that take a message before the plan and after it. */
interface Takers {
  readonly before: Decider | null;
  readonly after: Decider | null;
}

/** Returns the position of the route that decides about mail to an address. Null means that no route does. */
export type Attribution = (to: string, takers: Takers) => number | null;

/** The routes of a domain. */
interface OwnRoutes {
  /** Positions by the key of the address. */
  readonly byAddress: ReadonlyMap<string, number>;
  /** Positions of routes for patterns and conditions, by what takes their mail before or after the plan. */
  readonly byTaker: ReadonlyMap<string, number>;
  /** Position of the route for every other address. */
  readonly others: number | null;
}

export function createAttribution(routes: readonly PlannedRoute[], sides: Sides): Attribution {
  const byDomain = Map.groupBy(routes.entries(), ([, { domain }]) => domain as string);
  const prepared = new Map<string, OwnRoutes>();
  return (to, takers) => {
    const domain = domainPartOf(to);
    const own = prepared.get(domain) ?? ownRoutes(byDomain.get(domain) ?? [], sides);
    prepared.set(domain, own);
    const { byAddress, byTaker, others } = own;
    const named = byAddress.get(nameKey(to));
    if (named !== undefined && sameTakers(takers, usualTakers(to, sides))) return named;
    const [before, after] = [keyOf('before', takers.before), keyOf('after', takers.after)];
    const [base] = localPartOf(to).split('+');
    return (
      byTaker.get(before) ??
      byTaker.get(after) ??
      named ??
      byAddress.get(nameKey(`${base}@${domain}`)) ??
      others
    );
  };
}

function ownRoutes(routes: readonly (readonly [number, PlannedRoute])[], sides: Sides): OwnRoutes {
  const byAddress = new Map<string, number>();
  const byTaker = new Map<string, number>();
  let others: number | null = null;
  for (const [position, route] of routes) {
    const subject = subjectOf(route);
    if (subject !== null) {
      for (const side of ['before', 'after'] as const) {
        const taker = takerIn(subject, sides[side]);
        if (taker !== null) byTaker.set(keyOf(side, taker), position);
      }
    } else if (route.address === null) others = position;
    else byAddress.set(nameKey(route.address), position);
  }
  // An alias that is renamed has the mail of both names, unless the old one has a separate route.
  for (const [position, { was }] of routes) {
    if (was !== null && !byAddress.has(nameKey(was))) byAddress.set(nameKey(was), position);
  }
  return { byAddress, byTaker, others };
}

type ConditionSubject = Extract<RouteSubject, { readonly kind: 'pattern' | 'condition' }>;

/** Returns the mail of a route for a pattern or a condition; null means another route. */
function subjectOf({ domain, address, knownBy, rule }: PlannedRoute): ConditionSubject | null {
  if (rule !== null) return { kind: 'condition', domain, match: rule.match, rule: rule.name };
  if (knownBy !== 'pattern' || address === null) return null;
  return { kind: 'pattern', domain, name: localPartOf(address) };
}

/** Returns what takes mail for its own pattern or condition; null means that it goes as mail to other addresses. */
function takerIn(subject: ConditionSubject, side: Side): Decider | null {
  const { aliasOf, takerOf } = side(subject.domain);
  const alias = subject.kind === 'pattern' ? aliasOf(subject.name) : null;
  if (alias !== null) return { kind: 'alias', name: alias.name };
  const match = conditionOf(subject);
  const rule = takerOf(match);
  if (rule === null || conditionKey(rule.match) !== conditionKey(match)) return null;
  return { kind: 'rule', name: rule.name };
}

/** Returns what takes mail without sender, subject and body. */
function usualTakers(address: string, { before, after }: Sides): Takers {
  const subject = {
    kind: 'address',
    domain: domainPartOf(address),
    address,
    knownBy: 'name',
  } as RouteSubject;
  return { before: outcomesOf(subject, before)[0].by, after: outcomesOf(subject, after)[0].by };
}

function sameTakers(a: Takers, b: Takers): boolean {
  return (
    keyOf('before', a.before) === keyOf('before', b.before) &&
    keyOf('after', a.after) === keyOf('after', b.after)
  );
}

function keyOf(side: 'before' | 'after', taker: Decider | null): string {
  return `${side} ${taker === null ? '' : `${taker.kind} ${taker.name}`}`;
}
