import { presentEntries, type Desired, type PresentDomain } from '../../model/desired.ts';
import type { Destination } from '../../model/destinations.ts';
import { type DomainName, domainPartOf, localPartOf } from '../../model/names.ts';
import type { Origin } from '../../model/resources.ts';
import type { PresentAlias } from '../../kinds/alias/fields.ts';
import type { PresentRule } from '../../kinds/rule/fields.ts';
import { nodesOnCycles } from '../../routing/cycles.ts';
import type { ProblemLog } from '../problems.ts';
import { routerOf, type DomainRouter } from './routing-table.ts';

/** An alias or rule that forwards to a domain of the manifest. */
interface Hop {
  readonly domain: DomainName;
  readonly entry: PresentAlias | PresentRule;
  readonly next: Edge[];
}

interface Edge {
  readonly to: PresentAlias | PresentRule;
  /** False if something else could take the mail: a live alias that the manifest does not name, or another pattern. */
  readonly certain: boolean;
  /** True if an alias takes the mail by name, in a domain without rules. Nothing else can take it. */
  readonly byName: boolean;
}

/** `whole` if nothing of the manifest was left out; else a function that is true if a domain was read completely. */
export type Wholeness = 'whole' | ((domain: DomainName) => boolean);

/** The most evaluations: rules of all domains times internal destinations. Above it only aliases are followed. */
const MAX_EVALUATIONS = 1_000_000;

/**
 * Follows destinations in the manifest's own domains. Mail that returns to an alias by name is an error. If a rule, a
 * pattern or a live alias may change the route, it is a warning, because only the account can tell.
 */
export function reportLoops(domains: Desired['domains'], whole: Wholeness, log: ProblemLog): void {
  const present = new Map<DomainName, PresentDomain>();
  for (const [name, domain] of domains) if (domain.state === 'present') present.set(name, domain);
  const hops = findHops(present, whole);
  const certain = cyclesOf(hops, ({ certain }) => certain);
  for (const cycle of certain) reportLoop('loop', cycle, log);
  const known = new Set(certain.flat().map(({ entry }) => entry));
  for (const cycle of cyclesOf(hops, () => true)) {
    if (!cycle.some(({ entry }) => known.has(entry))) reportLoop('possible-loop', cycle, log);
  }
}

function findHops(
  domains: ReadonlyMap<DomainName, PresentDomain>,
  whole: Wholeness,
): ReadonlyMap<Origin, Hop> {
  const hops = new Map<Origin, Hop>();
  const found: { hop: Hop; to: readonly [DomainName, string][] }[] = [];
  let rules = 0;
  for (const domain of domains.values()) {
    rules += domain.rules?.entries.length ?? 0;
    for (const entry of [
      ...presentEntries(domain.aliases),
      ...presentEntries(domain.rules).filter(({ active }) => active),
    ]) {
      const to = internalDestinations(entry.forward, domains);
      if (to.length === 0) continue;
      const hop: Hop = { domain: domain.domain, entry, next: [] };
      hops.set(entry, hop);
      found.push({ hop, to });
    }
  }
  const means = rules * found.length > MAX_EVALUATIONS ? 'aliases' : 'all';
  const routers = new Map<DomainName, DomainRouter>();
  for (const { hop, to } of found) {
    for (const [domain, address] of to) {
      hop.next.push(...edgesKept(follow(address, domains.get(domain), routers, means), domain, whole));
    }
  }
  return hops;
}

/** Keeps only edges by name if entries of the domain were left out, because these could take the other mail. */
function edgesKept(edges: readonly Edge[], domain: DomainName, whole: Wholeness): readonly Edge[] {
  return whole === 'whole' || whole(domain) ? edges : edges.filter(({ byName }) => byName);
}

function internalDestinations(
  forward: readonly Destination[],
  domains: ReadonlyMap<DomainName, PresentDomain>,
): readonly [DomainName, string][] {
  const internal: [DomainName, string][] = [];
  for (const destination of forward) {
    if (destination.includes('://') || destination.includes('$')) continue;
    const domain = domainPartOf(destination) as DomainName;
    if (domains.has(domain)) internal.push([domain, destination]);
  }
  return internal;
}

function follow(
  address: string,
  domain: PresentDomain | undefined,
  routers: Map<DomainName, DomainRouter>,
  means: 'aliases' | 'all',
): readonly Edge[] {
  if (domain === undefined) return [];
  const router = routerFor(domain, routers);
  const mail = { to: address, from: '', subject: '', body: '' };
  const routes = means === 'all' ? router.routes(mail) : router.routesByAlias(localPartOf(address));
  return routes.flatMap((route): readonly Edge[] => {
    if (route.kind === 'rule') return [{ to: route.rule, certain: false, byName: false }];
    if (route.kind !== 'alias') return [];
    const byName = route.by === 'name' && domain.rules === undefined;
    const certain = route.by === 'name' || (routes.length === 1 && isWhole(domain));
    return [{ to: route.alias, certain, byName }];
  });
}

/** True if the manifest names every alias that the domain will have. */
function isWhole({ aliases }: PresentDomain): boolean {
  return aliases?.prune === true && aliases.ignore.length === 0;
}

function routerFor(domain: PresentDomain, routers: Map<DomainName, DomainRouter>): DomainRouter {
  const router = routers.get(domain.domain) ?? routerOf(domain);
  routers.set(domain.domain, router);
  return router;
}

/** Returns one list of hops per cycle; of cycles that share hops only one. */
function cyclesOf(hops: ReadonlyMap<Origin, Hop>, counts: (edge: Edge) => boolean): readonly Hop[][] {
  const graph = new Map(
    Iterator.from(hops.values()).map((hop) => {
      const next = hop.next.filter(counts).flatMap(({ to }) => hops.get(to) ?? []);
      return [hop, new Set(next)] as const;
    }),
  );
  const onCycles = nodesOnCycles(graph);
  const cycles: Hop[][] = [];
  const seen = new Set<Hop>();
  for (const start of onCycles) {
    const path: Hop[] = [];
    const positions = new Map<Hop, number>();
    for (let hop: Hop | undefined = start; hop !== undefined && !seen.has(hop);) {
      seen.add(hop);
      positions.set(hop, path.length);
      path.push(hop);
      const next: Hop | undefined = graph
        .get(hop)
        ?.values()
        .find((candidate) => onCycles.has(candidate));
      const back: number = (next === undefined ? undefined : positions.get(next)) ?? -1;
      if (back >= 0) cycles.push(path.slice(back));
      hop = back >= 0 ? undefined : next;
    }
  }
  return cycles;
}

function reportLoop(code: 'loop' | 'possible-loop', cycle: readonly Hop[], log: ProblemLog): void {
  const [first] = cycle;
  if (first === undefined) return;
  const labels = [...cycle, first].map(labelOf);
  const shown = labels.length > 8 ? [...labels.slice(0, 6), '…', labelOf(first)] : labels;
  const certain = code === 'loop';
  log.report(code, first.entry.via ?? first.entry.source, {
    message: `mail ${certain ? 'returns' : 'may return'} to an address that forwarded it: ${shown.join(' -> ')}`,
    hint: 'send one of them to a mailbox outside these domains',
  });
}

function labelOf({ domain, entry }: Hop): string {
  return 'match' in entry ? `rule ${entry.name} of ${domain}` : `${entry.name}@${domain}`;
}
