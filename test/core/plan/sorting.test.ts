import { describe, expect, test } from 'vitest';
import { compareRanks, compareText } from '../../../src/core/plan/sorting.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import {
  aliasSection,
  brief,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  observed,
  plan,
  planAliases,
  planRules,
  present,
  rule,
  ruleSection,
} from './support/build.ts';
import { compareChanges } from '../../../src/core/plan/diff/domain.ts';

describe('texts by code point', () => {
  test.each([
    ['a', 'a', 0],
    ['a', 'b', -1],
    ['b', 'a', 1],
    ['a', 'ab', -1],
    ['ab', 'a', 1],
    ['B', 'a', -1],
    ['\u{1f600}', '\uffff', 1],
    ['\ue000', '\u{10000}', -1],
    ['\ud7ff', '\ue000', -1],
    ['\ud7ff', '\u{10000}', -1],
    ['\u{10000}', '\u{10001}', -1],
    ['x\u{10000}', 'x\ufffd', 1],
    ['\udfff', '\ue000', 1],
    ['\ud800', '\ue000', 1],
    ['\ud800', '\udfff', -1],
  ])('%j and %j: %i', (a, b, expected) => {
    expect(Math.sign(compareText(a, b))).toBe(expected);
  });
});

test.each([
  [1, 2, -1],
  [2, 1, 1],
  [1, 1, 0],
  [Number.NaN, 1, 1],
  [1, Number.NaN, -1],
  [Number.NaN, Number.NaN, 0],
  [-1e308, Number.NEGATIVE_INFINITY, 1],
])('ranks %d and %d: %i', (a, b, expected) => {
  expect(compareRanks(a, b)).toBe(expected);
});

describe('changes of a plan', () => {
  test('by domain, stage, kind and name; rules by their place', () => {
    const entry = (domain: string) =>
      present(domain, {
        settings: { whitelabel: { value: 'w.example', source: { file: 'f', line: 1, column: 1 } } },
        aliases: aliasSection({ b: 'x@x.example', a: 'x@x.example', c: false }),
        rules: ruleSection([rule('z', 'x@x.example'), rule('y', 'x@x.example')], { prune: true }),
        credentials: credentialSection({ q: 'password', p: 'password', o: 'absent' }),
      });
    const row = (domain: string) =>
      live(domain, {
        aliases: liveAliases({ c: 'x@x.example', d: 'x@x.example' }),
        rules: [liveRule('r2', 9, 'o@x.example'), liveRule('r1', 8, 'o@x.example')],
        credentials: [{ name: 'o' }, { name: 'n' }],
      });
    const result = plan(
      desired([entry('b.example'), entry('a.example')]),
      observed([row('b.example'), row('a.example')]),
    );
    const ofOne = [
      '~domain a.example 1 manifest',
      '+alias a 1 manifest',
      '+alias b 1 manifest',
      '+rule z 1 manifest',
      '+rule y 1 manifest',
      '+credential p 1 manifest',
      '+credential q 1 manifest',
      '-alias c 2 absent',
      '-rule r1 2 prune',
      '-rule r2 2 prune',
      '-credential o 2 absent',
    ];
    expect(brief(result)).toEqual([...ofOne, ...ofOne.map((line) => line.replace('a.example', 'b.example'))]);
    expect(result.changes.toReversed().sort(compareChanges)).toEqual(result.changes);
    const rotated = [...result.changes.slice(7), ...result.changes.slice(0, 7)];
    expect(rotated.sort(compareChanges)).toEqual(result.changes);
  });

  test('rules of one rank by name, then by id; deletes of one name by id', () => {
    const [base] = planRules([], [liveRule('m', 5, 'x@x.example')], { prune: true }).changes as [Change];
    const change = (name: string, id: string): Change => ({ ...base, name, id }) as Change;
    const sorted = [change('b', '1'), change('a', '2'), change('a', '1')].sort(compareChanges);
    expect(sorted.map(({ name, id }) => `${name} ${id}`)).toEqual(['a 1', 'a 2', 'b 1']);
    const [alias] = planAliases(aliasSection({ m: false }), { m: 'x@x.example' }).changes as [Change];
    const twins = ['2', '1', null].map((id) => ({ ...alias, id }) as Change).sort(compareChanges);
    expect(twins.map(({ id }) => id)).toEqual([null, '1', '2']);
  });
});
