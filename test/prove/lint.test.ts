import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PresentDomain } from '../../src/core/model/desired.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import type { Problem } from '../../src/core/model/manifest/problem.ts';
import { createRouter, type RoutingTable } from '../../src/core/routing/route.ts';
import type { PresentAlias } from '../../src/core/kinds/alias/fields.ts';
import type { PresentRule } from '../../src/core/kinds/rule/fields.ts';
import { load, measureLint } from './support/linted.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const ALIASES = [
  'a',
  'b',
  'ab',
  'abc',
  'a+x',
  '*',
  '(a|b)',
  '(a.*)',
  '(.*)',
  '(ab|abc)',
  '(a.+)',
  '([a-z]b)',
  'b*',
  '^ab$',
  'postmaster',
  '(abuse|x)',
];
const RULE_ALIASES = ['a', 'A', 'a*', 'ab*', '*', '(a|b)', '(ab|abc)', '(a.*)', '^(a|ab)(c|)$', '*a'];
const REGEXES = ['.*', '^.*$', '.*a.*', '(.*)', '.+', 'a'];
const LOCAL_PARTS = [
  'a',
  'b',
  'c',
  'ab',
  'abc',
  'abb',
  'a+x',
  'a+y',
  'ab+x',
  'aax',
  'zb',
  'x',
  'postmaster',
  'abuse',
  'A',
  '*a',
];
const TEXTS = ['', 'a', 'b', 'xay'];

const forward = fc.constantFrom(
  'x@corp.example',
  'y@corp.example',
  'a@acme.example',
  'discard',
  'http://h.example/x',
  'one',
  '[one, two]',
);
/** Only exact names, or names and patterns; with patterns fewer statements are certain. */
const names = [ALIASES.filter((name) => name === '*' || !/[^a-z]/.test(name)), ALIASES];
const aliases = fc
  .constantFrom(...names)
  .chain((some) =>
    fc.uniqueArray(fc.tuple(fc.constantFrom(...some), forward), { selector: ([name]) => name, maxLength: 8 }),
  );
const condition = fc.oneof(
  fc.constantFrom(...RULE_ALIASES).map((name) => `alias: '${name}'`),
  fc
    .tuple(
      fc.constantFrom(...REGEXES),
      fc.uniqueArray(fc.constantFrom('sender', 'subject', 'body', 'recipient'), { minLength: 1 }),
    )
    .map(([regex, scopes]) => `regex: '${regex}', scopes: [${scopes.join(', ')}]`),
  fc.constantFrom('true', "subject == 'a'").map((expression) => `expression: "${expression}"`),
);
const rule = fc.tuple(condition, forward, fc.boolean());
const manifest = fc
  .record({
    prune: fc.boolean(),
    aliases,
    rules: fc.array(rule, { maxLength: 6 }),
  })
  .map(({ prune, aliases, rules }) =>
    [
      'version: 1',
      'destinations: { one: o@corp.example, two: [one, t@corp.example] }',
      'templates: { t: { aliases: { b: x@corp.example } } }',
      'domains:',
      '  acme.example:',
      `    prune: { aliases: ${prune} }`,
      `    aliases: { ${aliases.map(([name, to]) => `'${name}': ${to}`).join(', ')} }`,
      `    rules: [${rules.map(([what, to, active], at) => `{ name: r${at}, ${what}, forward: ${to}, active: ${active} }`).join(', ')}]`,
      '',
    ].join('\n'),
  );

/** True if the statement of a finding holds for every message of a small world. */
function holds({ code, message }: Problem, domain: PresentDomain): boolean {
  const names = [...message.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  const aliases = [...(domain.aliases?.entries.values() ?? [])].filter((entry) => entry.state === 'present');
  const rules = (domain.rules?.entries ?? []).filter((entry) => entry.state === 'present');
  const table = { aliases, rules, fallback: null } as const;
  switch (code) {
    case 'shadowed-alias':
      return routes({ ...table, mode: 'aliases' }).every(
        (route) => route.kind !== 'alias' || route.alias.name !== names[0],
      );
    case 'shadowed-rule':
      return routes({ ...table, mode: 'rules' }).every(
        (route) => route.kind !== 'rule' || route.rule.name !== names[0],
      );
    case 'equal-condition':
      return routes({ ...table, mode: 'rules' }).every(
        (route) => route.kind !== 'rule' || route.rule.name !== names[1],
      );
    case 'same-as-catch-all': {
      const without = aliases.filter(({ name }) => name !== names[0]);
      return (
        JSON.stringify(ends({ ...table, mode: 'aliases' })) ===
        JSON.stringify(ends({ ...table, aliases: without, mode: 'aliases' }))
      );
    }
    case 'overlapping-patterns': {
      const [first, second, address = ''] = names;
      const taking = createRouter({ ...table, mode: 'aliases' })
        .routes({ to: address, from: '', subject: '', body: '' })
        .flatMap((route) => (route.kind === 'alias' ? [route.alias.name as string] : []));
      return [first, second].every((name) => taking.includes(name ?? ''));
    }
    case 'no-postmaster':
    case 'no-abuse':
      return routes({ ...table, mode: 'aliases' }, [code.slice(3)]).every(({ kind }) => kind === 'refused');
    default:
      return true;
  }
}

function routes(table: RoutingTable<PresentAlias, PresentRule>, localParts: readonly string[] = LOCAL_PARTS) {
  const router = createRouter(table);
  return localParts.flatMap((local) =>
    (table.mode === 'aliases' ? [''] : TEXTS).map((text) =>
      router.route({ to: `${local}@acme.example`, from: text, subject: text, body: text }),
    ),
  );
}

function ends(table: RoutingTable<PresentAlias, PresentRule>): readonly unknown[] {
  return routes(table).map((route) => (route.kind === 'refused' ? null : route.forward.toSorted()));
}

test('findings of the linter about random manifests are true, and most have one', () => {
  const found = new Map<string, number>();
  fc.assert(
    fc.property(manifest, (text) => {
      const { problems, desired } = load(text);
      const errors = problems.filter(({ severity }) => severity === 'error');
      if (desired === null) {
        expect(errors.map(({ code }) => code)).toContain('loop');
        return;
      }
      const domain = desired.domains.get('acme.example' as DomainName);
      if (domain?.state !== 'present') throw new Error('no acme.example');
      for (const problem of problems) {
        found.set(problem.code, (found.get(problem.code) ?? 0) + 1);
        expect(holds(problem, domain), `${text}\n${problem.message}`).toBe(true);
      }
    }),
    { numRuns: runs(10_000, 100), seed: PROVE_SEED },
  );
  for (const code of [
    'shadowed-alias',
    'shadowed-rule',
    'overlapping-patterns',
    'equal-condition',
    'same-as-catch-all',
    'no-postmaster',
    'no-abuse',
    'literal-pattern',
    'same-domain-destination',
    'plain-http',
    'anchoring',
    'unused-destination',
    'unused-template',
  ])
    expect(found.get(code) ?? 0, code).toBeGreaterThan(0);
});

test('time is linear in patterns and rules, however many of them are alike', () => {
  const one = measureLint(domainsOf(500));
  const ten = measureLint(domainsOf(5_000));
  // The first measure also pays for compiling the program.
  expect(ten).toBeLessThan(30 * Math.max(one, 0.05));
});

function domainsOf(count: number) {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const text = [
    'version: 1',
    'domains:',
    '  acme.example:',
    '    prune: true',
    '    aliases:',
    ...indexes.map((index) => `      (a${index}|b${index}|c.*): x@corp.example`),
    '    rules:',
    ...indexes.map((index) => `      - { name: r${index}, alias: a${index}*, forward: x@corp.example }`),
    '',
  ].join('\n');
  const { desired, problems } = load(text);
  if (desired === null) throw new Error(JSON.stringify(problems.slice(0, 3)));
  return desired.domains;
}
