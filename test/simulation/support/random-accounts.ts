import fc from 'fast-check';
import type { SeedDomain, SeedRule } from '../../../src/emulator/account/seed.ts';

/** A random manifest and a random account with names in common. */
export interface RandomWorld {
  readonly domains: readonly RandomDomain[];
}

export interface RandomDomain {
  readonly name: string;
  readonly wanted: {
    readonly aliases: Readonly<Record<string, string>> | null;
    readonly rules: readonly RandomRule[] | null;
    readonly prune: boolean;
    readonly ignore: boolean;
  };
  readonly live: Readonly<Record<string, string>>;
  readonly liveRules: readonly RandomRule[];
}

interface RandomRule {
  readonly condition: number;
  readonly forward: string;
  readonly active: boolean;
}

const CONDITIONS = [
  { type: 'alias', config: { alias: 'jobs' }, manifest: 'alias: jobs' },
  { type: 'alias', config: { alias: 'or*' }, manifest: 'alias: "or*"' },
  {
    type: 'regex',
    config: { regex: '.*inv.*', scopes: ['subject'] },
    manifest: 'regex: ".*inv.*", scopes: [subject]',
  },
  { type: 'cel', config: { expression: 'subject == "x"' }, manifest: `expression: 'subject == "x"'` },
  { type: 'alias', config: { alias: '*' }, manifest: 'alias: "*"' },
] as const;

const NAMES = [
  'info',
  'sales',
  'jobs',
  'tmp-1',
  '007',
  'no',
  '(desk|help)',
  'a.b-c_d',
  '*',
  'münchen',
  '__proto__',
];
const forward = fc
  .uniqueArray(fc.constantFrom('a@x.example', 'b@x.example', 'c+d@y.example', 'https://hooks.example/in'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list) => list.join(', '));
const aliases = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof({ weight: 9, arbitrary: forward }, { weight: 1, arbitrary: fc.constant('null') }),
  {
    noNullPrototype: false,
  },
);
const rules = fc.uniqueArray(
  fc.record({ condition: fc.nat(CONDITIONS.length - 1), forward, active: fc.boolean() }),
  { selector: ({ condition }) => condition, maxLength: 5 },
);

function domain(name: string): fc.Arbitrary<RandomDomain> {
  const wanted = fc.record({
    aliases: fc.option(aliases),
    rules: fc.option(rules),
    prune: fc.boolean(),
    ignore: fc.boolean(),
  });
  return fc.record({ name: fc.constant(name), wanted, live: aliases, liveRules: rules });
}

export const randomWorld: fc.Arbitrary<RandomWorld> = fc.record({
  domains: fc.tuple(domain('acme.example'), domain('other.example')),
});

/** Writes the manifest. `reverse` reverses the order of entries where it has no meaning. */
export function manifestOf({ domains }: RandomWorld, order: 'as-made' | 'reversed'): string {
  const arrange = <T>(items: readonly T[]): readonly T[] =>
    order === 'reversed' ? items.toReversed() : items;
  const bodies = arrange(domains).map(({ name, wanted }) =>
    [
      `  ${name}:`,
      `    prune: ${wanted.prune}`,
      ...(wanted.ignore ? ['    ignore: { aliases: ["tmp-*"] }'] : []),
    ]
      .concat(
        wanted.aliases === null ? [] : aliasLines(arrange(Object.entries(wanted.aliases)), wanted.ignore),
      )
      .concat(wanted.rules === null ? [] : ruleLines(wanted.rules))
      .join('\n'),
  );
  return `guards: { max_deletes: 1000, max_delete_percent: 100 }\ndomains:\n${bodies.join('\n')}`;
}

function aliasLines(entries: readonly (readonly [string, string])[], ignore: boolean): readonly string[] {
  const named = entries.filter(([alias]) => !ignore || !alias.startsWith('tmp-'));
  const lines = named.map(
    ([alias, to]) => `      ${JSON.stringify(alias)}: ${to === 'null' ? 'discard' : `[${to}]`}`,
  );
  return lines.length === 0 ? ['    aliases: {}'] : ['    aliases:', ...lines];
}

function ruleLines(list: readonly RandomRule[]): readonly string[] {
  const lines = list.map(({ condition, forward: to, active }) => {
    const { manifest } = CONDITIONS[condition] ?? CONDITIONS[0];
    return `      - { name: r${condition}, ${manifest}, forward: [${to}], active: ${active} }`;
  });
  return lines.length === 0 ? ['    rules: []'] : ['    rules:', ...lines];
}

export function accountOf({ domains }: RandomWorld): readonly SeedDomain[] {
  return domains.map(({ name, live, liveRules }, position) => ({
    domain: name,
    routing_engine: 'rules',
    aliases: Object.entries(live).map(([alias, to], index) => ({
      id: 100 * position + index + 1,
      alias,
      forward: to,
    })),
    rules: liveRules.map(({ condition, forward: to, active }, index): SeedRule => {
      const { type, config } = CONDITIONS[condition] ?? CONDITIONS[0];
      const id = `0000000${index}-0000-4000-8000-000000000000`;
      return {
        id,
        type,
        config: { ...config, scopes: [...('scopes' in config ? config.scopes : [])], forward: to },
        rank: index + 1,
        active,
      } as SeedRule;
    }),
  }));
}
