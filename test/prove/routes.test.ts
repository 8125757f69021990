import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applySeed, newAccount, type SeedDomain } from '../../src/emulator/account/seed.ts';
import { createState, type State } from '../../src/emulator/account/state.ts';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import { decodeForward, DISCARD, normaliseDestination } from '../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../src/core/model/observed.ts';
import type { Change, Plan, PlannedRoute, RouteEnds } from '../../src/core/model/plan.ts';
import type { RuleMatch } from '../../src/core/model/resources.ts';
import { planRoutes } from '../../src/core/plan/routes/routes.ts';
import { desired, observed, plan } from '../core/plan/support/build.ts';
import {
  CONDITIONS,
  PATTERN,
  randomPlan,
  type RandomDomain,
  type RandomPlan,
  type Witness,
} from './support/random-plan.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

/** Default destination of mail that matches no rule. */
const ACCOUNT = 'ops@hub.example';

test('the mail that changes agrees with the delivery of the emulator before and after', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(randomPlan, (random) => {
      const { routes, made } = routesOf(random);
      const [found, renamed] = [
        routes.filter(({ kind }) => kind !== 'renamed'),
        routes.filter(({ kind }) => kind === 'renamed'),
      ];
      const expected = expectedRoutes(random, made);
      for (const route of renamed) takeRenamed(route, expected, random, made);
      expect(new Map(found.map((route) => [whoOf(route), endsOf(route)]))).toEqual(expected);
      expect(new Set(routes.map(whoOf)).size).toBe(routes.length);
      for (const { kind } of routes) seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }),
    { numRuns: runs(10_000, 30), seed: PROVE_SEED },
  );
  console.info('routes of plans:', Object.fromEntries(seen));
}, 3_600_000);

function routesOf({ domains }: RandomPlan): {
  readonly routes: readonly PlannedRoute[];
  readonly made: Plan;
} {
  const manifest = desired(domains.flatMap(({ wanted }) => wanted ?? []));
  const account = observed(
    domains.flatMap((domain) => read(domain) ?? []),
    { account: { email: ACCOUNT } },
  );
  const made = plan(manifest, account);
  return { routes: planRoutes({ ...made, desired: manifest, observed: account }), made };
}

/** Sections of a domain that are read. */
function read({ real, wanted }: RandomDomain): ObservedDomain | null {
  if (real === null || wanted?.state === 'absent') return real;
  const { aliases, rules, credentials: _, ...rest } = real;
  return {
    ...rest,
    ...(wanted?.aliases === undefined || aliases === undefined ? {} : { aliases }),
    ...(wanted?.rules === undefined || rules === undefined ? {} : { rules }),
  };
}

function whoOf({ domain, address, rule }: PlannedRoute): string {
  return (
    address?.toLowerCase() ?? (rule === null ? `* ${domain}` : `${domain} ${JSON.stringify(rule.match)}`)
  );
}

/** A route in a plan, with the other possible destination. */
interface Told {
  readonly from: readonly string[] | null;
  readonly to: readonly string[] | null;
  readonly unknown: readonly string[];
  readonly kind: string;
}

function endsOf(route: PlannedRoute): readonly (Told | null)[] {
  const { otherwise } = route;
  return [told(route), otherwise === null ? null : told(otherwise)];
}

function told({ from, to, unknown, kind }: RouteEnds): Told {
  return { from, to, unknown, kind };
}

/** Returns the routes that the plan must list, by entry or address. */
function expectedRoutes(random: RandomPlan, made: Plan): Map<string, readonly (Told | null)[]> {
  const readings = readingsOf(random, made);
  const expected = new Map<string, readonly (Told | null)[]>();
  for (const { who, mail, isOwn } of knownMail(random, made)) {
    const outcomes = readings.map(({ before, after }) => [
      deliver(mail, before, random),
      deliver(mail, after, random),
    ]) as [Outcome, Outcome][];
    const [listed, byRules] = outcomes;
    if (listed === undefined) continue;
    const leading = differs(listed) ? listed : (byRules ?? listed);
    const concerns = (pair: readonly [Outcome, Outcome]): boolean =>
      differs(pair) && (isOwn === null || pair.some(({ taker }) => isOwn(taker)));
    if (!outcomes.some(concerns)) continue;
    const otherwise =
      byRules === undefined || JSON.stringify(byRules.map(place)) === JSON.stringify(listed.map(place))
        ? null
        : tell(byRules);
    expected.set(who, [{ ...tell(listed), kind: tell(leading).kind }, otherwise]);
  }
  return expected;
}

function place({ to, open }: Outcome): unknown {
  return { to, open };
}

function differs([before, after]: readonly [Outcome, Outcome]): boolean {
  return JSON.stringify(place(before)) !== JSON.stringify(place(after));
}

function tell([before, after]: readonly [Outcome, Outcome]): Told {
  const delivers = ({ to }: Outcome): boolean => to.length > 0 && to.join() !== DISCARD;
  const unknown = [
    ...new Set([...before.open, ...after.open].map((text) => text.split(' ')[1] ?? '')),
  ].sort();
  const isSure = unknown.length === 0;
  return {
    from: before.open.length > 0 ? null : before.to,
    to: after.open.length > 0 ? null : after.to,
    unknown,
    kind:
      isSure && !delivers(before) && delivers(after)
        ? 'new'
        : isSure && delivers(before) && !delivers(after)
          ? 'lost'
          : 'reroute',
  };
}

/** A renamed alias counts for the new address, and for the old one if mail to that is refused. */
function takeRenamed(
  { address, was, from, to, domain }: PlannedRoute,
  expected: Map<string, readonly (Told | null)[]>,
  { domains }: RandomPlan,
  { changes }: Plan,
): void {
  const now = (address ?? '').toLowerCase();
  const before = (was ?? '').toLowerCase();
  const change = (action: string, who: string): Change | undefined =>
    changes.find((one) => one.action === action && `${one.name}@${one.domain}`.toLowerCase() === who);
  const [gone, come] = [change('delete', before), change('add', now)];
  expect(gone?.kind === 'alias' && gone.observed?.forward.toSorted()).toEqual(
    come?.kind === 'alias' && come.desired?.forward.toSorted(),
  );
  expect(domains.find(({ name }) => name === domain)?.real).not.toBeNull();
  expect(expected.get(now)?.[0]?.to).toEqual(to);
  expect(expected.get(before)?.[0]?.from).toEqual(from);
  expected.delete(now);
  const old = expected.get(before);
  if (old?.[0]?.to?.length === 0 && old[1] === null) expected.delete(before);
}

interface KnownMail {
  readonly who: string;
  readonly mail: Mail;
  /** True if the matching entry also identifies the mail; null means that its address identifies it. */
  readonly isOwn: ((taker: string) => boolean) | null;
}

interface Mail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
}

function knownMail({ domains }: RandomPlan, { changes }: Plan): readonly KnownMail[] {
  const named = domains.filter(({ wanted }) => wanted !== null);
  const forwards = [
    ...named.flatMap((domain) => {
      const row = read(domain);
      const fallback = row?.rulesFallbackEmail === undefined ? ACCOUNT : row.rulesFallbackEmail;
      const isByAliases = row?.routingEngine === 'alias';
      return [...(row?.aliases ?? []), ...(row?.rules ?? []).filter(({ active }) => active)]
        .flatMap((item) => [...item.forward])
        .concat(fallback && !isByAliases ? [normaliseDestination(fallback)] : []);
    }),
    ...changes.flatMap((change) => {
      if (change.kind === 'rule' && change.desired?.active !== true) return [];
      return 'desired' in change && change.desired !== null && 'forward' in change.desired
        ? [...change.desired.forward]
        : [];
    }),
  ];
  return named.flatMap((domain) => [
    ...addressesOf(domain, changes, forwards).map((to): KnownMail => {
      return { who: to.toLowerCase(), mail: { to, from: '', subject: '' }, isOwn: null };
    }),
    { who: `* ${domain.name}`, mail: witness(domain.name, {}), isOwn: null },
    {
      who: `${PATTERN}@${domain.name}`,
      mail: witness(domain.name, { local: 'xx' }),
      isOwn: (taker) =>
        taker === `alias ${PATTERN}` || taker === conditionOf({ type: 'alias', alias: PATTERN }),
    },
    ...CONDITIONS.filter(([match]) => match.type !== 'alias' || match.alias !== PATTERN).map(
      ([match, content]): KnownMail => ({
        who:
          match.type === 'alias'
            ? `${match.alias}@${domain.name}`
            : `${domain.name} ${JSON.stringify(match)}`,
        mail: witness(domain.name, content),
        isOwn: (taker) => taker === conditionOf(match),
      }),
    ),
  ]);
}

function witness(domain: string, { local = 'nobody-17', from = '', subject = '' }: Witness): Mail {
  return { to: `${local}@${domain}`, from, subject };
}

function addressesOf(
  domain: RandomDomain,
  changes: readonly Change[],
  forwards: readonly string[],
): readonly string[] {
  const { name, wanted } = domain;
  const row = read(domain);
  const own = changes.filter((change) => change.domain === name);
  const matches = [
    ...(row?.rules ?? []).map(({ match }) => match),
    ...own.flatMap((change) => (change.kind === 'rule' && change.desired ? [change.desired.match] : [])),
  ];
  const names = [
    ...Array.from(row?.aliases ?? [], (alias) => alias.name),
    ...own.filter(({ kind }) => kind === 'alias').map((change) => change.name),
    ...matches.flatMap((match) => (match.type === 'alias' ? [match.alias] : [])),
  ].filter((local) => !/[*(]/.test(local));
  const expected = wanted?.state === 'present' ? wanted.expect.map(({ to }) => to) : [];
  const inside = forwards.filter((address) => address.endsWith(`@${name}`));
  const all = [...names.map((local) => `${local}@${name}`), ...expected, ...inside];
  return [...new Map(all.map((address) => [address.toLowerCase(), address])).values()];
}

interface Outcome {
  readonly to: readonly string[];
  /** `ADDRESS DOMAIN/SECTION`. */
  readonly open: readonly string[];
  /** The entry that matches the mail in its first domain. */
  readonly taker: string;
}

/** The account before or after the plan, for one possible engine. */
interface Account {
  readonly state: State;
  readonly engines: ReadonlyMap<string, 'alias' | 'rules' | null>;
}

/** Delivers mail and its forwarded copies until nothing new arrives. Forwarded copies have no content. */
function deliver(mail: Mail, { state, engines }: Account, { domains }: RandomPlan): Outcome {
  const ends = new Set<string>();
  const unknown = new Set<string>();
  const passed = new Set<string>();
  let taker = '';
  let isDropped = false;
  const open: Mail[] = [mail];
  for (const { to, from, subject } of open) {
    if (passed.has(to)) continue;
    const domain = domains.find(({ name }) => to.endsWith(`@${name}`));
    const isManaged = domain?.wanted?.state === 'present' || (domain?.wanted && domain.real !== null);
    // The list of domains shows for each domain whether its mail is routed.
    const isDisabled = domain?.wanted === null && domain.real?.routingEngine === null;
    if (domain === undefined || (!isManaged && !isDisabled) || to.includes('://')) {
      ends.add(to);
      continue;
    }
    passed.add(to);
    if (isDisabled) continue;
    const section = engines.get(domain.name) === 'rules' ? 'rules' : 'aliases';
    const row = read(domain);
    if (row !== null && engines.get(domain.name) !== null && row[section] === undefined) {
      if (engines.has(domain.name)) unknown.add(`${to} ${domain.name}/${section}`);
      continue;
    }
    const delivered = deliverMessage(state, { to, from, subject });
    if (!delivered.ok || delivered.value.route.kind === 'refused') continue;
    const { route } = delivered.value;
    taker ||= describe(route);
    for (const next of decodeForward(route.forward)) {
      if (next === DISCARD) isDropped = true;
      else open.push({ to: next, from: '', subject: '' });
    }
  }
  const to = ends.size === 0 && isDropped ? [DISCARD] : [...ends].sort();
  return { to, open: [...unknown].sort(), taker };
}

function describe(route: Extract<ReturnType<typeof deliverMessage>, { ok: true }>['value']['route']): string {
  if (route.kind === 'alias') return `alias ${route.alias.alias}`;
  if (route.kind !== 'rule') return 'fallback';
  const { forward: _, ...match } = route.rule.config;
  return conditionOf(match as RuleMatch);
}

function conditionOf(match: RuleMatch): string {
  return JSON.stringify(Object.entries(match).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Reading {
  readonly before: Account;
  readonly after: Account;
}

/** Returns the possible engines: the one that the account shows, otherwise aliases, and rules if there are active ones. */
function readingsOf(random: RandomPlan, { changes }: Plan): readonly Reading[] {
  const rows = new Map(random.domains.flatMap(({ name, real }) => (real === null ? [] : [[name, real]])));
  const usesRules = new Set(
    random.domains.flatMap((domain) => {
      const { name, wanted } = domain;
      if (wanted === null || (domain.real !== null && domain.real.routingEngine !== undefined)) return [];
      const row = read(domain);
      const added = changes.some(
        (change) => change.domain === name && change.kind === 'rule' && change.desired?.active,
      );
      if (row !== null && row.rules === undefined) return [];
      return added || row?.rules?.some(({ active }) => active) ? [name] : [];
    }),
  );
  const account = (isAfter: boolean, byRules: ReadonlySet<string>): Account => {
    const seeds = [...(isAfter ? applied(rows, changes) : rows.values())];
    const engineOf = (row: ObservedDomain): 'alias' | 'rules' | null =>
      row.routingEngine === undefined ? (byRules.has(row.domain) ? 'rules' : 'alias') : row.routingEngine;
    return {
      state: stateOf(seeds.map((row) => seedOf(row, engineOf(row)))),
      engines: new Map(seeds.map((row) => [row.domain, engineOf(row)])),
    };
  };
  const reading = (byRules: ReadonlySet<string>): Reading => ({
    before: account(false, byRules),
    after: account(true, byRules),
  });
  return usesRules.size === 0 ? [reading(new Set())] : [reading(new Set()), reading(usesRules)];
}

/** Returns the account after the changes. */
function applied(
  rows: ReadonlyMap<string, ObservedDomain>,
  changes: readonly Change[],
): Iterable<ObservedDomain> {
  const after = new Map(rows);
  for (const change of changes.filter(({ kind }) => kind === 'domain')) {
    if (change.action === 'delete') after.delete(change.domain);
    if (change.action !== 'add') continue;
    const empty = { notification_email: null, whitelabel: null, createdAt: 0, readAt: 0 };
    after.set(change.domain, { domain: change.domain, ...empty, aliases: [], rules: [] });
  }
  for (const change of changes) {
    const row = after.get(change.domain);
    if (row === undefined) continue;
    if (change.kind === 'alias') after.set(change.domain, { ...row, aliases: withAlias(row, change) });
    if (change.kind === 'rule') after.set(change.domain, { ...row, rules: withRule(row, change) });
  }
  return after.values();
}

function withAlias(
  row: ObservedDomain,
  change: Extract<Change, { kind: 'alias' }>,
): ObservedDomain['aliases'] & {} {
  const others = [...(row.aliases ?? [])].filter(
    ({ name }) => name.toLowerCase() !== change.name.toLowerCase(),
  );
  if (change.desired === null) return others;
  return [...others, { id: change.name, name: change.name, forward: change.desired.forward }];
}

function withRule(
  row: ObservedDomain,
  change: Extract<Change, { kind: 'rule' }>,
): ObservedDomain['rules'] & {} {
  const others = (row.rules ?? []).filter(({ id }) => id !== change.id);
  return change.desired === null ? others : [...others, { ...change.desired, id: change.id ?? '' }];
}

function seedOf(row: ObservedDomain, engine: 'alias' | 'rules' | null): SeedDomain {
  return {
    domain: row.domain,
    routing_engine: engine,
    rules_fallback_email: row.rulesFallbackEmail === undefined ? ACCOUNT : row.rulesFallbackEmail,
    aliases: Array.from(row.aliases ?? [], ({ name, forward }) => ({
      alias: name,
      forward: forward.join(),
    })),
    rules: (row.rules ?? []).map(({ id, match: { type, ...condition }, forward, active, rank }) => ({
      id,
      type,
      config: { ...condition, forward: forward.join() },
      active,
      rank,
    })),
  };
}

function stateOf(domains: readonly SeedDomain[]): State {
  let ids = 0;
  const state = createState({
    tier: 'paid',
    account: newAccount('paid', 0),
    environment: { now: () => 0, randomId: () => `id-${(ids += 1)}` },
    switches: { ruleRegexMatch: 'anywhere', disabledRouting: 'refuse' },
  });
  applySeed(state, { domains });
  return state;
}
