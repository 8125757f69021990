import { describe, expect, test } from 'vitest';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import {
  finalRouters,
  finalTable,
  isKnown,
  liveRouter,
  READINGS_OF_ALL,
  readingsOf,
  type Reading,
} from '../../../../src/core/plan/routes/tables.ts';
import { liveAliases as liveAliasesOf } from '../../../../src/core/plan/routes/aliases.ts';
import type { DomainPlan } from '../../../../src/core/plan/diff/section.ts';
import {
  ACME,
  aliasSection,
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

const OPS = 'ops@acme.example';

const LISTED: Reading = {
  engine: 'aliases',
  anchoring: 'anywhere',
  fallback: 'account',
};
const BY_RULES: Reading = { ...LISTED, engine: 'rules' };
const BOTH: Reading = { ...LISTED, engine: 'rules-then-aliases' };
const DROPPING: Reading = { ...BY_RULES, fallback: 'nowhere' };

test.each<[string, Partial<ObservedDomain> | null, Reading, { mode: string; fallback: string | null }]>([
  ['a domain that is to be made, by aliases', null, LISTED, { mode: 'aliases', fallback: OPS }],
  ['a domain that is to be made, by rules', null, BY_RULES, { mode: 'rules', fallback: OPS }],
  ['an engine that is not told, by aliases', {}, LISTED, { mode: 'aliases', fallback: OPS }],
  ['an engine that is not told, by rules', {}, BY_RULES, { mode: 'rules', fallback: OPS }],
  ['a fallback that is not told: nowhere', {}, DROPPING, { mode: 'rules', fallback: 'null' }],
  ['routing that is disabled', { routingEngine: null }, BY_RULES, { mode: 'rules', fallback: OPS }],
  ['aliases', { routingEngine: 'alias' }, BY_RULES, { mode: 'aliases', fallback: OPS }],
  ['rules', { routingEngine: 'rules' }, LISTED, { mode: 'rules', fallback: OPS }],
  [
    'rules with a fallback',
    { routingEngine: 'rules', rulesFallbackEmail: 'it@x.example' },
    DROPPING,
    { mode: 'rules', fallback: 'it@x.example' },
  ],
  [
    'rules that drop the rest',
    { routingEngine: 'rules', rulesFallbackEmail: null },
    LISTED,
    { mode: 'rules', fallback: 'null' },
  ],
])('how mail is routed: %s', (_, parts, reading, expected) => {
  const { aliases, ...table } = finalTable(
    parts === null ? undefined : live(ACME, parts),
    liveAliasesOf(undefined),
    [],
    { accountEmail: OPS, reading },
  );
  expect({ ...table, aliases: [...aliases] }).toEqual({
    aliases: [],
    rules: [],
    ...expected,
  });
});

describe('the readings of a domain', () => {
  /** Returns engine, anchoring and fallback of each reading. */
  const readings = (parts: Partial<ObservedDomain>): readonly string[] =>
    readingsOf(live(ACME, parts)).map(
      ({ engine, anchoring, fallback }) => `${engine} ${anchoring} ${fallback}`,
    );
  const aliases = ['aliases anywhere account'];
  const told = ['rules anywhere account', 'rules whole account'];
  const untold = ['rules anywhere nowhere', 'rules whole nowhere'];
  const SECTIONS = { aliases: [], rules: [] };

  test.each<[string, Partial<ObservedDomain>, readonly string[]]>([
    ['nothing is told', SECTIONS, [...aliases, ...told, ...untold]],
    ['routing is disabled', { ...SECTIONS, routingEngine: null }, [...aliases, ...told, ...untold]],
    ['aliases decide', { ...SECTIONS, routingEngine: 'alias' }, aliases],
    ['rules decide', { ...SECTIONS, routingEngine: 'rules' }, [...told, ...untold]],
    ['the fallback is told', { ...SECTIONS, routingEngine: 'rules', rulesFallbackEmail: OPS }, told],
    ['there is no fallback', { ...SECTIONS, routingEngine: 'rules', rulesFallbackEmail: null }, told],
    ['only aliases were read', { aliases: [] }, aliases],
    ['only rules were read', { rules: [] }, [...told, ...untold]],
    ['rules decide and only aliases were read', { routingEngine: 'rules', aliases: [] }, []],
    ['aliases decide and only rules were read', { routingEngine: 'alias', rules: [] }, []],
    ['nothing was read', {}, []],
  ])('%s', (_, parts, expected) => {
    expect(readings(parts).toSorted()).toEqual(expected.toSorted());
  });

  test('for a path through several domains: by engine', () => {
    expect(READINGS_OF_ALL).toEqual([BOTH, LISTED, BY_RULES]);
  });

  test.each([
    ['the oldest first', ['10', '9'], ['b@x.example', 'a@x.example']],
    ['as they are listed, where ids are no numbers', ['z', '9'], ['a@x.example', 'b@x.example']],
  ])('with several patterns any may be tried first; the usual order is %s', (_, ids, expected) => {
    const patterns = liveAliases({ '(a).*': 'a@x.example', '(a|ab).*': 'b@x.example' });
    const row = live(ACME, { aliases: [...patterns].map((alias, at) => ({ ...alias, id: ids[at] ?? '' })) });
    const mail = { to: 'abc@acme.example', from: '', subject: '', body: '' };
    const routes = liveRouter(row, { accountEmail: OPS, reading: LISTED }).routes(mail);
    expect(routes.flatMap((route) => (route.kind === 'refused' ? [] : route.forward))).toEqual(expected);
  });
});

test('aliases and rules as they will be: rules by rank, each with a key of its own', () => {
  const row = live(ACME, {
    aliases: liveAliases({ Kept: 'a@x.example', gone: 'b@x.example', moved: 'c@x.example' }),
    rules: [
      liveRule('late', 30, 'a@x.example'),
      liveRule('derived-alias-old', 20, 'b@x.example', { match: { type: 'alias', alias: 'old' } }),
      // An alias has the same id, which means nothing.
      liveRule('2', 10, 'c@x.example', { match: { type: 'alias', alias: 'first' } }),
    ],
  });
  const wanted = desired([
    present(ACME, {
      aliases: aliasSection({ gone: false, moved: 'd@x.example', new: 'e@x.example' }),
      rules: ruleSection([
        { state: 'absent', id: 'late', derivedIds: [], source: { file: 'f', line: 1, column: 1 } },
        rule('old', 'f@x.example'),
        rule('next', 'g@x.example'),
      ]),
    }),
  ]);
  const { changes } = plan(wanted, observed([row]));
  const active = { active: true };
  const { aliases, ...table } = finalTable(row, liveAliasesOf(row), changes, {
    accountEmail: OPS,
    reading: LISTED,
  });
  expect({ ...table, aliases: [...aliases] }).toEqual({
    mode: 'aliases',
    fallback: OPS,
    aliases: [
      { name: 'Kept', forward: ['a@x.example'] },
      { name: 'moved', forward: ['d@x.example'] },
      { name: 'new', forward: ['e@x.example'] },
    ],
    rules: [
      {
        key: 'rule 2',
        name: '2',
        rank: 10,
        forward: ['c@x.example'],
        match: { type: 'alias', alias: 'first' },
        ...active,
      },
      {
        key: 'rule derived-alias-old',
        name: 'old',
        rank: 20,
        forward: ['f@x.example'],
        match: { type: 'alias', alias: 'old' },
        ...active,
      },
      {
        key: 'rule derived-alias-next',
        name: 'next',
        rank: 30,
        forward: ['g@x.example'],
        match: { type: 'alias', alias: 'next' },
        ...active,
      },
    ],
  });
  const mail = { to: 'gone@acme.example', from: '', subject: '', body: '' };
  expect(liveRouter(row, { accountEmail: OPS, reading: LISTED }).route(mail)).toMatchObject({
    kind: 'alias',
    forward: ['b@x.example'],
  });
});

test.each<[string, Partial<ObservedDomain>, Reading, boolean]>([
  ['by aliases, which were read', { aliases: [] }, LISTED, true],
  ['by aliases, and only rules were read', { rules: [] }, LISTED, false],
  ['by both, and only rules were read', { rules: [] }, BOTH, false],
  ['by rules, which were read', { rules: [] }, BY_RULES, true],
  ['by rules, and only aliases were read', { aliases: [] }, BY_RULES, false],
  ['rules decide and were read', { routingEngine: 'rules', rules: [] }, LISTED, true],
  ['rules decide and only aliases were read', { routingEngine: 'rules', aliases: [] }, LISTED, false],
  ['aliases decide and were read', { routingEngine: 'alias', aliases: [] }, BY_RULES, true],
])('known routing: %s', (_, parts, reading, expected) => {
  expect(isKnown(live(ACME, parts), reading)).toBe(expected);
});

test('routers: none of a domain that is not managed, one of each that is', () => {
  const planned = { domain: ACME, changes: [] } as unknown as DomainPlan;
  const rows = observed([live(ACME, { aliases: [] })]);
  const wanted = desired([present(ACME)]);
  const routers = finalRouters({ desired: wanted, observed: rows, domains: [planned] }, LISTED);
  expect(routers('else.example')).toBeNull();
  expect(routers(ACME)).toBe(routers(ACME));
});
