import { expect, test } from 'vitest';
import type { Destination } from '../../../../src/core/model/destinations.ts';
import { isPatternName } from '../../../../src/core/model/names.ts';
import { addressesIn, namesOf } from '../../../../src/core/plan/routes/known-addresses.ts';
import { ACME, aliasSection, at, present, rule, ruleSection } from '../support/build.ts';

test('the names of a domain: its aliases, and what its rules for aliases take', () => {
  const entries = [
    rule('vip', 'a@x.example'),
    rule('bills', 'a@x.example', { match: { type: 'cel', expression: 'true' } }),
    { state: 'absent', name: 'gone', derivedIds: [], source: at(5) } as const,
  ];
  const aliases = aliasSection({ info: 'a@x.example', old: false });
  expect([...namesOf(present(ACME, { aliases, rules: ruleSection(entries) }))]).toEqual([
    'info',
    'old',
    'vip',
  ]);
  expect([...namesOf(present(ACME))]).toEqual([]);
});

test('the addresses that lie in given domains, each once', () => {
  const forwards = [
    ['a@b.example', 'a@c.example'],
    [],
    ['a@b.example', 'https://h.example/x@b.example', 'null'],
  ];
  const found = addressesIn(['b.example', 'd.example'], forwards as Destination[][]);
  expect([...found].map(([domain, addresses]) => [domain, [...addresses]])).toEqual([
    ['b.example', ['a@b.example']],
    ['d.example', []],
  ]);
});

test.each([
  ['info', false],
  ['info+news', false],
  ['sales*', false],
  ['(a|b)', true],
  ['x.+y|z', true],
])('the name %s is a pattern: %s', (name, expected) => {
  expect(isPatternName(name)).toBe(expected);
});
