import { expect, test } from 'vitest';
import type { ObservedDomain } from '../../src/model/observed.ts';
import { finalRouters, finalTable, isKnown, liveRouter } from '../../src/plan/guards/tables.ts';
import type { DomainPlan } from '../../src/plan/domain.ts';
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
} from './build.ts';

const OPS = 'ops@acme.example';

test.each<[string, Partial<ObservedDomain> | null, { mode: string; fallback: string | null }]>([
  ['a domain that is to be made', null, { mode: 'rules-then-aliases', fallback: OPS }],
  ['an engine that is not told', {}, { mode: 'rules-then-aliases', fallback: OPS }],
  ['routing that is disabled', { routingEngine: null }, { mode: 'rules-then-aliases', fallback: OPS }],
  ['aliases', { routingEngine: 'alias' }, { mode: 'aliases', fallback: OPS }],
  ['rules', { routingEngine: 'rules' }, { mode: 'rules', fallback: OPS }],
  [
    'rules with a fallback',
    { routingEngine: 'rules', rulesFallbackEmail: 'it@x.example' },
    { mode: 'rules', fallback: 'it@x.example' },
  ],
  [
    'rules that drop the rest',
    { routingEngine: 'rules', rulesFallbackEmail: null },
    { mode: 'rules', fallback: null },
  ],
])('how mail is routed: %s', (_, parts, expected) => {
  const table = finalTable(parts === null ? undefined : live(ACME, parts), [], OPS);
  expect(table).toEqual({ aliases: [], rules: [], ...expected });
});

test('aliases and rules as they will be: rules by rank, each with a key of its own', () => {
  const row = live(ACME, {
    aliases: liveAliases({ Kept: 'a@x.example', gone: 'b@x.example', moved: 'c@x.example' }),
    rules: [
      liveRule('late', 30, 'a@x.example'),
      liveRule('derived-alias-old', 20, 'b@x.example', { match: { type: 'alias', alias: 'old' } }),
      // Its id is that of an alias as well, which says nothing.
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
  expect(finalTable(row, changes, OPS)).toEqual({
    mode: 'rules-then-aliases',
    fallback: OPS,
    aliases: [
      { key: 'alias kept', name: 'Kept', forward: 'a@x.example' },
      { key: 'alias moved', name: 'moved', forward: 'd@x.example' },
      { key: 'alias new', name: 'new', forward: 'e@x.example' },
    ],
    rules: [
      {
        key: 'rule 2',
        name: '2',
        rank: 10,
        forward: 'c@x.example',
        match: { type: 'alias', alias: 'first' },
        ...active,
      },
      {
        key: 'rule derived-alias-old',
        name: 'old',
        rank: 20,
        forward: 'f@x.example',
        match: { type: 'alias', alias: 'old' },
        ...active,
      },
      {
        key: 'rule derived-alias-next',
        name: 'next',
        rank: 30,
        forward: 'g@x.example',
        match: { type: 'alias', alias: 'next' },
        ...active,
      },
    ],
  });
  const mail = { to: 'gone@acme.example', from: '', subject: '', body: '' };
  expect(liveRouter(row, OPS).route(mail)).toMatchObject({ kind: 'alias', forward: 'b@x.example' });
});

test.each<[string, Partial<ObservedDomain>, boolean]>([
  ['aliases were read', { aliases: [] }, true],
  ['only rules were read', { rules: [] }, false],
  ['rules decide and were read', { routingEngine: 'rules', rules: [] }, true],
  ['rules decide and only aliases were read', { routingEngine: 'rules', aliases: [] }, false],
  ['aliases decide and were read', { routingEngine: 'alias', aliases: [] }, true],
])('whether routing is known: %s', (_, parts, expected) => {
  expect(isKnown(live(ACME, parts))).toBe(expected);
});

test('routers: none of a domain that is not managed, one of each that is', () => {
  const planned = { domain: ACME, changes: [] } as unknown as DomainPlan;
  const rows = observed([live(ACME, { aliases: [] })]);
  const routers = finalRouters({ desired: desired([present(ACME)]), observed: rows, domains: [planned] });
  expect(routers('else.example')).toBeNull();
  expect(routers(ACME)).toBe(routers(ACME));
});
