import { domainPartOf } from '../../../model/names.ts';
import type { Destination } from '../../../model/destinations.ts';
import { follow, type DomainRouting } from '../../../routing/follow.ts';
import {
  createRouter,
  type Anchoring,
  type Mail,
  type RoutingTable,
  type Wildcards,
} from '../../../routing/route.ts';
import { triedBefore } from '../../../routing/tried.ts';
import type {
  FoundAlias,
  FoundRule,
  RouteFindings,
  TracedHop,
} from '../../output/documents/route-document.ts';

/** What is known of a domain that the manifest or the account routes. */
export interface KnownDomain {
  /** Null: not known. */
  readonly aliases: readonly FoundAlias[] | null;
  /** In the order of evaluation; null: not known. */
  readonly rules: readonly FoundRule[] | null;
  /** `none`: routing is disabled; null: not known. */
  readonly engine: 'alias' | 'rules' | 'none' | null;
  /** Where mail goes that no rule matches; null: not known. */
  readonly fallback: Destination | null;
}

/** One way to understand what is not known of the service. */
interface Reading {
  /** Of the domains whose engine is not known; `both`: rules first, then aliases. */
  readonly engine: 'alias' | 'rules' | 'both';
  readonly anchoring: Anchoring;
  readonly wildcards: Wildcards;
  readonly order: 'as-listed' | 'reversed';
}

const USUAL: Reading = { engine: 'both', anchoring: 'anywhere', wildcards: 'literal', order: 'as-listed' };

/** What else than the engine the documents leave open (field notes: Routing). */
const OPEN_QUESTIONS: readonly { readonly when: string; readonly reading: Partial<Reading> }[] = [
  {
    when: 'if the service compares regular expressions of rules with the whole text',
    reading: { anchoring: 'whole' },
  },
  { when: 'if the service reads names such as sales.* as patterns', reading: { wildcards: 'pattern' } },
  { when: 'if the service tries the later pattern first', reading: { order: 'reversed' } },
];

/**
 * The way of a message under each reading. `known` answers null for a domain that is not routed here; it must know, or be asked
 * again after it learned, every domain on the way.
 */
export function traceMail(
  mail: Mail,
  known: (domain: string) => KnownDomain | null,
): Pick<RouteFindings, 'hops' | 'readings' | 'doubts'> {
  const trace = (reading: Partial<Reading>): readonly TracedHop[] =>
    traceIn({ ...USUAL, ...reading }, mail, known);
  const hops = trace({});
  const readings = { alias: trace({ engine: 'alias' }), rules: trace({ engine: 'rules' }) };
  const engines = [
    { engine: 'both', as: hops },
    { engine: 'alias', as: readings.alias },
    { engine: 'rules', as: readings.rules },
  ] as const;
  const doubts = OPEN_QUESTIONS.flatMap(({ when, reading }) => {
    const other = engines
      .map(({ engine, as }) => ({ as, otherwise: trace({ ...reading, engine }) }))
      .find(({ as, otherwise }) => isOtherWay(as, otherwise));
    return other === undefined ? [] : [{ when, hops: other.otherwise }];
  });
  return { hops, readings: isOtherWay(readings.alias, readings.rules) ? readings : null, doubts };
}

function traceIn(
  reading: Reading,
  mail: Mail,
  known: (domain: string) => KnownDomain | null,
): readonly TracedHop[] {
  const tables = new Map<string, RoutingTable<FoundAlias, FoundRule>>();
  const routingOf = (domain: string): DomainRouting<FoundAlias, FoundRule> => {
    const found = known(domain);
    if (found === null) return 'outside';
    if (found.engine === 'none') return () => ({ kind: 'refused' });
    const table = tableOf(found, reading);
    tables.set(domain, table);
    const router = createRouter(table);
    return (message) => {
      const route = router.route(message, reading.anchoring);
      return route.kind === 'refused' && !isComplete(found, table) ? 'unknown' : route;
    };
  };
  return follow([mail.to], mail, routingOf).map((hop) => {
    const table = tables.get(domainPartOf(hop.address));
    const isTried = hop.kind === 'routed' && table !== undefined;
    return { ...hop, tried: isTried ? triedBefore(table, hop.address, hop.route) : [] };
  });
}

function tableOf(
  { aliases, rules, engine, fallback }: KnownDomain,
  reading: Reading,
): RoutingTable<FoundAlias, FoundRule> {
  const listed = aliases ?? [];
  return {
    aliases: reading.order === 'as-listed' ? listed : listed.toReversed(),
    rules: rules ?? [],
    mode: MODES[engine === 'alias' || engine === 'rules' ? engine : reading.engine],
    fallback,
    wildcards: reading.wildcards,
  };
}

const MODES = { alias: 'aliases', rules: 'rules', both: 'rules-then-aliases' } as const;

/** Whether all is known that could match a message which nothing known matches. */
function isComplete(
  { aliases, rules, fallback }: KnownDomain,
  { mode }: RoutingTable<FoundAlias, FoundRule>,
): boolean {
  return mode === 'rules' ? rules !== null && fallback !== null : aliases !== null;
}

function isOtherWay(a: readonly TracedHop[], b: readonly TracedHop[]): boolean {
  return a.length !== b.length || a.some((hop, at) => signatureOf(hop) !== signatureOf(b[at]));
}

function signatureOf(hop: TracedHop | undefined): string {
  if (hop?.kind !== 'routed') return JSON.stringify([hop?.address, hop?.depth, hop?.kind]);
  const { route } = hop;
  const entry = route.kind === 'alias' ? route.alias.name : route.kind === 'rule' ? route.rule.id : '';
  return JSON.stringify([hop.address, hop.depth, route.kind, entry]);
}
