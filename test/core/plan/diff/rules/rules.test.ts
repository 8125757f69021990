import { entryKey } from '../../../../../src/core/kinds/item-key.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeForward } from '../../../../../src/core/model/destinations.ts';
import type { Plan } from '../../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../../src/core/model/resources.ts';
import type { DesiredRule, ObservedRule } from '../../../../../src/core/kinds/rule/fields.ts';
import { signature } from '../../../../../src/core/kinds/items.ts';
import {
  ACME,
  at,
  brief,
  codes,
  derivedId,
  liveRule,
  liveTwin,
  planRules,
  prior,
  rule,
} from '../../support/build.ts';

const REGEX: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject', 'body'] };
const CEL: RuleMatch = { type: 'cel', expression: 'sender == "a"' };

describe('the live rule of an entry', () => {
  test('the one whose id is written, with any memory of that id', () => {
    const entry = rule('vip', 'a@x.example', { id: 'r1', idIsWritten: true });
    const rows = [liveRule('r1', 1, 'a@x.example'), liveRule('r2', 2, 'a@x.example')];
    const result = planRules([entry], rows, { prior: prior(ACME, { ruleIds: new Map([['r1', 'r2']]) }) });
    expect([result.withheld, result.changes.map(({ id }) => id)]).toEqual([[], ['r1']]);
  });

  test('not the one that another entry replaces, though its content is the same', () => {
    const match: RuleMatch = { type: 'alias', alias: 'a' };
    const entries = [rule('a', 'x@x.example', { match: CEL }), rule('b', 'x@x.example', { match })];
    const result = planRules(entries, [liveTwin('a', 1, 'x@x.example')]);
    expect(brief(result).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '+rule a',
      '+rule b',
      '-rule a',
    ]);
  });

  test('an unmanaged one is none, and a new one comes after it', () => {
    const result = planRules(
      [rule('a', 'x@x.example'), rule('b', 'x@x.example')],
      [liveTwin('a', 10, 'x@x.example'), liveRule('u', 25, 'x@x.example')],
    );
    expect(result.changes).toMatchObject([{ action: 'add', desired: { rank: 20 } }]);
    expect(result.limits.rules.live).toBe(2);
    const alone = planRules([rule('a', 'x@x.example')], [liveRule('u', 25, 'x@x.example')]);
    expect(alone.changes).toMatchObject([{ action: 'add', desired: { rank: 30 } }]);
  });

  test('the one whose id is written', () => {
    const entry = rule('vip', 'a@x.example', { id: 'ID-1', idIsWritten: true });
    const result = planRules(
      [entry],
      [liveRule('id-1', 1, 'b@x.example', { match: entry.state === 'present' ? entry.match : CEL })],
    );
    expect(brief(result)).toEqual(['~rule vip 1 manifest']);
    expect(result.changes[0]?.id).toBe('id-1');
  });

  test('an id that is written and not live is the id of a new rule', () => {
    const entry = rule('vip', 'a@x.example', { id: 'id-1', idIsWritten: true });
    const result = planRules([entry], [liveTwin('vip', 1, 'a@x.example')]);
    expect(brief(result)).toEqual(['+rule vip 1 manifest']);
    expect(result.changes[0]?.id).toBe('id-1');
  });

  test('the one with the id that follows from the name', () => {
    const result = planRules([rule('vip', 'a@x.example')], [liveTwin('vip', 1, 'b@x.example')]);
    expect(brief(result)).toEqual(['~rule vip 1 manifest']);
  });

  test('the one that is remembered for the name, even after its content was edited', () => {
    const memory = prior(ACME, { ruleIds: new Map([['vip', 'id-9']]) });
    const result = planRules([rule('vip', 'new@x.example')], [liveRule('id-9', 1, 'old@x.example')], {
      prior: memory,
    });
    expect(result.changes).toMatchObject([
      { action: 'update', id: 'id-9', fields: ['forward', 'alias'], stage: 2 },
    ]);
  });

  test('the one of equal content, lowest rank first, in the order of the manifest', () => {
    const same = { match: CEL };
    const rows = [
      liveRule('c', 30, 'a@x.example', same),
      liveRule('b', 20, 'a@X.example', same),
      liveRule('d', 40, 'z@x.example', same),
    ];
    const result = planRules([rule('one', 'a@x.example', same), rule('two', 'a@x.example', same)], rows);
    expect(result.changes).toEqual([]);
    expect(result.adoptions).toEqual([
      { domain: ACME, name: 'one', id: 'b' },
      { domain: ACME, name: 'two', id: 'c' },
    ]);
    expect(codes(result)).toEqual(['adopted-by-content', 'adopted-by-content']);
    expect(result.warnings[0]?.hint).toBe('add to it the line id: b');
    expect(result.summary).toMatchObject({ unchanged: 3, unmanaged: 1 });
  });

  test('neither rank nor activity is content, scopes are a set', () => {
    const live: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['body', 'subject'] };
    const result = planRules(
      [rule('one', 'a@x.example', { match: REGEX })],
      [liveRule('b', 7.5, 'a@x.example', { match: live, active: false })],
    );
    expect(result.changes).toMatchObject([{ action: 'update', id: 'b', fields: ['active'], stage: 1 }]);
    expect(result.adoptions).toHaveLength(1);
  });

  test('never an ignored one', () => {
    const rows = [liveTwin('vip', 1, 'b@x.example')];
    const result = planRules([], rows, { prune: true, ignore: [derivedId('vip').toUpperCase()] });
    expect([result.changes, result.summary.unmanaged]).toEqual([[], 1]);
  });

  test('two live rules for one name withhold the domain', () => {
    const memory = prior(ACME, { ruleIds: new Map([['vip', 'id-9']]) });
    const rows = [liveTwin('vip', 1, 'a@x.example'), liveRule('id-9', 2, 'a@x.example')];
    const result = planRules([rule('vip', 'a@x.example')], rows, { prior: memory });
    expect(result.withheld).toMatchObject([{ cause: 'unproven' }]);
    expect(result.withheld[0]?.reason).toMatch(/derived-alias-vip and id-9/);
  });

  test('a written id whose live rule has another type is a problem of the manifest', () => {
    const entry = rule('vip', 'a@x.example', { id: 'id-1', idIsWritten: true, source: at(33) });
    const result = planRules([entry], [liveRule('id-1', 1, 'a@x.example', { match: CEL })]);
    expect(result.problems).toMatchObject([
      { code: 'rule-type-fixed', severity: 'error', source: { line: 33 } },
    ]);
    expect([result.changes, result.withheld.map(({ cause }) => cause)]).toEqual([[], ['manifest']]);
  });
});

describe('rules that go', () => {
  const gone = (parts: object): DesiredRule => ({
    state: 'absent',
    derivedIds: [],
    source: at(60),
    ...parts,
  });

  test.each<[string, DesiredRule[], readonly ObservedRule[], boolean, readonly string[]]>([
    ['pruned', [], [liveRule('x', 1, 'a@x.example')], true, ['-rule x 2 prune']],
    ['unmanaged', [], [liveRule('x', 1, 'a@x.example')], false, []],
    ['absent by id', [gone({ id: 'X' })], [liveRule('x', 1, 'a@x.example')], false, ['-rule x 2 absent']],
    [
      'absent by name',
      [gone({ name: 'vip', derivedIds: [derivedId('vip'), derivedId('vip', 'cel')] })],
      [liveTwin('vip', 1, 'a@x.example')],
      false,
      ['-rule vip 2 absent'],
    ],
    ['absent and gone', [gone({ name: 'vip', derivedIds: [derivedId('vip')] })], [], false, []],
    [
      'of another type',
      [rule('vip', 'a@x.example', { match: CEL })],
      [liveTwin('vip', 1, 'a@x.example')],
      false,
      ['+rule vip 1 type-change', '-rule vip 2 type-change'],
    ],
  ])('%s', (_, entries, rows, prune, expected) => {
    expect(brief(planRules(entries, rows, { prune }))).toEqual(expected);
  });

  test('absent by a remembered name', () => {
    const memory = prior(ACME, { ruleIds: new Map([['vip', 'id-9']]) });
    const result = planRules([gone({ name: 'vip' })], [liveRule('id-9', 1, 'a@x.example')], {
      prior: memory,
    });
    expect(brief(result)).toEqual(['-rule vip 2 absent']);
  });

  test('the old rule of a change of type goes also when the new one is there already', () => {
    const rows = [
      liveTwin('vip', 1, 'a@x.example'),
      liveRule(derivedId('vip', 'cel'), 2, 'a@x.example', { match: CEL }),
    ];
    const result = planRules([rule('vip', 'a@x.example', { match: CEL })], rows);
    expect(brief(result)).toEqual(['-rule vip 2 type-change']);
  });
});

describe('the text of an update', () => {
  const base = { match: REGEX };
  const row = liveRule(derivedId('r', 'regex'), 10, 'a@x.example', base);
  test.each<
    [string, Partial<Extract<DesiredRule, { state: 'present' }>> & { to?: string }, readonly string[], 1 | 2]
  >([
    ['destinations', { to: 'b@x.example' }, ['forward'], 1],
    ['the condition', { match: { ...REGEX, regex: '.*bill.*' } }, ['regex'], 2],
    ['scopes', { match: { ...REGEX, scopes: ['body'] } }, ['scopes'], 2],
    ['switched off', { active: false }, ['active'], 2],
    [
      'all of it',
      { to: 'b@x.example', active: false, match: { type: 'regex', regex: 'x', scopes: ['body'] } },
      ['forward', 'regex', 'scopes', 'active'],
      2,
    ],
  ])('%s', (_, { to = 'a@x.example', ...parts }, fields, stage) => {
    const entry = rule('r', to, { ...base, ...parts });
    expect(planRules([entry], [row]).changes).toMatchObject([{ action: 'update', fields, stage }]);
  });

  test('every change of an inactive rule is stage 1', () => {
    const asleep = { ...row, active: false };
    for (const active of [true, false]) {
      const entry = rule('r', 'b@x.example', { match: { ...REGEX, regex: 'x' } as RuleMatch, active });
      expect(planRules([entry], [asleep]).changes).toMatchObject([{ stage: 1 }]);
    }
  });

  test('a rule whose rank alone changes moves, and says after which rule', () => {
    const rows = [
      liveTwin('a', 10, 'x@x.example'),
      liveTwin('b', 20, 'x@x.example'),
      liveTwin('c', 30, 'x@x.example'),
    ];
    const result = planRules(
      [rule('c', 'x@x.example'), rule('a', 'x@x.example'), rule('b', 'x@x.example')],
      rows,
    );
    expect(result.changes).toMatchObject([
      { action: 'move', name: 'c', after: null, fields: ['rank'], reason: 'reorder', desired: { rank: 5 } },
    ]);
  });

  test('a rule that moves and changes is one update', () => {
    const rows = [liveTwin('a', 10, 'x@x.example'), liveTwin('b', 20, 'x@x.example')];
    const result = planRules([rule('b', 'y@x.example'), rule('a', 'x@x.example')], rows);
    const changed = result.changes.flatMap((change) => [[change.action, change.name, change.fields]]);
    expect(changed).toEqual([
      ['update', 'b', ['forward']],
      ['move', 'a', ['rank']],
    ]);
  });

  test('not kept: the content is not sent again, the place is', () => {
    const wanted = {
      match: { type: 'alias', alias: 'b' } as const,
      forward: decodeForward('y@x.example'),
      active: true,
    };
    const memory = prior(ACME, {
      keptOtherwise: new Map([
        [
          entryKey('rule', 'b'),
          {
            sent: signature({ kind: 'rule', state: wanted }, new Map()),
            shown: signature(
              { kind: 'rule', state: { ...wanted, forward: decodeForward('x@x.example') } },
              new Map(),
            ),
          },
        ],
      ]),
    });
    const rows = [
      liveTwin('a', 10, 'x@x.example'),
      liveTwin('b', 20, 'x@x.example'),
      liveTwin('c', 30, 'x@x.example'),
    ];
    const entries = [rule('a', 'x@x.example'), rule('c', 'x@x.example'), rule('b', 'y@x.example')];
    const result = planRules(entries, rows, { prior: memory });
    expect(result.changes).toMatchObject([
      { action: 'move', name: 'b', desired: { forward: ['x@x.example'] } },
    ]);
    expect(result.warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'not-kept',
        expect.stringMatching(/^rule ".+" of acme\.example: the service accepted this entry but keeps/),
      ],
    ]);
  });
});

test('an active unmanaged rule before a managed one is a warning', () => {
  const rows = [
    liveRule('u', 1, 'u@x.example'),
    liveTwin('a', 10, 'a@x.example'),
    liveRule('v', 20, 'v@x.example'),
  ];
  expect(codes(planRules([rule('a', 'a@x.example')], rows))).toEqual(['unmanaged-rule-first']);
  expect(codes(planRules([rule('a', 'a@x.example', { active: false })], rows))).not.toContain(
    'unmanaged-rule-first',
  );
});

describe('for any rules', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const matches: readonly RuleMatch[] = [CEL, REGEX, { type: 'alias', alias: 'sales' }];
  const content = fc.record({
    match: fc.constantFrom(...matches),
    forward: fc.constantFrom('1@x.example', '2@x.example'),
    active: fc.boolean(),
  });
  const entries = fc.tuple(fc.shuffledSubarray(names), fc.array(content, { minLength: 5, maxLength: 5 }));
  const ranks = fc.oneof(fc.integer({ min: -2, max: 6 }), fc.constantFrom(1e308, 5, Number.NaN, 2.5));
  const rows = fc.array(fc.record({ known: fc.constantFrom(...names, null), rank: ranks, content }), {
    maxLength: 8,
  });

  test('applying the plan gives the order of the manifest, and then nothing is left to plan', () => {
    fc.assert(
      fc.property(entries, rows, fc.boolean(), ([order, contents], found, prune) => {
        const wanted = order.map((text, index) => {
          const { match, forward, active } = contents[index] ?? {
            match: CEL,
            forward: '1@x.example',
            active: true,
          };
          return rule(text, forward, { match, active });
        });
        const live = uniqueRows(found);
        const memory = prior(ACME, {});
        const first = planRules(wanted, live, { prune, prior: memory });
        const after = applyRules(live, first);
        const remembered = prior(ACME, {
          ruleIds: new Map(first.adoptions.map(({ name, id }) => [name, id])),
        });
        const second = planRules(wanted, after, { prune, prior: remembered });
        expect(brief(second)).toEqual([]);
        if (prune) expect(after).toHaveLength(wanted.length);
      }),
      { numRuns: 500 },
    );
  });
});

function uniqueRows(
  found: readonly {
    known: string | null;
    rank: number;
    content: { match: RuleMatch; forward: string; active: boolean };
  }[],
): readonly ObservedRule[] {
  const rows = new Map<string, ObservedRule>();
  for (const [index, { known, rank, content }] of found.entries()) {
    const id = known === null ? `free-${index}` : derivedId(known, content.match.type);
    rows.set(
      id,
      liveRule(id, rank, content.forward, { ...content, forward: decodeForward(content.forward) }),
    );
  }
  return [...rows.values()];
}

function applyRules(rows: readonly ObservedRule[], { changes }: Plan): readonly ObservedRule[] {
  const after = new Map(rows.map((row) => [row.id, row]));
  for (const change of changes) {
    if (change.kind !== 'rule' || change.id === null) throw new Error('only rules, all with ids');
    if (change.desired === null) after.delete(change.id);
    else after.set(change.id, { id: change.id, ...change.desired });
  }
  return [...after.values()];
}
