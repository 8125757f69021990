import { expect, test } from 'vitest';
import { parseWanted } from '../../src/core/manifest/who/wanted.ts';
import { findWho } from '../../src/core/manifest/who/who.ts';
import { encodeForward, normaliseDestination } from '../../src/core/model/destinations.ts';
import { presentEntries, type Desired, type PresentDomain } from '../../src/core/model/desired.ts';
import type { PresentAlias } from '../../src/core/kinds/alias/fields.ts';
import type { PresentRule } from '../../src/core/kinds/rule/fields.ts';
import {
  applySeed,
  newAccount,
  type SeedAlias,
  type SeedDomain,
  type SeedRule,
} from '../../src/emulator/account/seed.ts';
import { createState, type State } from '../../src/emulator/account/state.ts';
import { routeMessage } from '../../src/emulator/delivery/delivery.ts';
import { load } from '../core/manifest/support/loading.ts';
import { createChance } from './support/chance.ts';
import { randomWho, WHO_CONTENTS, WHO_ENV, WHO_PATTERNS } from './support/random-who.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

/** Statement about an entry: whether its mail always ends there, and whether it ends only there. */
type Said = Readonly<Record<string, readonly [possible: boolean, only: boolean]>>;

test('who lists the entries whose mail the emulator delivers there, and no others', () => {
  const chance = createChance(PROVE_SEED);
  const seen = { manifests: 0, invalid: 0, entries: 0, possible: 0, only: 0 };
  const wanted = runs(1_000, 6);
  while (seen.manifests < wanted) {
    const { text, destination } = randomWho(chance);
    const { desired, problems } = load(text, { env: WHO_ENV });
    if (desired === null) {
      expect(
        new Set(problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)),
      ).toEqual(new Set(['loop']));
      seen.invalid += 1;
      continue;
    }
    const said = saidBy(text, desired, destination);
    const delivered = deliveredBy(desired, destination, said);
    expect({ text, destination, said }).toEqual({ text, destination, said: delivered });
    seen.manifests += 1;
    seen.entries += Object.keys(said).length;
    for (const [possible, only] of Object.values(said)) {
      seen.possible += Number(possible);
      seen.only += Number(only);
    }
  }
  console.info('who:', seen);
}, 3_600_000);

function saidBy(text: string, desired: Desired, destination: string): Said {
  const parsed = parseWanted(destination);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const { entries } = findWho({ texts: [{ file: 'm.yaml', text }], desired, wanted: parsed.value });
  for (const { sources } of entries) expect(sources.length).toBeGreaterThan(0);
  return Object.fromEntries(
    entries.map(({ domain, kind, name, possible, only }) => {
      return [`${domain} ${kind} ${name}`, [possible, only] as const];
    }),
  );
}

/** An entry by itself, and the mail that it is for. */
interface Candidate {
  readonly key: string;
  readonly alone: SeedDomain;
  readonly locals: readonly string[];
}

/** Derives each statement from delivery alone. If mail may or may not arrive, `who` may omit that it also ends elsewhere. */
function deliveredBy(desired: Desired, destination: string, claimed: Said): Said {
  const domains = [...desired.domains.values()].filter((domain) => domain.state === 'present');
  const account = openAccount(domains);
  const isThere = matcherOf(destination);
  const said: Record<string, readonly [boolean, boolean]> = {};
  const judge = (key: string, ways: readonly (readonly string[])[]): void => {
    const ends = createEnds(account, ways, isThere);
    const arrives = ways.filter(ends.mayArrive);
    if (arrives.length === 0) return;
    const possible = !ways.every(ends.mustArrive);
    const only = !ways.some(ends.mayEndElsewhere);
    said[key] = [possible, only && !(possible && claimed[key]?.[1] === false)];
  };
  for (const domain of domains) {
    for (const candidate of candidatesOf(domain)) judge(candidate.key, waysOf(candidate));
    const notified = domain.settings.notification_email?.value;
    if (notified) judge(`${domain.domain} notification_email null`, [[notified]]);
  }
  return said;
}

function matcherOf(destination: string): (end: string) => boolean {
  const wanted = destination.toLowerCase();
  return wanted.startsWith('*@')
    ? (end) => !end.includes('://') && end.toLowerCase().endsWith(wanted.slice(1))
    : (end) => end.toLowerCase() === wanted;
}

function candidatesOf({ domain, aliases, rules }: PresentDomain): readonly Candidate[] {
  return [
    ...presentEntries(aliases).map((alias): Candidate => {
      const kind = alias.name === '*' ? 'catch-all' : 'alias';
      return {
        key: `${domain} ${kind} ${alias.name}`,
        alone: { domain, routing_engine: 'alias', aliases: [aliasSeed(alias)] },
        locals: WHO_PATTERNS[alias.name] ?? [alias.name],
      };
    }),
    ...presentEntries(rules)
      .filter(({ active }) => active)
      .map((rule): Candidate => {
        const own = rule.match.type === 'alias' ? rule.match.alias : '*';
        return {
          key: `${domain} rule ${rule.name}`,
          alone: { domain, routing_engine: 'rules', rules_fallback_email: null, rules: [ruleSeed(rule, 0)] },
          locals: [...(WHO_PATTERNS[own] ?? [own]), 'info', 'sales', 'in-x', 'x', 'jane.doe'],
        };
      }),
  ];
}

/** Aliases do not depend on the content of mail. */
function contentsFor(engine: string | null | undefined): typeof WHO_CONTENTS {
  return engine === 'alias' ? WHO_CONTENTS.slice(0, 1) : WHO_CONTENTS;
}

/** Returns the destinations that an entry itself gives its mail, each list once. */
function waysOf({ key, alone, locals }: Candidate): readonly (readonly string[])[] {
  const state = stateOf([alone]);
  const ways = new Map<string, readonly string[]>();
  for (const local of locals) {
    for (const content of contentsFor(alone.routing_engine)) {
      const routed = routeMessage(state, { to: `${local}@${alone.domain}`, ...content });
      if (!routed.ok) throw new Error(routed.error.message);
      const { route, destinations } = routed.value;
      if (route.kind === 'alias' || route.kind === 'rule') ways.set(destinations.join(), destinations);
    }
  }
  expect([key, ways.size]).not.toEqual([key, 0]);
  return [...ways.values()].map((destinations) => destinations.map(normaliseDestination));
}

/** Returns the possible results of mail to an address, for each possible engine and any content. */
interface Account {
  readonly choicesAt: (address: string) => readonly (readonly string[])[] | null;
}

function openAccount(domains: readonly PresentDomain[]): Account {
  const state = stateOf(domains.map(seedOf));
  const known = new Map<string, readonly (readonly string[])[]>();
  return {
    choicesAt(address) {
      const record = state.domains.get(address.slice(address.lastIndexOf('@') + 1));
      if (record === undefined || address.includes('://')) return null;
      const before = known.get(address);
      if (before !== undefined) return before;
      const choices = new Map<string, readonly string[]>();
      const hasRules = [...record.rules.values()].some(({ active }) => active);
      const engines = hasRules ? (record.aliases.size > 0 ? ['alias', 'rules'] : ['rules']) : ['alias'];
      for (const engine of engines) {
        record.fields.routing_engine = engine as 'alias' | 'rules';
        for (const content of contentsFor(engine)) {
          const routed = routeMessage(state, { to: address, ...content });
          if (routed.ok)
            choices.set(
              routed.value.destinations.join(),
              routed.value.destinations.map(normaliseDestination),
            );
        }
      }
      known.set(address, [...choices.values()]);
      return [...choices.values()];
    },
  };
}

/** Follows mail from lists of destinations, by every possible choice. */
function createEnds(
  { choicesAt }: Account,
  starts: readonly (readonly string[])[],
  isThere: (end: string) => boolean,
) {
  const choices = new Map<string, readonly (readonly string[])[]>();
  const open = starts.flat();
  for (const address of open) {
    const next = choices.has(address) || isThere(address) ? null : choicesAt(address);
    if (next === null) continue;
    choices.set(address, next);
    open.push(...next.flat());
  }
  /** Adds addresses as long as one of the others follows from them. */
  const grow = (
    follows: (known: ReadonlySet<string>, next: readonly (readonly string[])[]) => boolean,
  ): Set<string> => {
    const known = new Set<string>();
    for (let before = -1; before !== known.size;) {
      before = known.size;
      for (const [address, next] of choices) if (follows(known, next)) known.add(address);
    }
    return known;
  };
  const some = (known: ReadonlySet<string>, to: readonly string[]): boolean =>
    to.some((address) => isThere(address) || known.has(address));
  const isElsewhere = (address: string): boolean => !isThere(address) && !choices.has(address);
  const may = grow((known, next) => next.some((to) => some(known, to)));
  const must = grow((known, next) => next.length > 0 && next.every((to) => some(known, to)));
  const elsewhere = grow((known, next) => next.flat().some((to) => known.has(to) || isElsewhere(to)));
  return {
    mayArrive: (to: readonly string[]): boolean => some(may, to),
    mustArrive: (to: readonly string[]): boolean => some(must, to),
    mayEndElsewhere: (to: readonly string[]): boolean =>
      to.some((address) => isElsewhere(address) || elsewhere.has(address)),
  };
}

function seedOf({ domain, aliases, rules }: PresentDomain): SeedDomain {
  return {
    domain,
    rules_fallback_email: null,
    aliases: presentEntries(aliases).map(aliasSeed),
    rules: presentEntries(rules).map(ruleSeed),
  };
}

function aliasSeed({ name, forward }: PresentAlias): SeedAlias {
  return { alias: name, forward: encodeForward(forward) };
}

function ruleSeed({ id, match, forward, active }: PresentRule, index: number): SeedRule {
  const { type, ...condition } = match;
  return { id, type, active, rank: index + 1, config: { ...condition, forward: encodeForward(forward) } };
}

function stateOf(domains: readonly SeedDomain[]): State {
  let ids = 0;
  const state = createState({
    tier: 'paid',
    account: newAccount('paid', 0),
    environment: { now: () => 0, randomId: () => `id-${(ids += 1)}` },
    switches: { ruleRegexMatch: 'anywhere' },
  });
  applySeed(state, { domains });
  return state;
}
