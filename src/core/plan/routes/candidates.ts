import { capturesIn, type Destination } from '../../model/destinations.ts';
import {
  domainPartOf,
  isPatternName,
  nameKey,
  takesOthers,
  type DomainName,
  type NameKey,
} from '../../model/names.ts';
import type { Account, ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { takesAllOf, takesEverything } from '../../routing/reach.ts';
import { createRouter } from '../../routing/route.ts';
import { compareText } from '../sorting.ts';
import { addressesIn } from './known-addresses.ts';
import { conditionOf, type RouteSubject } from './outcomes.ts';
import { contestedAddresses } from './overlaps.ts';
import { fallbackOf } from './tables.ts';
import { conditionKey, type RoutesInput } from './sides.ts';

export interface KnownMail {
  /** Addresses in these domains that destinations name. */
  readonly destinations: readonly Destination[];
  /** Returns the mail of a domain that the plan may affect. `moved` holds addresses whose mail ends elsewhere. */
  readonly subjectsOf: (domain: DomainName, moved: ReadonlySet<string>) => readonly RouteSubject[];
}

/**
 * Returns the mail that is known by name or condition: aliases and rules, live and planned, `expect` and destinations.
 * Only addresses that the plan may affect are subjects. Other mail goes on as before, because neither its taker nor
 * anything on its way changes.
 */
export function knownMail({ desired, observed, changes }: RoutesInput): KnownMail {
  const own = Map.groupBy(changes, ({ domain }) => domain);
  const domainOf = (domain: DomainName): Domain => {
    const live = observed.domains.get(domain);
    return { domain, live, account: observed.account, changes: own.get(domain) ?? [] };
  };
  const domains = new Set(routedDomains({ desired, observed }));
  const found = addressesIn(
    domains,
    domains.values().flatMap((domain) => forwardsIn(domainOf(domain), domains)),
  );
  return {
    destinations: [...found.values()].flatMap((named) => [...named]),
    subjectsOf(domain, moved) {
      const known = domainOf(domain);
      const concerned = concernedIn(known, moved);
      if (concerned.length === 0) return [];
      const wanted = desired.domains.get(domain);
      const expected = wanted?.state === 'present' ? wanted.expect.map(({ to }) => to) : [];
      const names = namesTried(known, concerned).map((name) => `${name}@${domain}`);
      const contested = contestedAddresses(domain, known.live, known.changes);
      return [
        ...addressSubjects(
          domain,
          [...names, ...expected, ...contested],
          found.get(domain) as ReadonlySet<Destination>,
        ),
        ...conditionSubjects(known, concerned),
        { kind: 'others', domain },
      ];
    },
  };
}

/** Returns the domains whose mail can be followed: planned domains, and others that were read. */
export function routedDomains({
  desired,
  observed,
}: Pick<RoutesInput, 'desired' | 'observed'>): readonly DomainName[] {
  const read = observed.domains.values().filter(({ aliases, rules }) => (aliases ?? rules) !== undefined);
  return [...new Set([...desired.domains.keys(), ...read.map(({ domain }) => domain)])];
}

interface Domain {
  readonly domain: DomainName;
  readonly live: ObservedDomain | undefined;
  readonly account: Account;
  readonly changes: readonly Change[];
}

/** An entry that takes mail or may take it: an alias, an active rule or the fallback, live or as a change makes it. */
type MailTaker =
  | { readonly kind: 'alias'; readonly name: string }
  | { readonly kind: 'rule'; readonly name: string; readonly match: RuleMatch }
  | { readonly kind: 'fallback' };
export type RouteTaker = MailTaker & { readonly forward: readonly Destination[] };

function* allTakers(domain: Domain): Generator<RouteTaker> {
  for (const { name, forward } of domain.live?.aliases ?? []) yield { kind: 'alias', name, forward };
  yield* takersBesideLiveAliases(domain);
}

/** Yields the live entries that take a domain's mail. */
export function* liveTakers(live: ObservedDomain, account: Account): Generator<RouteTaker> {
  for (const { name, forward } of live.aliases ?? []) yield { kind: 'alias', name, forward };
  yield* liveTakersBesideAliases(live, account);
}

/** Yields the active rules of a domain, and its fallback if rules route its mail or may do so. */
function* liveTakersBesideAliases(
  live: ObservedDomain | undefined,
  { email }: Account,
): Generator<RouteTaker> {
  for (const { id, match, forward, active } of live?.rules ?? []) {
    if (active) yield { kind: 'rule', name: id, match, forward };
  }
  if (live?.routingEngine !== 'alias') yield { kind: 'fallback', forward: [fallbackOf(live, email)] };
}

function* takersBesideLiveAliases({ live, account, changes }: Domain): Generator<RouteTaker> {
  yield* liveTakersBesideAliases(live, account);
  for (const change of changes) yield* takersOnSide(change, 'desired');
}

function* takersOnSide(change: Change, side: 'observed' | 'desired'): Generator<RouteTaker> {
  if (change.kind === 'alias') {
    // If the service creates a `*` itself, its previous state is unknown.
    yield { kind: 'alias', name: change.name, forward: change[side]?.forward ?? [] };
  }
  if (change.kind === 'rule' && change[side]?.active === true) {
    yield { kind: 'rule', name: change.name, ...change[side] };
  }
}

/** Cached per read of a domain, because the guards check all domains again before each stage 2. */
const hosts = new WeakMap<ObservedDomain, ReadonlySet<string>>();

/** Returns the domains of all destinations in a domain. */
export function forwardsTo(live: ObservedDomain, account: Account): ReadonlySet<string> {
  const known = hosts.get(live);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const { forward } of liveTakers(live, account)) {
    for (const destination of forward) if (!destination.includes('://')) found.add(domainPartOf(destination));
  }
  hosts.set(live, found);
  return found;
}

/** Yields the destinations of a domain's entries; those of live aliases only if one of them is in these domains. */
function* forwardsIn(domain: Domain, domains: ReadonlySet<string>): Generator<readonly Destination[]> {
  const { live, account } = domain;
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole domain.
  const leadsThere = live !== undefined && !forwardsTo(live, account).isDisjointFrom(domains);
  if (leadsThere) for (const { forward } of live.aliases ?? []) yield forward;
  for (const { forward } of takersBesideLiveAliases(domain)) yield forward;
}

/**
 * Returns the takers that change, and those that lead to mail that ends elsewhere. For an added or deleted domain
 * returns all its takers.
 */
function concernedIn(domain: Domain, moved: ReadonlySet<string>): readonly RouteTaker[] {
  const isNewOrGone = domain.changes.some(({ kind, action }) => kind === 'domain' && action !== 'update');
  const leads = ({ forward }: RouteTaker): boolean => forward.some((destination) => moved.has(destination));
  return [
    ...domain.changes.flatMap((change) => [
      ...takersOnSide(change, 'observed'),
      ...takersOnSide(change, 'desired'),
    ]),
    // Stryker disable next-line ConditionalExpression,EqualityOperator: it only saves a search through the whole
    // domain.
    ...(isNewOrGone || moved.size > 0
      ? allTakers(domain).filter((taker) => isNewOrGone || leads(taker))
      : []),
  ];
}

/** Returns the names of aliases, and of rules for aliases, whose mail the affected takers may take. */
function namesTried(domain: Domain, concerned: readonly RouteTaker[]): readonly string[] {
  const names = concerned.flatMap((taker) => (taker.kind === 'alias' ? [taker.name] : []));
  for (const match of matchesIn(domain)) {
    if (match.type === 'alias' && isPlain(match)) names.push(match.alias);
  }
  if (domain.live?.routingEngine !== 'alias') names.push(...aliasesTakenByRules(domain, concerned));
  return names.filter((name) => name !== '*' && !isPatternName(name));
}

/** Yields the conditions of all rules, including inactive ones. */
function* matchesIn({ live, changes }: Domain): Generator<RuleMatch> {
  for (const { match } of live?.rules ?? []) yield match;
  for (const change of changes) {
    if (change.kind === 'rule' && change.desired !== null) yield change.desired.match;
  }
}

/**
 * Yields alias names whose mail the affected rules take. The rules engine takes mail to an alias's name like any other
 * mail.
 */
function* aliasesTakenByRules(domain: Domain, concerned: readonly RouteTaker[]): Generator<string> {
  const isAny = concerned.some(({ kind }) => kind === 'fallback');
  const taking = concerned.filter((taker) => taker.kind === 'rule');
  const rules = taking
    .filter(({ match }) => match.type !== 'alias' || takesOthers(match.alias))
    .map(({ match, forward }) => ({ match, forward, active: true }));
  // A rule for a name also takes mail to that name with any label.
  const named = new Set(
    taking.flatMap(({ match }) => (match.type === 'alias' ? [nameKey(match.alias)] : [])),
  );
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole domain.
  if (taking.length === 0 && !isAny) return;
  const { route } = createRouter({ aliases: [], rules, mode: 'rules', fallback: null });
  for (const taker of allTakers(domain)) {
    if (taker.kind !== 'alias') continue;
    const mail = { to: `${taker.name}@${domain.domain}`, from: '', subject: '', body: '' };
    const base = nameKey(taker.name).split('+')[0] as NameKey;
    if (isAny || named.has(base) || route(mail).kind === 'rule') yield taker.name;
  }
}

/** Returns one subject per address, ignoring case. */
function addressSubjects(
  domain: DomainName,
  named: readonly string[],
  destinations: Iterable<string>,
): readonly RouteSubject[] {
  const found = new Map<string, RouteSubject>();
  function add(address: string, knownBy: 'name' | 'destination'): void {
    const key = nameKey(address);
    if (!found.has(key)) found.set(key, { kind: 'address', domain, address, knownBy });
  }
  for (const address of named) add(address, 'name');
  for (const address of destinations) if (capturesIn(address).length === 0) add(address, 'destination');
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, subject]) => subject);
}

/**
 * Returns the mail that is known by a pattern or a condition. If a rule changes that takes all mail of others, that is
 * also their mail.
 */
function conditionSubjects(domain: Domain, concerned: readonly RouteTaker[]): readonly RouteSubject[] {
  const changed = concerned.flatMap((taker) => (taker.kind === 'rule' ? [taker.match] : []));
  const isCovered = (taker: RouteTaker): boolean => {
    if (taker.kind === 'fallback') return false;
    const own = taker.kind === 'rule' ? taker.match : ({ type: 'alias', alias: taker.name } as const);
    return changed.some((match) => takesAllOf(match, own));
  };
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole domain.
  const covered = changed.length === 0 ? [] : allTakers(domain).filter(isCovered);
  const found = { pattern: new Map<string, RouteSubject>(), condition: new Map<string, RouteSubject>() };
  for (const taker of [...concerned, ...covered]) {
    const subject = mailTakenBy(taker, domain.domain);
    if (subject.kind === 'pattern' || subject.kind === 'condition')
      found[subject.kind].set(conditionKey(conditionOf(subject)), subject);
  }
  return [...found.pattern.values(), ...found.condition.values()];
}

/** Returns the mail that a taker takes. */
export function mailTakenBy(taker: MailTaker, domain: DomainName): RouteSubject {
  switch (taker.kind) {
    case 'fallback':
      return { kind: 'others', domain };
    case 'alias': {
      const { name } = taker;
      if (name === '*') return { kind: 'others', domain };
      return isPatternName(name) ? { kind: 'pattern', domain, name } : addressSubject(name, domain);
    }
    case 'rule': {
      const { name: rule, match } = taker;
      if (takesEverything(match)) return { kind: 'others', domain };
      if (match.type !== 'alias') return { kind: 'condition', domain, match, rule };
      return isPlain(match)
        ? addressSubject(match.alias, domain)
        : { kind: 'pattern', domain, name: match.alias };
    }
  }
}

function addressSubject(name: string, domain: DomainName): RouteSubject {
  return { kind: 'address', domain, address: `${name}@${domain}`, knownBy: 'name' };
}

function isPlain(match: Extract<RuleMatch, { readonly type: 'alias' }>): boolean {
  return !match.alias.endsWith('*') && !isPatternName(match.alias);
}
