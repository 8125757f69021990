import fc from 'fast-check';
import type { SeedDomain, SeedRule } from '../../../../src/emulator/account/seed.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import { NAMED, scenarioOf, type Scenario } from '../scenario.ts';
import { LOCALS } from './simulate-forwards.ts';

/** Domains that forward to each other. Some are managed; mail reaches them through an unmanaged one. */
export interface ForwardsWorld {
  readonly version: 'v3' | 'v4';
  /** True if v3 shows the engine of a domain. */
  readonly v3RoutingEngine: 'shown' | 'omitted';
  readonly managed: readonly ManagedDomain[];
  readonly unmanaged: LiveDomain;
}

export interface LiveDomain {
  readonly name: string;
  readonly engine: 'alias' | 'rules';
  /** Destination of mail that no rule takes; `null` drops it. */
  readonly fallback: string;
  readonly aliases: Readonly<Record<string, string>>;
  readonly rules: readonly RandomRule[];
}

export interface ManagedDomain extends LiveDomain {
  readonly wanted: {
    /** null means that the manifest does not manage them. */
    readonly aliases: Readonly<Record<string, string>> | null;
    readonly rules: readonly RandomRule[] | null;
    readonly prune: boolean;
    readonly ignored: readonly string[];
  };
}

interface RandomRule {
  readonly condition: number;
  readonly forward: string;
  readonly active: boolean;
}

/** Conditions about the recipient, so that mails need no content. */
const CONDITIONS = [
  { type: 'alias', config: { alias: 'info' }, manifest: 'alias: info' },
  { type: 'alias', config: { alias: 'h*' }, manifest: 'alias: "h*"' },
  {
    type: 'regex',
    config: { regex: 'desk@.*', scopes: ['recipient'] },
    manifest: 'regex: "desk@.*", scopes: [recipient]',
  },
  {
    type: 'cel',
    config: { expression: 'recipient.startsWith("jobs")' },
    manifest: `expression: 'recipient.startsWith("jobs")'`,
  },
  { type: 'alias', config: { alias: '*' }, manifest: 'alias: "*"' },
] as const;

const MANAGED = ['acme.example', 'other.example'] as const;
const UNMANAGED = 'relay.example';
const ADDRESSES: readonly string[] = [...MANAGED, UNMANAGED].flatMap((domain) =>
  LOCALS.map((local) => `${local}@${domain}`),
);

export const names = fc.constantFrom('info', 'jobs', 'help', '(desk|help)', '*');
const outside = fc.constantFrom('a@x.example', 'b@x.example');
const inside = fc.constantFrom(...ADDRESSES);
const inManaged = fc.constantFrom(...ADDRESSES.filter((address) => !address.endsWith(UNMANAGED)));
export const forwards = fc.oneof(
  { weight: 4, arbitrary: outside },
  { weight: 5, arbitrary: inside },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(outside, inside), inside).map((both) => both.join(', ')) },
  { weight: 2, arbitrary: fc.constant('null') },
);
const relayed = fc.oneof(
  { weight: 5, arbitrary: inManaged },
  { weight: 1, arbitrary: fc.tuple(inManaged, inManaged).map((both) => both.join(', ')) },
);
const aliasesTo = (to: fc.Arbitrary<string>) =>
  fc.dictionary(names, to, { maxKeys: 4, noNullPrototype: false });
const rulesTo = (to: fc.Arbitrary<string>) =>
  fc.uniqueArray(
    fc.record({
      condition: fc.nat(CONDITIONS.length - 1),
      forward: to,
      active: fc.boolean(),
    }),
    { selector: ({ condition }) => condition, maxLength: 4 },
  );
const engine = fc.oneof(
  { weight: 3, arbitrary: fc.constant('alias' as const) },
  { weight: 2, arbitrary: fc.constant('rules' as const) },
);
const fallback = fc.oneof(outside, inside, fc.constant('null'));

function managedDomain(domain: string): fc.Arbitrary<ManagedDomain> {
  const wanted = fc.record({
    aliases: fc.option(aliasesTo(forwards), { freq: 8 }),
    rules: fc.option(rulesTo(forwards), { freq: 3 }),
    prune: fc.boolean(),
    ignored: fc.oneof(fc.constant([]), fc.constant(['help'])),
  });
  return fc.record({
    name: fc.constant(domain),
    engine,
    fallback,
    aliases: aliasesTo(forwards),
    rules: rulesTo(forwards),
    wanted,
  });
}

const anyWorld: fc.Arbitrary<ForwardsWorld> = fc.record({
  version: fc.constantFrom('v4' as const, 'v3' as const),
  v3RoutingEngine: fc.constantFrom('shown' as const, 'omitted' as const),
  managed: fc.tuple(...MANAGED.map(managedDomain)),
  unmanaged: fc.record({
    name: fc.constant(UNMANAGED),
    engine,
    fallback,
    aliases: aliasesTo(relayed),
    rules: rulesTo(relayed),
  }),
});

/** Worlds whose manifest alone makes no loop. */
export const forwardsWorld = anyWorld.map(withWhatIsTold).filter((world) => {
  const text = `version: 1\n${manifestOf(world)}\n`;
  const options = { references: 'required', resolve: () => null, apiVersion: world.version } as const;
  return loadManifest([{ file: NAMED, text }], options).desired !== null;
});

/**
 * v3 does not show where mail goes if no rule matches, so it goes to the default. If v3 does not show the engines either, all domains
 * have the same engine, because the section that decides is not read for some of them.
 */
function withWhatIsTold(world: ForwardsWorld): ForwardsWorld {
  const { version, v3RoutingEngine, managed, unmanaged } = world;
  if (version === 'v4') return world;
  const told = <Domain extends LiveDomain>(domain: Domain): Domain => ({
    ...domain,
    fallback: 'owner@account.example',
    engine: v3RoutingEngine === 'shown' ? domain.engine : unmanaged.engine,
  });
  return { ...world, managed: managed.map(told), unmanaged: told(unmanaged) };
}

export function scenarioIn(world: ForwardsWorld): Scenario {
  const domains = accountOf(world);
  const { version, v3RoutingEngine } = world;
  const emulator = { state: { domains }, switches: { v3RoutingEngine } };
  return scenarioOf('mail through several domains', manifestOf(world), { domains }, { version, emulator });
}

function manifestOf({ managed }: ForwardsWorld): string {
  const bodies = managed.map(({ name: domain, wanted }) => {
    const lines = [`  ${domain}:`, `    prune: ${wanted.prune}`];
    if (wanted.ignored.length > 0) lines.push(`    ignore: { aliases: ${JSON.stringify(wanted.ignored)} }`);
    return [...lines, ...aliasLines(wanted), ...ruleLines(wanted)].join('\n');
  });
  return `guards: { max_deletes: 1000, max_delete_percent: 100 }\ndomains:\n${bodies.join('\n')}`;
}

function aliasLines({ aliases, ignored }: ManagedDomain['wanted']): readonly string[] {
  if (aliases === null) return [];
  const entries = Object.entries(aliases).filter(([alias]) => !ignored.includes(alias));
  const lines = entries.map(([alias, to]) => `      ${JSON.stringify(alias)}: ${written(to)}`);
  return lines.length === 0 ? ['    aliases: {}'] : ['    aliases:', ...lines];
}

function ruleLines({ rules }: ManagedDomain['wanted']): readonly string[] {
  if (rules === null) return [];
  const lines = rules.map(({ condition, forward: to, active }) => {
    const { manifest } = CONDITIONS[condition] ?? CONDITIONS[0];
    return `      - { name: r${condition}, ${manifest}, forward: ${written(to)}, active: ${active} }`;
  });
  return lines.length === 0 ? ['    rules: []'] : ['    rules:', ...lines];
}

function written(to: string): string {
  return to === 'null' ? 'discard' : `[${to}]`;
}

function accountOf({ managed, unmanaged }: ForwardsWorld): readonly SeedDomain[] {
  return [...managed, unmanaged].map((domain, position) => ({
    domain: domain.name,
    routing_engine: domain.engine,
    rules_fallback_email: domain.fallback === 'null' ? null : domain.fallback,
    aliases: Object.entries(domain.aliases).map(([alias, to], index) => ({
      id: 100 * position + index + 1,
      alias,
      forward: to,
    })),
    rules: domain.rules.map((rule, index) => seedRule(rule, position, index)),
  }));
}

function seedRule({ condition, forward: to, active }: RandomRule, position: number, index: number): SeedRule {
  const { type, config } = CONDITIONS[condition] ?? CONDITIONS[0];
  const scopes = 'scopes' in config ? { scopes: [...config.scopes] } : {};
  return {
    id: `000000${position}${index}-0000-4000-8000-000000000000`,
    type,
    config: { ...config, ...scopes, forward: to },
    rank: index + 1,
    active,
  };
}
