import { describe, expect, test } from 'vitest';
import type { RuleState } from '../../../../src/core/kinds/rule/fields.ts';
import type { Change, RuleChange } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import type { Beside } from '../../../../src/core/plan/waits/beside.ts';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import { mailTo } from '../../../../src/core/plan/waits/mail.ts';
import {
  addedInFront,
  endingBehind,
  endingRules,
  rulesInTheWay,
  type Delivers,
} from '../../../../src/core/plan/waits/rule-order.ts';
import { ACME, change } from '../support/build.ts';

const OUT = 'a@x.example';
const SUBJECT: RuleMatch = { type: 'regex', regex: 'invoice', scopes: ['subject'] };

/** A rule for an alias or with this condition; by default it forwards to an external address. */
function state(match: string | RuleMatch, rank: number, parts: Partial<RuleState> = {}): RuleState {
  const condition: RuleMatch = typeof match === 'string' ? { type: 'alias', alias: match } : match;
  return { match: condition, rank, forward: [OUT], active: true, ...parts } as RuleState;
}

const DROPS = { forward: decodeForward('null') } satisfies Partial<RuleState>;
const OFF: Partial<RuleState> = { active: false };

function ruleChange(text: string, parts: Partial<RuleChange>): RuleChange {
  return change(ACME, text, { kind: 'rule', ...parts } as Partial<Change>) as RuleChange;
}

const delivers: Delivers = ({ forward }) => forward[0] !== 'null';
const isSilent = (one: { readonly forward: readonly string[] } | null): boolean =>
  one === null || one.forward[0] === 'null';
const names = (changes: readonly Change[]): readonly string[] => changes.map(({ name }) => name);
const told = (found: Beside): readonly string[] =>
  [...found].flatMap(([one, firsts]) =>
    firsts.size === 0
      ? []
      : [
          `${one.name} <- ${names([...firsts])
            .toSorted()
            .join(' ')}`,
        ],
  );

describe('rules that would take mail of a changing rule meanwhile', () => {
  const own = ruleChange('own', { observed: state('info', 5), desired: state('info', 5) });
  const inTheWay = (
    others: readonly Change[],
    { of = own, to = 'info@acme.example' as string | null } = {},
  ) => {
    const found = rulesInTheWay(of, to === null ? null : mailTo(to), { others: [of, ...others], delivers });
    return { ready: names(found.ready), needed: names(found.needed) };
  };

  test('are those behind it that do not deliver: now, or after the plan', () => {
    const now = ruleChange('now', { observed: state('info', 6, DROPS), desired: state('info', 6) });
    const then = ruleChange('then', { observed: state('info', 7), desired: state('info', 7, DROPS) });
    expect(inTheWay([now, then])).toEqual({ ready: ['now'], needed: ['then'] });
  });

  test('are those at the same rank', () => {
    const same = ruleChange('same', { observed: state('info', 5, DROPS), desired: state('info', 5, DROPS) });
    expect(inTheWay([same])).toEqual({ ready: ['same'], needed: ['same'] });
  });

  test.each<[string, Partial<RuleChange>]>([
    ['in front of it', { observed: state('info', 4, DROPS), desired: state('info', 4, DROPS) }],
    [
      'inactive',
      { observed: state('info', 6, { ...DROPS, ...OFF }), desired: state('info', 6, { ...DROPS, ...OFF }) },
    ],
    ['for other mail', { observed: state('sales', 6, DROPS), desired: state('sales', 6, DROPS) }],
    [
      'for a condition that a message alone shows',
      { observed: state(SUBJECT, 6, DROPS), desired: state(SUBJECT, 6, DROPS) },
    ],
    ['that are not there', { observed: null, desired: null }],
  ])('are none %s', (_, parts) => {
    expect(inTheWay([ruleChange('other', parts)])).toEqual({ ready: [], needed: [] });
  });

  test('are no aliases', () => {
    const alias = change(ACME, 'info', {
      observed: state('info', 6, DROPS),
      desired: state('info', 6, DROPS),
    } as never);
    expect(inTheWay([alias])).toEqual({ ready: [], needed: [] });
  });

  test('are all behind it if it matches several mails', () => {
    const other = ruleChange('other', {
      observed: state('sales', 6, DROPS),
      desired: state('sales', 6, DROPS),
    });
    expect(inTheWay([other], { to: null })).toEqual({ ready: ['other'], needed: ['other'] });
  });

  test.each<[string, RuleState | null]>([
    ['is not there', null],
    ['is inactive', state('info', 5, OFF)],
    ['does not deliver', state('info', 5, DROPS)],
  ])('are none on the side on which it %s', (_, missing) => {
    const drops = state('info', 6, DROPS);
    const other = ruleChange('other', { observed: drops, desired: drops });
    const added = ruleChange('own', { observed: missing, desired: state('info', 5) });
    const deleted = ruleChange('own', { observed: state('info', 5), desired: missing });
    expect(inTheWay([other], { of: added })).toEqual({ ready: [], needed: ['other'] });
    expect(inTheWay([other], { of: deleted })).toEqual({ ready: ['other'], needed: [] });
  });
});

test('rules that take a mail and do not deliver it', () => {
  const changes = [
    ruleChange('drops', { desired: state('info', 1, DROPS) }),
    ruleChange('delivers', { desired: state('info', 2) }),
    ruleChange('other', { desired: state('sales', 3, DROPS) }),
    ruleChange('off', { desired: state('info', 4, { ...DROPS, ...OFF }) }),
    ruleChange('gone', { desired: null }),
    change(ACME, 'info', { desired: state('info', 1, DROPS) } as never),
  ];
  expect(names(endingRules(changes, mailTo('info@acme.example'), delivers))).toEqual(['drops']);
});

describe('new rules that may match the same mail', () => {
  const added = (
    text: string,
    rank: number,
    match: string | RuleMatch = text,
    parts: Partial<RuleState> = {},
  ) => ruleChange(text, { action: 'add', desired: state(match, rank, parts) });

  test.each<[string, string | RuleMatch, string | RuleMatch, boolean]>([
    ['the same name', 'info', 'INFO', true],
    ['another name', 'info', 'sales', false],
    ['a name and one with a label', 'info', 'info+x', true],
    ['two labels', 'info+x', 'info+y', false],
    ['a prefix and a name with it', 'in*', 'info', true],
    ['a prefix and another name', 'in*', 'sales', false],
    ['two prefixes', 'in*', 'sa*', true],
    ['a condition on the subject and a name', SUBJECT, 'info', true],
  ])('wait for those in front: %s', (_, first, second, expected) => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const found = told(addedInFront([added('one', 1, one), added('other', 2, other)]));
      expect(found).toEqual(expected ? ['other <- one'] : []);
    }
  });

  test('and no others', () => {
    const front = ruleChange('old', { desired: state('info', 1) });
    const alias = change(ACME, 'info', { action: 'add', desired: state('info', 1) } as never);
    const off = added('off', 1, 'info', OFF);
    const same = added('same', 3, 'info');
    expect(told(addedInFront([front, alias, off, same, added('info', 3)]))).toEqual([]);
  });
});

describe('rules that give up mail in stage 2', () => {
  const ending = (text: string, rank: number, parts: Partial<RuleState> = {}, stage: 1 | 2 = 2) =>
    ruleChange(text, { action: 'delete', stage, observed: state('info', rank, parts) });

  test('a silent one waits for those behind it that match the same mail', () => {
    const other = ruleChange('sales', { action: 'delete', stage: 2, observed: state('sales', 3) });
    const changes = [ending('silent', 1, DROPS), ending('behind', 2), other];
    expect(told(endingBehind(changes, isSilent))).toEqual(['silent <- behind']);
  });

  test('not for those in front of it, at its rank, inactive, in stage 1 or new, and one that delivers waits for none', () => {
    const silent = ending('silent', 2, DROPS);
    const others = [
      ending('front', 1),
      ending('beside', 2),
      ending('off', 3, OFF),
      ending('early', 3, {}, 1),
      ruleChange('new', { action: 'add', stage: 2, desired: state('info', 3) }),
      change(ACME, 'info', { action: 'delete', stage: 2, observed: state('info', 3) } as never),
    ];
    expect(told(endingBehind([silent, ...others], isSilent))).toEqual([]);
  });
});
