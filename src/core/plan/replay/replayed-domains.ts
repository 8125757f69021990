import { capturesIn, type Destination } from '../../model/destinations.ts';
import { domainPartOf, type DomainName } from '../../model/names.ts';
import { liveEngineOf, type ObservedDomain } from '../../model/observed.ts';
import type { Change, PlannedRoute } from '../../model/plan.ts';
import { fallbackOf } from '../routes/tables.ts';
import type { RoutesInput } from '../routes/sides.ts';
import { compareText } from '../sorting.ts';

/**
 * Returns the domains of the account whose mail may end elsewhere, those with the most routes first. Beside the domains of
 * `routes` these are domains whose rules change, for rules may match more than a route tells, and domains that lead to such
 * mail.
 */
export function replayedDomains(input: RoutesInput, routes: readonly PlannedRoute[]): readonly DomainName[] {
  const { observed, changes } = input;
  const counts = Map.groupBy(routes, ({ domain }) => domain);
  const byRules = changes
    .filter(({ kind, domain }) => kind === 'rule' && liveEngineOf(observed.domains.get(domain)) !== 'alias')
    .map(({ domain }) => domain);
  const countOf = (domain: DomainName): number => counts.get(domain)?.length ?? 0;
  return [...withLeading(input, new Set(counts.keys()), new Set(byRules))]
    .filter((domain) => observed.domains.has(domain))
    .toSorted((a, b) => countOf(b) - countOf(a) || compareText(a, b));
}

/** Adds the domains that forward to a domain whose rules change, or to addresses that only a capture tells. */
function withLeading(
  input: RoutesInput,
  routed: ReadonlySet<DomainName>,
  byRules: ReadonlySet<DomainName>,
): ReadonlySet<DomainName> {
  const all = [...routed, ...byRules];
  if (all.length === 0) return routed;
  const leads = allLeads(input);
  const found = new Set<string>(all);
  const whole = new Set<string>(byRules);
  // The list grows during this loop. What leads to mail that is found by its conditions is found as a whole.
  const open: string[] = [...byRules, ...routed];
  for (const target of open) {
    for (const { domain, plain, captured } of leads) {
      const isLed = captured.has(target) || (whole.has(target) && plain.has(target));
      if (!isLed || whole.has(domain)) continue;
      whole.add(domain);
      found.add(domain);
      open.push(domain);
    }
  }
  return found as ReadonlySet<string> as ReadonlySet<DomainName>;
}

/** Returns the domains to which the entries of these domains forward. */
export function leadsFrom(domains: ReadonlySet<string>, input: RoutesInput): readonly string[] {
  if (domains.size === 0) return [];
  return allLeads(input)
    .filter(({ domain }) => domains.has(domain))
    .flatMap(({ plain, captured }) => [...plain, ...captured]);
}

/** Domains that the entries of a domain forward to: to an address, or to one that a capture makes. */
interface Leads {
  readonly domain: DomainName;
  readonly plain: ReadonlySet<string>;
  readonly captured: ReadonlySet<string>;
}

function allLeads({ observed, changes }: RoutesInput): readonly Leads[] {
  const own = Map.groupBy(changes, ({ domain }) => domain);
  return [...observed.domains.values()].map((live) => {
    const [plain, captured] = [new Set<string>(), new Set<string>()];
    for (const to of destinationsOf(live, own.get(live.domain) ?? [], observed.account.email)) {
      (capturesIn(to).length > 0 ? captured : plain).add(domainPartOf(to));
    }
    return { domain: live.domain, plain, captured };
  });
}

function* destinationsOf(
  live: ObservedDomain,
  changes: readonly Change[],
  accountEmail: string,
): Generator<Destination> {
  for (const section of [live.aliases, live.rules]) {
    for (const { forward } of section ?? []) yield* forward;
  }
  for (const change of changes) {
    if (change.kind === 'alias' || change.kind === 'rule') yield* change.desired?.forward ?? [];
  }
  if (live.routingEngine !== 'alias') yield fallbackOf(live, accountEmail);
}
