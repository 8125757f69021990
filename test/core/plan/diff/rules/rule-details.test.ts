import { entryKey } from '../../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import type { RuleMatch } from '../../../../../src/core/model/resources.ts';
import type { DesiredRule, ObservedRule } from '../../../../../src/core/kinds/rule/fields.ts';
import type { RuleChange } from '../../../../../src/core/model/plan.ts';
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
import {
  stageOf,
  stageOneOf,
  ruleSteps,
  rulePayload,
} from '../../../../../src/core/kinds/rule/steps-parts.ts';

const REGEX: RuleMatch = { type: 'regex', regex: 'x', scopes: ['body'] };
const CEL: RuleMatch = { type: 'cel', expression: 'true' };

function ruleChanges(...input: Parameters<typeof planRules>): readonly RuleChange[] {
  return planRules(...input).changes.filter((change) => change.kind === 'rule');
}

const gone = (parts: object): DesiredRule => ({ state: 'absent', derivedIds: [], source: at(60), ...parts });

describe('each change, whole', () => {
  const common = { kind: 'rule', domain: ACME, conditional: false };

  test('an addition', () => {
    const entries = [rule('a', 'x@x.example'), rule('b', 'x@x.example', { match: REGEX, via: at(3) })];
    expect(planRules(entries, [liveTwin('a', 10, 'x@x.example')]).changes).toEqual([
      {
        ...common,
        action: 'add',
        name: 'b',
        id: derivedId('b', 'regex'),
        observed: null,
        desired: { match: REGEX, forward: ['x@x.example'], active: true, rank: 20 },
        fields: ['forward', 'regex', 'scopes', 'active', 'rank'],
        stage: 1,
        reason: 'manifest',
        source: at(50),
        via: at(3),
        after: 'a',
      },
    ]);
    expect(ruleChanges([rule('a', 'x@x.example')], [])[0]).not.toHaveProperty('via');
    const fields = (match: RuleMatch) => ruleChanges([rule('a', 'x@x.example', { match })], [])[0]?.fields;
    expect(fields(CEL)).toEqual(['forward', 'expression', 'active', 'rank']);
    expect(fields({ type: 'alias', alias: 'a' })).toEqual(['forward', 'alias', 'active', 'rank']);
  });

  test('an update', () => {
    expect(planRules([rule('a', 'y@x.example')], [liveTwin('a', 10, 'x@x.example')]).changes).toEqual([
      {
        ...common,
        action: 'update',
        name: 'a',
        id: derivedId('a'),
        observed: { match: { type: 'alias', alias: 'a' }, forward: ['x@x.example'], active: true, rank: 10 },
        desired: { match: { type: 'alias', alias: 'a' }, forward: ['y@x.example'], active: true, rank: 10 },
        fields: ['forward'],
        stage: 1,
        reason: 'manifest',
        source: at(50),
        after: null,
      },
    ]);
  });

  test('deletes: pruned, absent, replaced', () => {
    const row = liveTwin('a', 10, 'x@x.example');
    const deleted = {
      ...common,
      action: 'delete',
      name: 'a',
      id: derivedId('a'),
      observed: { match: row.match, forward: ['x@x.example'], active: true, rank: 10 },
      desired: null,
      fields: [],
      stage: 2,
      after: null,
    };
    expect(planRules([], [row], { prune: true }).changes).toEqual([
      { ...deleted, name: derivedId('a'), reason: 'prune', source: null },
    ]);
    expect(planRules([gone({ id: derivedId('a') })], [row]).changes).toEqual([
      { ...deleted, name: derivedId('a'), reason: 'absent', source: at(60) },
    ]);
    expect(planRules([gone({ name: 'a', derivedIds: [derivedId('a')] })], [row]).changes).toEqual([
      { ...deleted, reason: 'absent', source: at(60) },
    ]);
    const [, replaced] = planRules([rule('a', 'x@x.example', { match: CEL })], [row]).changes;
    expect(replaced).toEqual({ ...deleted, reason: 'type-change', source: at(50) });
  });
});

describe('which fields differ', () => {
  test.each<[string, RuleMatch, RuleMatch, readonly string[]]>([
    ['an expression', CEL, { type: 'cel', expression: 'false' }, ['expression']],
    ['an alias', { type: 'alias', alias: 'a' }, { type: 'alias', alias: 'b' }, ['alias']],
    ['a pattern', REGEX, { ...REGEX, regex: 'y' }, ['regex']],
    ['scopes', REGEX, { ...REGEX, scopes: ['body', 'sender'] }, ['scopes']],
    ['both', REGEX, { type: 'regex', regex: 'y', scopes: ['sender'] }, ['regex', 'scopes']],
  ])('%s', (_, before, after, fields) => {
    const row = liveRule('r', 10, 'x@x.example', { match: before });
    const entry = rule('r', 'x@x.example', { id: 'r', idIsWritten: true, match: after });
    expect(ruleChanges([entry], [row])[0]?.fields).toEqual(fields);
  });
});

describe('which rules are counted', () => {
  test('named and pruned rules are managed, ignored and other ones are not', () => {
    const rows = ['a', 'b', 'c', 'd'].map((id, index) => liveRule(id, index, 'x@x.example'));
    const absentOnes = [gone({ id: 'a' }), gone({ id: 'b' })];
    expect(planRules(absentOnes, rows, { ignore: ['D'] }).summary).toMatchObject({
      delete: 2,
      unmanaged: 2,
      unchanged: 1,
    });
    const pruned = planRules([], rows, { prune: true, ignore: ['D'] });
    expect(pruned.summary).toMatchObject({ delete: 3, unmanaged: 1 });
    expect(pruned.guards.find(({ guard }) => guard === 'max-deletes')).toMatchObject({
      limit: 1,
      message: '3 of the 3 live rules of acme.example would be deleted; more than 1 need approval',
    });
  });
});

describe('what is said', () => {
  test('of a rule that was recognised by its content', () => {
    const entry = rule('vip', 'x@x.example', { match: CEL, source: at(33) });
    expect(planRules([entry], [liveRule('id-1', 1, 'x@x.example', { match: CEL })]).warnings).toEqual([
      {
        code: 'adopted-by-content',
        message: 'rule "vip" of acme.example was recognised only by its content: it is the live rule id-1',
        hint: 'add to it the line id: id-1',
        source: at(33),
      },
    ]);
  });

  test('of an active rule that nothing manages and that comes first', () => {
    const rows = [liveRule('u', 1, 'u@x.example'), liveTwin('a', 10, 'a@x.example')];
    const warning = {
      code: 'unmanaged-rule-first',
      message:
        'the live rule "u" of acme.example is not managed and comes before a managed rule, whose mail it may match',
      hint: 'name it in the manifest, prune the rules, or move it in the dashboard',
      source: null,
    };
    const entries = [rule('a', 'a@x.example'), rule('z', 'z@x.example', { active: false })];
    expect(planRules(entries, rows).warnings).toEqual([warning]);
    const asleep = [liveRule('u', 1, 'u@x.example', { active: false }), liveTwin('a', 10, 'a@x.example')];
    expect(planRules(entries, asleep).warnings).toEqual([]);
    const between = [
      liveTwin('a', 10, 'a@x.example'),
      liveRule('u', 15, 'u@x.example'),
      liveTwin('z', 20, 'z@x.example', { active: false }),
    ];
    expect(planRules(entries, between).warnings).toEqual([]);
    const equal = [liveTwin('a', 10, 'a@x.example'), liveRule('u', 10, 'u@x.example')];
    expect(planRules([entries[0] as DesiredRule], equal).warnings).toEqual([]);
  });

  test.each<[string, Partial<Extract<DesiredRule, { state: 'present' }>>, string]>([
    [
      'written',
      { id: 'id-1', idIsWritten: true },
      'remove the id: a new rule is added, and the old one is deleted if rules are pruned',
    ],
    ['that follows from the name', { id: 'id-1' }, 'give the rule another name'],
  ])('of a live rule of another type under an id %s', (_, parts, hint) => {
    const entry = rule('vip', 'x@x.example', { ...parts, source: at(33) });
    const message =
      'rule "vip" of acme.example: id-1 is a live rule of type cel, and the type of a rule cannot change to alias';
    const result = planRules([entry], [liveRule('id-1', 1, 'x@x.example', { match: CEL })]);
    expect(result.problems).toEqual([
      { severity: 'error', code: 'rule-type-fixed', message, hint, source: at(33) },
    ]);
    expect(result.withheld).toEqual([{ domain: ACME, part: 'domain', cause: 'manifest', reason: message }]);
  });

  test('of two live rules for one name', () => {
    const memory = prior(ACME, { ruleIds: new Map([['vip', 'id-9']]) });
    const rows = [liveTwin('vip', 1, 'a@x.example'), liveRule('id-9', 2, 'a@x.example')];
    const { withheld, problems } = planRules([rule('vip', 'a@x.example')], rows, { prior: memory });
    expect(problems).toEqual([]);
    expect(withheld).toEqual([
      {
        domain: ACME,
        part: 'domain',
        cause: 'unproven',
        reason: 'two live rules have the name "vip": ids derived-alias-vip and id-9; delete one of them',
      },
    ]);
  });

  test('of what the service keeps otherwise, but not where the rule is gone or shows another value', () => {
    const state = { match: { type: 'alias', alias: 'a' }, forward: ['x@x.example'], active: true } as never;
    const sent = signature({ kind: 'rule', state }, new Map());
    const known = new Map([[entryKey('rule', 'a'), sent]]);
    const shown = sent.replace('x@x.example', 'y@x.example');
    const keptOtherwise = new Map([[entryKey('rule', 'a'), { sent, shown }]]);
    const gone = planRules([rule('a', 'x@x.example')], [], { prior: prior(ACME, { keptOtherwise }) });
    expect(brief(gone)).toEqual(['+rule a 1 manifest']);
    const elsewhere = planRules([rule('a', 'x@x.example')], [liveTwin('a', 1, 'z@x.example')], {
      prior: prior(ACME, { keptOtherwise }),
    });
    expect(brief(elsewhere)).toEqual(['~rule a 1 manifest']);
    const drifted = planRules([rule('a', 'x@x.example')], [], { prior: prior(ACME, { applied: known }) });
    expect(brief(drifted)).toEqual(['+rule a 1 drift']);
    const edited = planRules([rule('a', 'x@x.example')], [liveTwin('a', 1, 'y@x.example')], {
      prior: prior(ACME, { applied: known }),
    });
    expect(brief(edited)).toEqual(['~rule a 1 drift']);
    // A rule that is in place is neither reported nor sent.
    const kept = planRules([rule('a', 'x@x.example')], [liveTwin('a', 1, 'x@x.example')], {
      prior: prior(ACME, { keptOtherwise }),
    });
    expect([kept.changes, codes(kept), kept.summary.unchanged]).toEqual([[], [], 2]);
    const other = planRules([rule('a', 'x@x.example')], [liveTwin('a', 1, 'y@x.example')], {
      prior: prior(ACME, { keptOtherwise }),
    });
    expect([other.changes, codes(other), other.summary.unchanged]).toEqual([[], ['not-kept'], 1]);
  });
});

describe('the live rule of an entry, if several are possible', () => {
  const memory = (id: string) => ({ prior: prior(ACME, { ruleIds: new Map([['vip', id]]) }) });
  const written = { id: 'id-1', idIsWritten: true } as const;

  test('a written id comes before the id of a name, in any order', () => {
    const entries = [
      rule('other', 'x@x.example', { id: 'ID-1' }),
      rule('vip', 'x@x.example', { ...written, match: { type: 'alias', alias: 'other' } }),
    ];
    const result = planRules(entries, [
      liveRule('id-1', 1, 'x@x.example', { match: { type: 'alias', alias: 'other' } }),
    ]);
    expect(brief(result)).toEqual(['+rule other 1 manifest']);
  });

  test('a remembered rule of another type is replaced', () => {
    const result = planRules(
      [rule('vip', 'x@x.example')],
      [liveRule('id-9', 1, 'x@x.example', { match: CEL })],
      memory('ID-9'),
    );
    expect(brief(result)).toEqual(['+rule vip 1 type-change', '-rule vip 2 type-change']);
  });

  test('a rule of the same type is not replaced, with any id', () => {
    const odd = liveRule(derivedId('vip', 'cel'), 1, 'y@x.example', { match: { type: 'alias', alias: 'x' } });
    expect(brief(planRules([rule('vip', 'x@x.example')], [odd]))).toEqual(['+rule vip 1 manifest']);
  });

  test('a remembered rule that is gone or ignored means nothing', () => {
    const entries = [rule('vip', 'x@x.example')];
    expect(brief(planRules(entries, [], memory('id-9')))).toEqual(['+rule vip 1 manifest']);
    const rows = [liveRule('id-9', 1, 'y@x.example')];
    expect(brief(planRules(entries, rows, { ...memory('id-9'), ignore: ['ID-9'] }))).toEqual([
      '+rule vip 1 manifest',
    ]);
  });

  test('a written id neither remembers, replaces nor recognises', () => {
    const entry = rule('vip', 'x@x.example', { ...written, match: CEL });
    const rows = [liveTwin('vip', 1, 'y@x.example'), liveRule('id-9', 2, 'x@x.example', { match: CEL })];
    expect(brief(planRules([entry], rows, memory('id-9')))).toEqual(['+rule vip 1 manifest']);
  });

  test('absent by name is also what is remembered for it, and its ids of every type', () => {
    const entry = gone({ name: 'vip', derivedIds: [derivedId('vip'), derivedId('vip', 'cel')] });
    const rows = [
      liveTwin('vip', 1, 'x@x.example'),
      liveRule(derivedId('vip', 'cel'), 2, 'x@x.example', { match: CEL }),
      liveRule('id-9', 3, 'x@x.example'),
      liveRule('id-8', 4, 'x@x.example'),
    ];
    const result = planRules([entry], rows, memory('id-9'));
    expect(result.changes.map(({ id }) => id)).toEqual([derivedId('vip'), derivedId('vip', 'cel'), 'id-9']);
  });

  test.each<[string, ObservedRule, boolean]>([
    ['equal', liveRule('id-1', 1, 'x@x.example', { match: REGEX }), true],
    ['its destinations differ', liveRule('id-1', 1, 'y@x.example', { match: REGEX }), false],
    ['its pattern differs', liveRule('id-1', 1, 'x@x.example', { match: { ...REGEX, regex: 'y' } }), false],
    [
      'its scopes differ',
      liveRule('id-1', 1, 'x@x.example', { match: { ...REGEX, scopes: ['sender'] } }),
      false,
    ],
    ['its type differs', liveRule('id-1', 1, 'x@x.example', { match: { type: 'alias', alias: 'x' } }), false],
    ['another expression', liveRule('id-1', 1, 'x@x.example', { match: CEL }), false],
  ])('by content: %s', (_, row, adopted) => {
    expect(planRules([rule('vip', 'x@x.example', { match: REGEX })], [row]).adoptions).toHaveLength(
      adopted ? 1 : 0,
    );
  });

  test('by content: not one that is claimed, absent, replaced or ignored; with equal ranks the smallest id', () => {
    const entry = rule('vip', 'x@x.example', { match: CEL });
    const row = (id: string, rank = 1) => liveRule(id, rank, 'x@x.example', { match: CEL });
    const adopted = (
      rows: readonly ObservedRule[],
      more: readonly DesiredRule[] = [],
      ignore: readonly string[] = [],
    ) => planRules([entry, ...more], rows, { ignore }).adoptions.map(({ id }) => id);
    expect(adopted([row('b'), row('a')])).toEqual(['a']);
    expect(adopted([row('b', Number.NaN), row('c', 2), row('d', 1)])).toEqual(['d']);
    expect(adopted([row('a'), row('b')], [gone({ id: 'a' })])).toEqual(['b']);
    expect(adopted([row('a'), row('b')], [], ['A'])).toEqual(['b']);
    const owner = rule('owner', 'x@x.example', { id: 'a', idIsWritten: true, match: CEL });
    expect(adopted([row('a'), row('b')], [owner])).toEqual(['b']);
    expect(adopted([{ ...row('a'), id: derivedId('vip', 'cel') }, row('b')])).toEqual([]);
  });
});

describe('the parts of a rule’s change', () => {
  const rows = ['a', 'c', 'b'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example'));
  const narrowed = rule('b', 'y@x.example', { id: derivedId('b'), match: { type: 'alias', alias: 'z' } });
  const moving = () =>
    ruleChanges([narrowed, rule('a', 'x@x.example'), rule('c', 'x@x.example')], rows)[0] as RuleChange;

  test('a move sends what is, the content what shall be, both at the new rank', () => {
    const change = moving();
    const id = derivedId('b');
    const old = { id, match: { type: 'alias', alias: 'b' }, forward: ['x@x.example'], active: true };
    const next = { id, match: { type: 'alias', alias: 'z' }, forward: ['y@x.example'], active: true };
    const { desired } = change;
    expect(rulePayload(change, 'move')).toEqual({ ...old, rank: desired?.rank });
    expect(rulePayload(change, 'content')).toEqual({ ...next, rank: desired?.rank });
    expect(rulePayload(change, 'whole')).toEqual({ ...next, rank: desired?.rank });
    const deletion = { ...change, desired: null };
    expect(rulePayload(deletion, 'delete')).toEqual({ ...old, rank: change.observed?.rank });
    expect(ruleSteps(deletion)).toEqual([{ stage: 2, step: 'rule-deletes', part: 'delete' }]);
    const added = { ...change, observed: null, stage: 1 } as const;
    expect(ruleSteps(added)).toEqual([{ stage: 1, step: 'rule-adds', part: 'add' }]);
    expect(rulePayload(added, 'add')).toEqual({ ...next, rank: desired?.rank });
    expect(() => rulePayload({ ...change, observed: null, desired: null }, 'add')).toThrow(
      'rule change derived-alias-b has neither an observed nor a desired state',
    );
  });

  test('a rank that is no number is left out', () => {
    const match: RuleMatch = { type: 'alias', alias: 'k' };
    const [gone] = ruleChanges([], [liveRule('k', Number.NaN, 'x@x.example')], { prune: true });
    const sent = { id: 'k', match, forward: ['x@x.example'], active: true };
    expect(rulePayload(gone as RuleChange, 'delete')).toStrictEqual(sent);
  });

  test('the rest of a change whose stage 2 is withheld', () => {
    const change = moving();
    expect(stageOneOf({ ...change, stage: 1 })).toEqual({ ...change, stage: 1 });
    expect(stageOneOf({ ...change, desired: null })).toBeNull();
    expect(stageOneOf({ ...change, fields: ['alias'] })).toBeNull();
    expect(ruleSteps(change).map(({ stage, step, part }) => [stage, step, part])).toEqual([
      [1, 'rule-moves', 'move'],
      [2, 'rule-narrowings', 'content'],
    ]);
    expect([
      stageOf(change),
      stageOf({
        ...change,
        fields: ['forward'],
        desired: { ...change.observed, forward: ['z@x.example'] } as never,
      }),
    ]).toEqual([2, 1]);
  });
});
