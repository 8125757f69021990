import { describe, expect, test } from 'vitest';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import { contestedAddresses, finalOverlaps } from '../../../../src/core/plan/routes/overlaps.ts';
import { ACME, aliasSection, change, live, liveAliases, planAliases } from '../support/build.ts';

const A = 'a@x.example';
const B = 'b@x.example';
const BY_ALIASES = { routingEngine: 'alias' } as const;
const HELP = '(help|hilfe)';
const ANY_H = '(h.*)';
const BOTH = { [HELP]: A, [ANY_H]: B };

function domainOf(rows: Readonly<Record<string, string>>, parts: Partial<ObservedDomain> = BY_ALIASES) {
  return live(ACME, { ...parts, aliases: liveAliases(rows) });
}

function changesTo(
  rows: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string | false>>,
): readonly Change[] {
  return planAliases(aliasSection(entries), rows).changes;
}

describe('addresses that several patterns match', () => {
  const contested = (
    rows: Readonly<Record<string, string>>,
    entries: Readonly<Record<string, string | false>>,
    parts?: Partial<ObservedDomain>,
  ) => contestedAddresses(ACME, domainOf(rows, parts), changesTo(rows, entries));

  test.each<[string, Record<string, string>, Record<string, string | false>]>([
    ['changed', BOTH, { [HELP]: 'c@x.example' }],
    ['deleted', BOTH, { [HELP]: false }],
    ['added', { [HELP]: A }, { [ANY_H]: B }],
  ])('one of them is %s', (_, rows, entries) => {
    expect(contested(rows, entries)).toEqual([expect.stringMatching(/^h.*@acme\.example$/)]);
  });

  test.each<[string, Record<string, string>, Record<string, string | false>]>([
    ['neither changes', { ...BOTH, info: A, '(x|y)': A }, { info: B, '(x|y)': B }],
    ['only aliases that are no patterns change', { ...BOTH, info: A }, { info: B }],
    ['there is only one', { [HELP]: A }, { [HELP]: B }],
    ['they forward to the same destination', { [HELP]: A, [ANY_H]: A }, { [ANY_H]: A, other: B }],
  ])('none: %s', (_, rows, entries) => {
    expect(contested(rows, entries)).toEqual([]);
  });

  test.each([
    ['none: rules route', { routingEngine: 'rules' }, 0],
    ['none: routing is disabled', { routingEngine: null }, 0],
    ['the engine is not told', {}, 1],
  ] as const)('%s', (_, parts, count) => {
    expect(contested(BOTH, { [HELP]: 'c@x.example' }, parts)).toHaveLength(count);
  });

  test('a rule of such a name changes no pattern', () => {
    const rule = change(ACME, HELP, { kind: 'rule' });
    expect(contestedAddresses(ACME, domainOf(BOTH), [rule])).toEqual([]);
  });
});

describe('patterns that overlap after the changes', () => {
  const names = (
    rows: Record<string, string>,
    entries: Record<string, string | false>,
    parts?: Partial<ObservedDomain>,
  ) =>
    finalOverlaps(domainOf(rows, parts), changesTo(rows, entries)).map(({ first, second }) =>
      [first.name, second.name].toSorted().join(' and '),
    );

  test.each<[string, Record<string, string>, Record<string, string | false>, readonly string[]]>([
    ['two live ones', BOTH, {}, [`${ANY_H} and ${HELP}`]],
    ['a live one and a new one', { [HELP]: A }, { [ANY_H]: B }, [`${ANY_H} and ${HELP}`]],
    ['two new ones', {}, BOTH, [`${ANY_H} and ${HELP}`]],
    ['one that is deleted', BOTH, { [HELP]: false }, []],
    ['a pattern and a name', { [HELP]: A, help: B }, {}, []],
  ])('%s', (_, rows, entries, expected) => {
    expect(names(rows, entries)).toEqual(expected);
  });

  test('none if rules route, or if routing is disabled', () => {
    expect(names(BOTH, {}, { routingEngine: 'rules' })).toEqual([]);
    expect(names(BOTH, {}, { routingEngine: null })).toEqual([]);
    expect(names(BOTH, {}, {})).toHaveLength(1);
  });

  test('in a domain that does not exist yet', () => {
    expect(finalOverlaps(undefined, changesTo({}, BOTH))).toHaveLength(1);
  });
});
