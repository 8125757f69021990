import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applySeed, newAccount } from '../../src/emulator/account/seed.ts';
import { createState, type State } from '../../src/emulator/account/state.ts';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import type { MailRoute } from '../../src/emulator/delivery/delivery-routing.ts';
import { decodeForward, DISCARD, normaliseDestination } from '../../src/core/model/destinations.ts';
import type { RuleMatch } from '../../src/core/model/resources.ts';
import { endsOf, type Hop } from '../../src/core/routing/follow.ts';
import { createRouter, type RoutedAlias, type RoutedRule } from '../../src/core/routing/route.ts';
import { MOST_WAYS, waysOf, type DomainRoutes } from '../../src/core/routing/ways.ts';
import { randomMail, type RandomMail } from './support/random-mail.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

/** Result of both sides for a message: the event at each address that it reaches, and its ends. */
interface Way {
  readonly hops: ReadonlyMap<string, string>;
  readonly to: readonly string[];
  readonly hasLoop: boolean;
}

test('the delivery of the emulator sends a message one of the ways that routing knows, to the same ends', () => {
  const seen = { hops: 0, kinds: new Map<string, number>(), undecided: 0, unfollowed: 0 };
  fc.assert(
    fc.property(randomMail, (random) => {
      const delivered = deliverToEnd(random);
      const ways = routeToEnds(random);
      // Captures made addresses without end; the two sides stop at different points.
      if (delivered === 'endless') {
        expect(ways.some(({ hasLoop }) => hasLoop)).toBe(true);
        return;
      }
      if (ways.length === MOST_WAYS) {
        seen.unfollowed += 1;
        return;
      }
      if (ways.length < 2) expect(ways).toEqual([delivered]);
      else expect(ways).toContainEqual(delivered);
      seen.undecided += Math.min(ways.length - 1, 1);
      seen.hops += delivered.hops.size;
      for (const what of delivered.hops.values()) {
        const kind = what.split(' ', 1)[0] ?? '';
        seen.kinds.set(kind, (seen.kinds.get(kind) ?? 0) + 1);
      }
    }),
    { numRuns: runs(100_000, 400), seed: PROVE_SEED },
  );
  console.info(
    `routing: ${seen.hops} hops, ${seen.undecided} messages with several ways, ${seen.unfollowed} with more than are followed,`,
    Object.fromEntries(seen.kinds),
  );
}, 3_600_000);

interface Rule extends RoutedRule {
  readonly at: number;
}

function routeToEnds({ domains, mail, choices }: RandomMail): readonly Way[] {
  const routings = new Map<string, DomainRoutes<RoutedAlias, Rule>>();
  for (const { domain, routing_engine, rules_fallback_email = null, aliases = [], rules = [] } of domains) {
    const listed = aliases.map(({ alias, forward }) => ({ name: alias, forward: decodeForward(forward) }));
    const { routes } = createRouter<RoutedAlias, Rule>({
      aliases: listed,
      rules: rules
        .map(({ type, config: { forward, ...condition }, rank = 0, active = true }) => ({
          match: { type, ...condition } as RuleMatch,
          forward: decodeForward(String(forward)),
          active,
          at: rank,
        }))
        .sort((a, b) => a.at - b.at),
      mode: routing_engine === 'rules' ? 'rules' : 'aliases',
      fallback: rules_fallback_email === null ? DISCARD : normaliseDestination(rules_fallback_email),
    });
    routings.set(domain, (message) => routes(message, choices.anchoring));
  }
  const ways = waysOf([normaliseDestination(mail.to)], mail, (domain) => routings.get(domain) ?? 'outside');
  return ways.map(({ hops }) => wayOf(hops));
}

function wayOf(hops: readonly Hop<RoutedAlias, Rule>[]): Way {
  const { to, loops } = endsOf(hops);
  const described = hops.flatMap((hop): readonly (readonly [string, string])[] => {
    if (hop.kind !== 'routed') return [];
    const { route, address } = hop;
    if (route.kind === 'refused') return [[address, 'refused']];
    const goesTo = `-> ${route.forward.toSorted().join()}`;
    if (route.kind === 'alias') return [[address, `${takenBy(route.by, route.alias.name)} ${goesTo}`]];
    if (route.kind === 'rule') return [[address, `${route.rule.match.type} ${route.rule.at} ${goesTo}`]];
    return [[address, `fallback ${goesTo}`]];
  });
  return { hops: new Map(described), to, hasLoop: loops.length > 0 };
}

/** Patterns and catch-alls share one word, because with equal destinations it makes no difference which one matches. */
function takenBy(means: string, name: string): string {
  return means === 'regex' || means === 'catch-all' ? 'pattern' : `${means} ${name}`;
}

/** More addresses than the resources can hold; a larger number means that captures make them without end. */
const ENDLESS = 500;

/** Delivers the message and its forwarded copies until nothing new arrives. */
function deliverToEnd(random: RandomMail): Way | 'endless' {
  const state = stateOf(random);
  const hops = new Map<string, string>();
  const leads = new Map<string, readonly string[]>();
  const ends = new Set<string>();
  let isDiscarded = false;
  const open = [normaliseDestination(random.mail.to)];
  for (const to of open) {
    if (leads.has(to)) continue;
    if (leads.size > ENDLESS) return 'endless';
    const delivered = deliverMessage(state, { ...random.mail, to });
    if (!delivered.ok) {
      ends.add(to);
      continue;
    }
    const { route, destinations } = delivered.value;
    const next = destinations.map(normaliseDestination);
    hops.set(to, describe(route));
    isDiscarded ||= route.kind !== 'refused' && decodeForward(route.forward).includes(DISCARD);
    leads.set(
      to,
      next.filter((address) => !address.includes('://')),
    );
    for (const address of next) {
      if (address.includes('://')) ends.add(address);
      else open.push(address);
    }
  }
  const to = ends.size === 0 && isDiscarded ? [DISCARD] : [...ends].sort();
  return { hops, to, hasLoop: hasCycle(leads) };
}

function describe(route: MailRoute): string {
  if (route.kind === 'refused') return 'refused';
  const goesTo = `-> ${decodeForward(route.forward).toSorted().join()}`;
  if (route.kind === 'alias') return `${takenBy(route.by, route.alias.alias)} ${goesTo}`;
  if (route.kind === 'rule') return `${route.rule.config.type} ${route.rule.rank} ${goesTo}`;
  return `fallback ${goesTo}`;
}

/** True if addresses are left after dead ends are removed repeatedly, so that there is a loop. */
function hasCycle(leads: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(leads);
  for (;;) {
    const done = [...left].filter(([, next]) => !next.some((address) => left.has(address)));
    if (done.length === 0) return left.size > 0;
    for (const [address] of done) left.delete(address);
  }
}

function stateOf({ domains, choices }: RandomMail): State {
  let ids = 0;
  const state = createState({
    tier: 'paid',
    account: newAccount('paid', 0),
    environment: { now: () => 0, randomId: () => `id-${(ids += 1)}` },
    switches: {
      ruleRegexMatch: choices.anchoring,
      regexAliasOrder: choices.order,
      ruleDotStar: choices.dotStar,
      // Captures are documented for aliases only.
      ruleCaptures: 'as-written',
    },
  });
  applySeed(state, { domains });
  return state;
}
