import type { SeedDomain, SeedRule } from '../../../src/emulator/account/seed.ts';
import { scenarioOf, type Scenario } from './scenario.ts';

/** The manifest of one domain, which each step edits. */
interface Wanted {
  readonly aliases: Readonly<Record<string, string>>;
  readonly rules: readonly WantedRule[];
}

interface WantedRule {
  readonly name: string;
  readonly condition: keyof typeof CONDITIONS;
  readonly forward: string;
  readonly active: boolean;
}

const CONDITIONS = {
  alias: { manifest: 'alias: orders', seed: { type: 'alias', config: { alias: 'orders' } } },
  regex: {
    manifest: 'regex: ".*invoice.*", scopes: [subject]',
    seed: { type: 'regex', config: { regex: '.*invoice.*', scopes: ['subject'] } },
  },
  cel: {
    manifest: `expression: 'sender.endsWith("@vip.example")'`,
    seed: { type: 'cel', config: { expression: 'sender.endsWith("@vip.example")' } },
  },
  jobs: { manifest: 'alias: jobs', seed: { type: 'alias', config: { alias: 'jobs' } } },
  rest: { manifest: 'alias: "*"', seed: { type: 'alias', config: { alias: '*' } } },
} as const;

const FIRST: Wanted = {
  aliases: { sales: 'a', info: 'b', keep: 'c' },
  rules: [
    { name: 'jobs', condition: 'jobs', forward: 'a', active: true },
    { name: 'focus', condition: 'regex', forward: 'b', active: true },
    { name: 'rest', condition: 'rest', forward: 'c', active: true },
  ],
};

/** Operations on the alias `sales` and the rule `focus`, which may be missing or changed. */
export const OPERATIONS: Readonly<Record<string, (wanted: Wanted, step: number) => Wanted>> = {
  add: ({ aliases, rules }, step) => ({
    aliases: { ...aliases, [`new${step}`]: 'd' },
    rules: [{ name: `new${step}`, condition: 'alias', forward: 'd', active: true }, ...rules],
  }),
  change: (wanted, step) => ({
    aliases: 'sales' in wanted.aliases ? { ...wanted.aliases, sales: `e${step}` } : wanted.aliases,
    rules: onFocus(wanted.rules, (rule) => ({ ...rule, forward: `e${step}` })),
  }),
  remove: ({ aliases: { sales: _, ...aliases }, rules }) => ({
    aliases,
    rules: rules.filter(({ name }) => name !== 'focus'),
  }),
  rename: ({ aliases: { sales = 'a', ...aliases }, rules }, step) => ({
    aliases: { ...aliases, [`sales${step}`]: sales },
    rules: onFocus(rules, (rule) => ({ ...rule, name: `focus${step}` })),
  }),
  move: ({ aliases, rules }) => ({ aliases, rules: [...rules.slice(-1), ...rules.slice(0, -1)] }),
  swap: ({ aliases, rules: [first, second, ...rules] }) => ({
    aliases: { ...aliases, info: aliases['keep'] ?? 'x', keep: aliases['info'] ?? 'x' },
    rules: [second, first, ...rules].filter((rule) => rule !== undefined),
  }),
  toggle: (wanted) => ({
    aliases:
      'sales' in wanted.aliases
        ? { ...wanted.aliases, sales: wanted.aliases['sales'] === 'discard' ? 'a' : 'discard' }
        : wanted.aliases,
    rules: onFocus(wanted.rules, (rule) => ({ ...rule, active: !rule.active })),
  }),
  'change of type': (wanted) => ({
    aliases: wanted.aliases,
    rules: onFocus(wanted.rules, (rule) => ({
      ...rule,
      condition: rule.condition === 'cel' ? 'regex' : 'cel',
    })),
  }),
};

function onFocus(
  rules: readonly WantedRule[],
  edit: (rule: WantedRule) => WantedRule,
): readonly WantedRule[] {
  return rules.map((rule) => (rule.name.startsWith('focus') ? edit(rule) : rule));
}

const IGNORED_RULE = '99999999-0000-4000-8000-000000000000';

type Account = Pick<SeedDomain, 'aliases' | 'rules'>;

/** State of the account before the first manifest. From `managed` on, the state directory knows the account. */
export const STATES: Readonly<
  Record<string, { readonly account: Account; readonly prior: 'applied' | 'none' }>
> = {
  absent: { account: seed({ aliases: { keep: 'c', info: 'b' }, rules: [] }), prior: 'none' },
  equal: { account: seed(FIRST), prior: 'none' },
  different: { account: seed(FIRST, { sales: 'z', focus: 'z' }), prior: 'none' },
  'in another case': { account: renamed(seed(FIRST), { sales: 'SALES', info: 'Info' }), prior: 'none' },
  'made by hand': { account: renamed(seed(FIRST), { info: 'byhand' }), prior: 'none' },
  'beside unmanaged': { account: withIgnored(seed(FIRST)), prior: 'none' },
  managed: { account: seed({ aliases: {}, rules: [] }), prior: 'applied' },
};

/** Manifests of a sequence of operations on an account in one of the states. The last manifest is the one under test. */
export function sequenceOf(state: string, operations: readonly string[]): Scenario {
  const { account, prior } = STATES[state] ?? { account: {}, prior: 'none' };
  const steps = [FIRST];
  for (const [index, operation] of operations.entries()) {
    const before = steps[index] ?? FIRST;
    steps.push(OPERATIONS[operation]?.(before, index + 1) ?? before);
  }
  // On an unmanaged account the first operation comes first.
  const manifests = steps.slice(prior === 'applied' ? 0 : 1).map(manifestOf);
  return scenarioOf(
    `${state}: ${operations.join(', ')}`,
    manifests.at(-1) ?? '',
    { domains: [{ domain: 'acme.example', routing_engine: 'rules', ...account }] },
    { before: manifests.slice(0, -1), flags: { allowDeletes: 0 } },
  );
}

function manifestOf({ aliases, rules }: Wanted): string {
  const entries = Object.entries(aliases).map(([name, to]) => `      ${name}: ${destination(to)}`);
  const listed = rules.map(
    ({ name, condition, forward, active }) =>
      `      - { name: ${name}, ${CONDITIONS[condition].manifest}, forward: ${destination(forward)}, active: ${active} }`,
  );
  return [
    'guards: { max_deletes: 1000, max_delete_percent: 100 }',
    'domains:',
    '  acme.example:',
    '    prune: true',
    `    ignore: { aliases: ["tmp-*"], rules: ["${IGNORED_RULE}"] }`,
    '    aliases:',
    ...entries,
    '    rules:',
    ...listed,
  ].join('\n');
}

function destination(name: string): string {
  return name === 'discard' ? name : `${name}@corp.example`;
}

function seed({ aliases, rules }: Wanted, others: Readonly<Record<string, string>> = {}): Account {
  return {
    aliases: Object.entries(aliases).map(([alias, to]) => ({
      alias,
      forward: destination(others[alias] ?? to),
    })),
    rules: rules.map(({ name, condition, forward, active }, index): SeedRule => {
      const { type, config } = CONDITIONS[condition].seed;
      const id = `0000000${index}-0000-4000-8000-000000000000`;
      return {
        id,
        type,
        config: { ...config, forward: destination(others[name] ?? forward) },
        rank: index + 1,
        active,
      };
    }),
  };
}

function renamed({ aliases = [], rules = [] }: Account, names: Readonly<Record<string, string>>): Account {
  return { rules, aliases: aliases.map(({ alias, forward }) => ({ alias: names[alias] ?? alias, forward })) };
}

function withIgnored({ aliases = [], rules = [] }: Account): Account {
  const config = { alias: 'tmp', forward: 'zoe@corp.example' };
  return {
    aliases: [...aliases, { alias: 'tmp-zoe', forward: 'zoe@corp.example' }],
    rules: [...rules, { id: IGNORED_RULE, type: 'alias', config, rank: 1.5, active: true }],
  };
}
