import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SeedDomain, SeedRule } from '../../../src/emulator/account/seed.ts';
import { openScene } from './support/harness.ts';
import { everyNth, runs } from '../../support/share.ts';
import { domainOf, mailTo, replay, strayRoutes } from './support/replay.ts';

/** Number of random domains that one run changes. */
const DOMAINS = runs(60, 8);
const FORWARDS = ['one', 'two', 'three'];

function domainName(index: number): string {
  return `d${index}.example`;
}

interface RandomDomain {
  readonly manifest: string;
  readonly seed: Omit<SeedDomain, 'domain'>;
}

/** Applies everything in one run and checks every moment of every domain. */
async function strays(
  domains: readonly RandomDomain[],
  otherRules: 'allowed' | 'never',
): Promise<readonly string[]> {
  const manifest = domains.map(
    ({ manifest: body }, index) => `  ${domainName(index)}:\n    prune: true\n${body}`,
  );
  const scene = await openScene({
    manifest: `guards: { max_deletes: 100000, max_delete_percent: 100 }\ndomains:\n${manifest.join('\n')}`,
    seed: { domains: domains.map(({ seed }, index) => ({ domain: domainName(index), ...seed })) },
    rateLimit: 100_000,
  });
  const start = scene.account.emulator.store.dump();
  const { report, writes, end } = await scene.run();
  expect(report.outcome).toBe('converged');
  return domains.flatMap((_, index) => {
    const moments = replay(domainOf(start, domainName(index)), writes);
    expect(moments.at(-1)?.rules.map(({ id }) => id)).toEqual(
      domainOf(end, domainName(index)).rules.map(({ id }) => id),
    );
    const mails = ['a', 'b', 'a+x', 'ab', 'c', 'zz'].flatMap((name) =>
      ['', 'invoice'].map((subject) => mailTo(`${name}@${domainName(index)}`, subject)),
    );
    return strayRoutes(moments, mails, { otherRules });
  });
}

const forward = fc.constantFrom(...FORWARDS).map((name) => `${name}@corp.example`);
const ALIASES = ['a', 'b', 'c', 'a+x', '(a|b)', '*'] as const;
const aliasSet = fc.record(
  Object.fromEntries(ALIASES.map((name) => [name, fc.option(forward)])),
) as fc.Arbitrary<Record<string, string | null>>;

const aliasDomain: fc.Arbitrary<RandomDomain> = fc.tuple(aliasSet, aliasSet).map(([before, after]) => ({
  manifest: `    aliases: {${Object.entries(after)
    .flatMap(([name, to]) => (to === null ? [] : [` "${name}": ${to}`]))
    .join(',')} }`,
  seed: {
    aliases: Object.entries(before).flatMap(([alias, to]) => (to === null ? [] : [{ alias, forward: to }])),
  },
}));

test.each(everyNth(2, [1, 2]))(
  'aliases: never a moment at which mail goes elsewhere (seed %i)',
  async (seed) => {
    expect(await strays(fc.sample(aliasDomain, { numRuns: DOMAINS, seed }), 'never')).toEqual([]);
  },
);

/** Conditions of rules, in the form of the API and of a manifest. */
const CONDITIONS = [
  { type: 'alias', config: { alias: 'a' }, manifest: 'alias: a' },
  { type: 'alias', config: { alias: 'a*' }, manifest: 'alias: "a*"' },
  { type: 'alias', config: { alias: 'b' }, manifest: 'alias: b' },
  { type: 'alias', config: { alias: '*' }, manifest: 'alias: "*"' },
  {
    type: 'regex',
    config: { regex: '.*inv.*', scopes: ['subject'] },
    manifest: 'regex: ".*inv.*", scopes: [subject]',
  },
] as const;

interface RandomRule {
  readonly condition: number;
  readonly forward: string;
  readonly active: boolean;
}

const randomRule: fc.Arbitrary<RandomRule> = fc.record({
  condition: fc.nat(CONDITIONS.length - 1),
  forward,
  active: fc.boolean(),
});

interface RulePlan {
  /** Numbers of the rules before and after the run, in order. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly old: readonly RandomRule[];
  readonly wanted: readonly RandomRule[];
}

const COUNT = 6;
const rulePlan: fc.Arbitrary<RulePlan> = fc.record({
  before: fc.shuffledSubarray(Array.from({ length: COUNT }, (_, index) => index)),
  after: fc.shuffledSubarray(Array.from({ length: COUNT }, (_, index) => index)),
  old: fc.array(randomRule, { minLength: COUNT, maxLength: COUNT }),
  wanted: fc.array(randomRule, { minLength: COUNT, maxLength: COUNT }),
});

function ruleId(domain: number, rule: number): string {
  return `00000000-0000-4000-8000-${String(domain).padStart(6, '0')}${String(rule).padStart(6, '0')}`;
}

function ruleDomain({ before, after, old, wanted }: RulePlan, domain: number): RandomDomain {
  const entries = after.map((rule) => {
    const { condition, forward: to, active } = wanted[rule] ?? NO_RULE;
    return `      - { id: ${ruleId(domain, rule)}, name: r${rule}, ${CONDITIONS[condition]?.manifest}, forward: ${to}, active: ${active} }`;
  });
  const rules = before.map((rule, position): SeedRule => {
    const { condition, forward: to, active } = old[rule] ?? NO_RULE;
    const { type = 'alias', config = {} } = CONDITIONS[condition] ?? {};
    return { id: ruleId(domain, rule), type, config: { ...config, forward: to }, rank: position + 1, active };
  });
  return {
    manifest: entries.length === 0 ? '    rules: []' : `    rules:\n${entries.join('\n')}`,
    seed: { rules },
  };
}

const NO_RULE: RandomRule = { condition: 0, forward: 'one@corp.example', active: true };

/** Each rule keeps its type, and all live rules except the first keep their condition. */
function withSteadyConditions(plan: RulePlan): RulePlan {
  const [changing] = plan.before.filter((rule) => plan.after.includes(rule));
  const wanted = plan.wanted.map((rule, index) => {
    const old = plan.old[index] ?? NO_RULE;
    const sameType = CONDITIONS[rule.condition]?.type === CONDITIONS[old.condition]?.type;
    if (!plan.before.includes(index) || (index === changing && sameType)) return rule;
    return { ...rule, condition: old.condition };
  });
  return { ...plan, wanted };
}

test.each(everyNth(3, [1, 2, 3]))(
  'rules: at most to another rule that takes the mail anyway, never to nothing (seed %i)',
  async (seed) => {
    const plans = fc.sample(rulePlan, { numRuns: DOMAINS, seed }).map(withSteadyConditions);
    expect(await strays(plans.map(ruleDomain), 'allowed')).toEqual([]);
  },
);

/** Changes that only delete or only add need no tolerance. */
const PURE: Readonly<Record<string, (plan: RulePlan) => RulePlan>> = {
  'only deletes': (plan) => ({
    ...plan,
    after: plan.before.filter((rule) => plan.after.includes(rule)),
    wanted: plan.old,
  }),
  'only adds': (plan) => ({
    ...plan,
    before: plan.after.filter((rule) => plan.before.includes(rule)),
    wanted: plan.old,
  }),
  'only switching off': (plan) => ({
    ...plan,
    after: plan.before,
    wanted: plan.old.map((rule, index) => ({ ...rule, active: rule.active && plan.after.includes(index) })),
  }),
  'only switching on': (plan) => ({
    ...plan,
    after: plan.before,
    wanted: plan.old.map((rule, index) => ({ ...rule, active: rule.active || plan.after.includes(index) })),
  }),
  'only destinations': (plan) => ({
    ...plan,
    after: plan.before,
    wanted: plan.old.map((rule, index) => ({
      ...rule,
      forward: plan.wanted[index]?.forward ?? rule.forward,
    })),
  }),
};

test.each(Object.keys(PURE))('rules, %s: as before or as afterwards at every moment', async (name) => {
  const plans = fc.sample(rulePlan, { numRuns: DOMAINS, seed: 7 }).map((plan) => PURE[name]?.(plan) ?? plan);
  expect(await strays(plans.map(ruleDomain), 'never')).toEqual([]);
});
