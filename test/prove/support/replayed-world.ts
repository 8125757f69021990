import { stringify } from 'yaml';
import { decodeForward, DISCARD } from '../../../src/core/model/destinations.ts';
import type { MailRoute } from '../../../src/emulator/delivery/delivery-routing.ts';
import { routeMessage } from '../../../src/emulator/delivery/delivery.ts';
import type { SeedDomain } from '../../../src/emulator/account/seed.ts';
import type { State } from '../../../src/emulator/account/state.ts';
import { insertLog } from '../../../src/emulator/logs/logs.ts';
import type { Chance } from './chance.ts';

const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;
const NAMES = ['info', 'sales', 'jobs', 'desk'] as const;
const OUTSIDE = ['ana@corp.example', 'ben@corp.example', 'eve@corp.example', 'https://h.example/in'] as const;

/** Conditions on headers, which the logs show, and on the body. */
const CONDITIONS = [
  { regex: '.*invoice.*', scopes: ['subject'] },
  { regex: 'vip@x[.]example', scopes: ['sender', 'subject'] },
  { expression: 'sender.endsWith("@x.example") && recipient.startsWith("info@")' },
  { alias: 'sales' },
  { alias: 'j*' },
] as const;
const BODY_CONDITIONS = [
  { regex: 'alpha', scopes: ['subject', 'body'] },
  { expression: 'body.contains("beta") || subject.contains("gamma")' },
  { expression: '!body.contains("beta") && recipient.startsWith("sales")' },
] as const;

/** A body for each combination of the conditions on the body. */
export const BODIES = ['', 'alpha', 'beta', 'alpha beta'] as const;

type Condition = (typeof CONDITIONS)[number] | (typeof BODY_CONDITIONS)[number];
type Rule = Condition & { readonly forward: string };

/** An account, and a manifest to plan for it. */
export interface ReplayedWorld {
  readonly domains: readonly SeedDomain[];
  readonly manifest: string;
}

export interface SentMessage {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
}

export function randomWorld(chance: Chance, engines: readonly ('alias' | 'rules')[]): ReplayedWorld {
  const parts = DOMAINS.map((domain) => randomDomain(domain, chance, engines));
  const domains = Object.fromEntries(parts.map(({ seed, wanted }) => [seed.domain, wanted]));
  return {
    domains: parts.map(({ seed }) => seed),
    manifest: stringify({ domains }),
  };
}

function randomDomain(
  domain: string,
  chance: Chance,
  engines: readonly ('alias' | 'rules')[],
): { readonly seed: SeedDomain; readonly wanted: object } {
  const engine = chance.pick(engines);
  const [aliases, wantedAliases] = edited(
    randomAliases(domain, chance),
    randomAliases(domain, chance),
    chance,
  );
  const [rules, wantedRules] =
    engine === 'alias' ? [[], []] : edited(randomRules(domain, chance), randomRules(domain, chance), chance);
  const seed: SeedDomain = {
    domain,
    routing_engine: engine,
    ...(engine === 'rules' ? { rules_fallback_email: chance.pick(['fall@corp.example', null]) } : {}),
    aliases: aliases.map(([alias, forward]) => ({ alias, forward })),
    rules: rules.map(({ forward, ...condition }, index) => ({
      ...ruleConfig(condition, forward),
      rank: (index + 1) * 10,
    })),
  };
  const wanted = {
    prune: true,
    aliases: Object.fromEntries(wantedAliases.map(([name, to]) => [name, written(to)])),
    ...(engine === 'rules'
      ? {
          rules: wantedRules.map((rule, index) => ({
            name: `r${index}`,
            ...rule,
            forward: written(rule.forward),
          })),
        }
      : {}),
  };
  return { seed, wanted };
}

/** Destinations in the form of a manifest. */
function written(forward: string): readonly string[] {
  return forward === 'null' ? ['discard'] : forward.split(',');
}

/** Live and wanted items: some unchanged, some different, some new. */
function edited<Item>(
  items: readonly Item[],
  others: readonly Item[],
  chance: Chance,
): readonly [readonly Item[], readonly Item[]] {
  const kept = items.filter(() => chance.number(4) > 0);
  return [items, chance.number(5) === 0 ? items : [...kept, ...others.slice(0, chance.number(3))]];
}

function randomForward(domain: string, chance: Chance): string {
  if (chance.number(12) === 0) return 'null';
  // Mail is forwarded only to later domains, because a guard refuses loops.
  const inside = DOMAINS.filter((other) => other > domain).map((other) => `${chance.pick(NAMES)}@${other}`);
  const all = [...OUTSIDE, ...OUTSIDE, ...inside];
  return [...new Set(Array.from({ length: 1 + chance.number(2) }, () => chance.pick(all)))].join(',');
}

function randomAliases(domain: string, chance: Chance): readonly (readonly [string, string])[] {
  const names = ['*', ...NAMES].filter(() => chance.number(3) > 0);
  return names.map((name) => [name, randomForward(domain, chance)] as const);
}

function randomRules(domain: string, chance: Chance): readonly Rule[] {
  return [...CONDITIONS, ...BODY_CONDITIONS]
    .filter(() => chance.number(3) === 0)
    .map((condition) => ({ ...condition, forward: randomForward(domain, chance) }));
}

function ruleConfig(condition: Condition, forward: string): NonNullable<SeedDomain['rules']>[number] {
  if ('alias' in condition) return { type: 'alias', config: { ...condition, forward } };
  if ('regex' in condition)
    return { type: 'regex', config: { ...condition, scopes: [...condition.scopes], forward } };
  return { type: 'cel', config: { ...condition, forward } };
}

export function randomMessages(chance: Chance, count: number): readonly SentMessage[] {
  return Array.from({ length: count }, () => ({
    to: `${chance.pick([...NAMES, 'info+x', 'Sales', 'nobody', 'jim'])}@${chance.pick(DOMAINS)}`,
    from: chance.pick(['vip@x.example', 'me@y.example', '']),
    subject: chance.pick(['', 'an invoice', 'gamma', 'hello']),
    body: chance.pick(BODIES),
  }));
}

/** Delivers a message and its copies inside the account as one message of the logs. Returns its final destinations. */
export function deliverAll(state: State, message: SentMessage, log: 'logged' | 'unlogged'): string {
  const ends = new Set<string>();
  const passed = new Set<string>();
  const open = [message.to];
  let id: string | undefined;
  let isDropped = false;
  for (const to of open) {
    if (passed.has(to)) continue;
    passed.add(to);
    const routed = routeMessage(state, { ...message, to });
    if (!routed.ok) {
      ends.add(to);
      continue;
    }
    const { domain, entries, route } = routed.value;
    id ??= entries[0]?.message_id;
    if (log === 'logged') for (const entry of entries) insertLog(state, domain, { ...entry, message_id: id });
    for (const next of forwardOf(route)) {
      if (next === DISCARD) isDropped = true;
      else if (next.includes('://')) ends.add(next);
      else open.push(next);
    }
  }
  return ends.size === 0 ? (isDropped ? 'discarded' : 'refused') : [...ends].sort().join();
}

function forwardOf(route: MailRoute): readonly string[] {
  return route.kind === 'refused' ? [] : decodeForward(route.forward);
}
