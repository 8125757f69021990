import { domainPartOf } from '../../../core/model/names.ts';
import type { Destination } from '../../../core/model/destinations.ts';
import { endsOf, follow, type DomainRouting } from '../../../core/routing/follow.ts';
import {
  createRouter,
  isOneWay,
  type Anchoring,
  type Mail,
  type Router,
  type RoutingTable,
} from '../../../core/routing/route.ts';
import { triedBefore } from '../../../core/routing/tried.ts';
import { waysOf, type DomainRoutes, type Way } from '../../../core/routing/ways.ts';
import type {
  Doubt,
  FoundAlias,
  FoundRule,
  RouteFindings,
  TracedHop,
} from '../../output/documents/route-document.ts';

/** Known parts of a domain that the manifest or the account routes. */
export interface KnownDomain {
  /** null means not known. */
  readonly aliases: readonly FoundAlias[] | null;
  /** Rules in the order of evaluation; null means not known. */
  readonly rules: readonly FoundRule[] | null;
  /** `none` means that routing is disabled; null means not known. */
  readonly engine: 'alias' | 'rules' | 'none' | null;
  /** Destination of mail that no rule matches; null means not known. */
  readonly fallback: Destination | null;
}

/** One assumption about the unknown behaviour of the service. */
interface Reading {
  /** Engine for domains whose engine is not known. `both` tries rules first, then aliases. */
  readonly engine: 'alias' | 'rules' | 'both';
  readonly anchoring: Anchoring;
}

const USUAL: Reading = { engine: 'both', anchoring: 'anywhere' };
const WHOLE =
  'if the service compares regular expressions of rules with the whole text, another entry matches it';

/**
 * Traces a message under each reading. `known` returns null for a domain that is not routed here. It must know every
 * domain on the way, or learn it and be asked again.
 */
export function traceMail(
  mail: Mail,
  known: (domain: string) => KnownDomain | null,
): Pick<RouteFindings, 'hops' | 'readings' | 'doubts'> {
  let hasRules = false;
  const trace = (reading: Partial<Reading>): Trace =>
    traceIn({ ...USUAL, ...reading }, mail, (domain) => {
      const found = known(domain);
      hasRules ||= found?.engine === null && (found.rules ?? []).some(({ active }) => active);
      return found;
    });
  const usual = trace({});
  const [alias, rules] = [trace({ engine: 'alias' }), trace({ engine: 'rules' })];
  const other = [
    { hops: usual.hops, engine: 'both' } as const,
    { hops: alias.hops, engine: 'alias' } as const,
    { hops: rules.hops, engine: 'rules' } as const,
  ]
    .map(({ hops, engine }) => ({ hops, otherwise: trace({ engine, anchoring: 'whole' }).hops }))
    .find(({ hops, otherwise }) => !sameEnds(hops, otherwise));
  const isOpen = hasRules && !sameEnds(alias.hops, rules.hops);
  return {
    hops: usual.hops,
    readings: isOpen ? { alias: alias.hops, rules: rules.hops } : null,
    doubts: [
      ...(usual.doubts.length > 0 || !isOpen ? usual.doubts : alias.doubts),
      ...(other === undefined ? [] : [{ when: WHOLE, hops: other.otherwise }]),
    ],
  };
}

interface Trace {
  /** The way. It ends where several entries may take the message and the choice makes a difference. */
  readonly hops: readonly TracedHop[];
  /** Further ways, one for each of those entries. */
  readonly doubts: readonly Doubt[];
}

function traceIn(reading: Reading, mail: Mail, known: (domain: string) => KnownDomain | null): Trace {
  const tables = new Map<string, RoutingTable<FoundAlias, FoundRule>>();
  const routers = new Map<string, Router<FoundAlias, FoundRule>>();
  const routesOf = (domain: string): DomainRoutes<FoundAlias, FoundRule> => {
    const found = known(domain);
    if (found === null) return 'outside';
    if (found.engine === 'none') return () => [{ kind: 'refused' }];
    const table = tables.get(domain) ?? tableOf(found, reading);
    const router = routers.get(domain) ?? createRouter(table);
    tables.set(domain, table);
    routers.set(domain, router);
    return (message) => {
      const routes = router.routes(message, reading.anchoring);
      return routes[0].kind === 'refused' && !isComplete(found, table) ? 'unknown' : routes;
    };
  };
  const withTried = (hops: Way<FoundAlias, FoundRule>['hops']): readonly TracedHop[] =>
    hops.map((hop) => {
      const table = tables.get(domainPartOf(hop.address));
      const isTried = hop.kind === 'routed' && table !== undefined;
      return { ...hop, tried: isTried ? triedBefore(table, hop.address, hop.route) : [] };
    });
  const ways = waysOf([mail.to], mail, routesOf);
  if (ways.every(({ hops }) => sameEnds(hops, ways[0].hops))) {
    return { hops: withTried(ways[0].hops), doubts: [] };
  }
  const decided = follow([mail.to], mail, (domain) => whereDecided(routesOf(domain)));
  return {
    hops: withTried(decided),
    doubts: ways.map((way) => ({ choices: choicesIn(way), hops: withTried(way.hops) })),
  };
}

function whereDecided(routing: DomainRoutes<FoundAlias, FoundRule>): DomainRouting<FoundAlias, FoundRule> {
  if (typeof routing === 'string') return routing;
  return (mail) => {
    const routes = routing(mail);
    return routes !== 'unknown' && isOneWay(routes) ? routes[0] : 'unknown';
  };
}

function choicesIn({
  choices,
}: Way<FoundAlias, FoundRule>): Extract<Doubt, { readonly choices: unknown }>['choices'] {
  return [...choices].flatMap(([address, { taken, among }]) =>
    isOneWay(among) ? [] : [{ address, route: taken }],
  );
}

function tableOf(
  { aliases, rules, engine, fallback }: KnownDomain,
  reading: Reading,
): RoutingTable<FoundAlias, FoundRule> {
  return {
    aliases: aliases ?? [],
    rules: rules ?? [],
    mode: MODES[engine === 'alias' || engine === 'rules' ? engine : reading.engine],
    fallback,
  };
}

const MODES = { alias: 'aliases', rules: 'rules', both: 'rules-then-aliases' } as const;

/** True if all entries are known that could match an otherwise unmatched message. */
function isComplete(
  { aliases, rules, fallback }: KnownDomain,
  { mode }: RoutingTable<FoundAlias, FoundRule>,
): boolean {
  return mode === 'rules' ? rules !== null && fallback !== null : aliases !== null;
}

function sameEnds(a: Way<FoundAlias, FoundRule>['hops'], b: Way<FoundAlias, FoundRule>['hops']): boolean {
  const [first, second] = [a, b].map((hops) => {
    const { to, unknown, loops } = endsOf(hops);
    return JSON.stringify([to, unknown.toSorted(), loops.length > 0 && to.length === 0]);
  });
  return first === second;
}
