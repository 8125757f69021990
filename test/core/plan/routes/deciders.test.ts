import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Decider, PlannedRoute, RouteEnds } from '../../../../src/core/model/plan.ts';
import type { DesiredRule, ObservedRule } from '../../../../src/core/kinds/rule/fields.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import {
  ACME,
  aliasSection,
  at,
  desired,
  live,
  liveAliases,
  liveRule,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';
const A = 'ana@corp.example';
const B = 'ben@corp.example';
const C = 'cem@corp.example';
const VIP: RuleMatch = { type: 'alias', alias: 'vip' };
const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject'] };
const EVERYTHING: RuleMatch = { type: 'alias', alias: '*' };
const BY_ALIASES = { routingEngine: 'alias' } as const;
const BY_RULES = { routingEngine: 'rules', rulesFallbackEmail: C } as const;

function routes(wanted: readonly DesiredDomain[], rows: readonly ObservedDomain[]): readonly PlannedRoute[] {
  const account = observed(rows, { account: { email: 'ops@corp.example' } });
  const manifest = desired(wanted);
  return planRoutes({ ...plan(manifest, account), desired: manifest, observed: account });
}

function who({ address, rule: taker, domain }: PlannedRoute): string {
  return address ?? (taker === null ? `others at ${domain}` : `rule ${taker.name}`);
}

describe('the entries that decide about mail', () => {
  function deciders(found: readonly PlannedRoute[]): readonly string[] {
    const named = (by: Decider | null): string => (by === null ? 'nobody' : `${by.kind} ${by.name}`);
    return found.map((route) => `${who(route)}: ${named(route.by.before)} -> ${named(route.by.after)}`);
  }
  const ofRules = (entries: readonly DesiredRule[], rows: Partial<ObservedDomain>) =>
    deciders(
      routes([present(ACME, { rules: ruleSection(entries) })], [live(ACME, { ...BY_RULES, ...rows })]),
    );
  const vip = liveRule('r1', 5, A, { match: VIP });
  const bills = liveRule('r2', 6, A, { match: INVOICE });

  test.each<[string, readonly DesiredRule[], Partial<ObservedDomain>, readonly string[]]>([
    [
      'a rule, by its name in the manifest',
      [rule('Bosses', B, { id: 'r1', idIsWritten: true, match: VIP })],
      { rules: [vip] },
      ['vip@acme.example: rule Bosses -> rule Bosses'],
    ],
    [
      'rules that are recognised by their content, and one before them',
      [
        rule('all', B, { match: EVERYTHING }),
        rule('Bosses', A, { match: VIP }),
        rule('Bills', A, { match: INVOICE }),
      ],
      { rules: [vip, bills] },
      [
        'vip@acme.example: rule Bosses -> rule all',
        'rule Bills: rule Bills -> rule all',
        'others at acme.example: fallback null -> rule all',
      ],
    ],
    [
      'a rule that goes, by the name that it had',
      [{ state: 'absent', name: 'Bosses', derivedIds: ['r1'], source: at(3) }],
      { rules: [vip] },
      ['vip@acme.example: rule Bosses -> fallback null'],
    ],
    [
      'a rule that nothing manages, by its id',
      [rule('all', B, { match: EVERYTHING }), { state: 'absent', id: 'r9', derivedIds: [], source: at(3) }],
      { rules: [liveRule('r8', 4, A, { match: VIP }), bills] },
      ['others at acme.example: fallback null -> rule all'],
    ],
  ])('%s', (_, entries, rows, expected) => {
    expect(ofRules(entries, rows)).toEqual(expected);
  });

  test('a rule is not called like an alias that has its id', () => {
    const entries = [
      rule('all', B, { match: EVERYTHING }),
      rule('Bosses', A, { id: '1', idIsWritten: true, match: VIP }),
    ];
    const found = routes(
      [present(ACME, { aliases: aliasSection({ info: B }), rules: ruleSection(entries) })],
      [
        live(ACME, {
          ...BY_RULES,
          aliases: liveAliases({ info: A }),
          rules: [liveRule('1', 50, A, { match: VIP })],
        }),
      ],
    );
    expect(deciders(found)).toEqual([
      'info@acme.example: fallback null -> rule all',
      'vip@acme.example: rule Bosses -> rule all',
      'others at acme.example: fallback null -> rule all',
    ]);
  });

  test('a rule of one domain has nothing of one with its id in another, nor of an alias', () => {
    const named = (domain: string, text: string) =>
      present(domain, { rules: ruleSection([rule(text, B, { id: 'r1', idIsWritten: true, match: VIP })]) });
    const aliases = aliasSection({ r1: B });
    const found = routes(
      [named(HUB, 'Hubs'), named(ACME, 'Bosses'), { ...named('a.example', 'Alias'), aliases }],
      [
        live('a.example', { ...BY_ALIASES, aliases: liveAliases({ r1: A }), rules: [vip] }),
        live(ACME, { ...BY_RULES, rules: [vip] }),
        live(HUB, { ...BY_RULES, rules: [vip] }),
      ],
    );
    expect(deciders(found)).toEqual([
      'r1@a.example: alias r1 -> alias r1',
      'vip@acme.example: rule Bosses -> rule Bosses',
      'vip@hub.example: rule Hubs -> rule Hubs',
    ]);
  });
});

describe('where mail goes', () => {
  function lines(found: readonly PlannedRoute[]): readonly string[] {
    const ends = ({ kind, from, to, unknown }: RouteEnds): string =>
      `${kind} ${from?.join() ?? '?'} -> ${to?.join() ?? '?'}${unknown.map((section) => ` (${section})`).join('')}`;
    return found.map((route) =>
      [
        `${who(route)}: ${ends(route)}`,
        ...(route.via.length === 0 ? [] : [`via ${route.via.join()}`]),
        ...(route.otherwise === null ? [] : [`otherwise ${ends(route.otherwise)}`]),
      ].join(' '),
    );
  }

  test('is open where sections were not read, each named once, in order', () => {
    const to = ['a@z.example', 'c@b.example', 'd@b.example', C].join();
    const unread = ['z.example', 'b.example'];
    const found = routes(
      [
        present(ACME, { aliases: aliasSection({ in: to, new: 'c@b.example', out: A }) }),
        ...unread.map((domain) => present(domain)),
      ],
      [
        live(ACME, { ...BY_ALIASES, aliases: liveAliases({ in: A, out: to }) }),
        live('z.example', { routingEngine: 'rules', aliases: [] }),
        live('b.example', BY_ALIASES),
      ],
    );
    expect(lines(found)).toEqual([
      `in@acme.example: reroute ${A} -> ? (b.example/aliases) (z.example/rules)`,
      'new@acme.example: reroute  -> ? (b.example/aliases)',
      `out@acme.example: reroute ? -> ${A} (b.example/aliases) (z.example/rules)`,
    ]);
  });

  test('on the way to what is not known the way is told', () => {
    const hub = { desk: 'x@unread.example' };
    const found = routes(
      [
        present(ACME, { aliases: aliasSection({ sales: `desk@${HUB}` }) }),
        present(HUB, { aliases: aliasSection(hub) }),
        present('unread.example'),
      ],
      [
        live(ACME, { ...BY_ALIASES, aliases: liveAliases({ sales: A }) }),
        live(HUB, { ...BY_ALIASES, aliases: liveAliases(hub) }),
        live('unread.example', BY_ALIASES),
      ],
    );
    expect(lines(found)).toEqual([
      `sales@acme.example: reroute ${A} -> ? (unread.example/aliases) via desk@hub.example`,
    ]);
  });

  test('through another domain, in the other reading of that alone', () => {
    const found = routes(
      [
        present(HUB, { rules: ruleSection([rule('desk', B, { id: 'r1', idIsWritten: true })]) }),
        present(ACME, { aliases: aliasSection({ sales: `desk@${HUB}` }) }),
      ],
      [
        live(ACME, { ...BY_ALIASES, aliases: liveAliases({ sales: `desk@${HUB}` }) }),
        live(HUB, {
          aliases: liveAliases({ desk: C }),
          rules: [liveRule('r1', 1, A, { match: { type: 'alias', alias: 'desk' } })],
        }),
      ],
    );
    expect(lines(found)).toEqual([
      `sales@acme.example: reroute ${C} -> ${C} via desk@hub.example otherwise reroute ${A} -> ${B}`,
      `desk@hub.example: reroute ${C} -> ${C} otherwise reroute ${A} -> ${B}`,
    ]);
  });

  test('is otherwise where both readings differ before or after', () => {
    const each = (rules: readonly ObservedRule[], entries: readonly DesiredRule[]) =>
      lines(
        routes(
          [present(ACME, { aliases: aliasSection({ vip: B }), rules: ruleSection(entries) })],
          [live(ACME, { aliases: liveAliases({ vip: A }), rules })],
        ),
      );
    const entry = (to: string) => rule('vip', to, { id: 'r1', idIsWritten: true, match: VIP });
    const row = (to: string) => liveRule('r1', 1, to, { match: VIP });
    expect(each([row(A)], [entry(B)])).toEqual([`vip@acme.example: reroute ${A} -> ${B}`]);
    expect(each([row(C)], [entry(B)])).toEqual([
      `vip@acme.example: reroute ${A} -> ${B} otherwise reroute ${C} -> ${B}`,
    ]);
    expect(each([row(A)], [entry(C)])).toEqual([
      `vip@acme.example: reroute ${A} -> ${B} otherwise reroute ${A} -> ${C}`,
    ]);
  });

  test('a condition after a rule that takes all mail is mail like any other', () => {
    const all = (to: string) => rule('all', to, { id: 'all', idIsWritten: true, match: EVERYTHING });
    const found = routes(
      [present(ACME, { rules: ruleSection([all(B), rule('bills', C, { match: INVOICE })]) })],
      [live(ACME, { ...BY_RULES, rules: [liveRule('all', 1, A, { match: EVERYTHING })] })],
    );
    expect(lines(found)).toEqual([`others at acme.example: reroute ${A} -> ${B}`]);
    expect(found.map(({ knownBy }) => knownBy)).toEqual(['name']);
  });

  test('a pattern or condition that nothing takes is mail like any other', () => {
    const rules = ruleSection([
      rule('team', A, { match: { type: 'alias', alias: 'team*' } }),
      rule('bills', A, { match: INVOICE }),
    ]);
    const found = routes(
      [present(ACME, { aliases: aliasSection({ '*': B }), rules })],
      [live(ACME, { ...BY_ALIASES, aliases: liveAliases({ '*': A }), rules: [] })],
    );
    expect(lines(found)).toEqual([`others at acme.example: reroute ${A} -> ${B}`]);
  });

  test('a pattern that is an alias in one reading and a rule in the other', () => {
    const match: RuleMatch = { type: 'alias', alias: '(x|y)' };
    const found = routes(
      [
        present(ACME, {
          aliases: aliasSection({ '*': B, '(x|y)': A }),
          rules: ruleSection([rule('r', B, { match }), rule('bills', B, { match: INVOICE })]),
        }),
      ],
      [live(ACME, { aliases: liveAliases({ '*': A }), rules: [] })],
    );
    const rest = 'ops@corp.example';
    expect(lines(found)).toEqual([
      `(x|y)@acme.example: reroute ${A} -> ${A} otherwise reroute ${rest} -> ${B}`,
      `rule bills: reroute ${A} -> ${B} otherwise reroute ${rest} -> ${B}`,
      `others at acme.example: reroute ${A} -> ${B} otherwise reroute ${rest} -> ${rest}`,
    ]);
    expect(found.map(({ knownBy }) => knownBy)).toEqual(['pattern', 'name', 'name']);
  });
});
