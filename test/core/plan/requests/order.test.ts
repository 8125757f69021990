import { describe, expect, test } from 'vitest';
import {
  addsDomain,
  isOneChain,
  sequenceOf,
  STEPS,
  verbOf,
} from '../../../../src/core/plan/requests/order.ts';
import { requestsOf } from '../../../../src/core/plan/requests/requests.ts';
import { ALL_KINDS } from '../../../../src/core/kinds/registry.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  ACME,
  aliasSection,
  change,
  liveRule,
  liveTwin,
  planAliases,
  planRules,
  rule,
} from '../support/build.ts';

/** Returns the names of the items of each step, in the order of sending. */
function stepsOf(result: Parameters<typeof requestsOf>[0]): readonly string[] {
  const stages = requestsOf(result, { version: 'v4', batches: 'allowed' });
  return stages.flatMap(({ domains }) =>
    domains.flatMap(({ requests }) =>
      requests.map(({ step, items }) => `${step}: ${items.map(({ change }) => change.name).join(' ')}`),
    ),
  );
}

describe('items of a step: what is asked first comes first and goes last', () => {
  const names = ['*', '(a|b)', 'o.*', 'info', 'info+x', 'sales', 'x+y.*|z'];

  test('aliases: plus addresses, names, patterns, then the catch-all; deletes the other way round', () => {
    const wanted = Object.fromEntries(names.map((text) => [text, 'x@x.example']));
    expect(stepsOf(planAliases(aliasSection(wanted), {}))).toEqual([
      'alias-adds: info+x info sales (a|b) o.* x+y.*|z *',
    ]);
    const gone = Object.fromEntries(names.map((text) => [text, false as const]));
    expect(stepsOf(planAliases(aliasSection(gone), wanted))).toEqual([
      'alias-deletes: * (a|b) o.* x+y.*|z info sales info+x',
    ]);
  });

  test('rules: adds in final order, deletes from the last', () => {
    const rows = [1, 3, 2].map((rank) => liveRule(`r${rank}`, rank, 'x@x.example'));
    const result = planRules([rule('b', 'x@x.example'), rule('a', 'x@x.example')], rows, { prune: true });
    expect(stepsOf(result)).toEqual(['rule-adds: b a', 'rule-deletes: r3 r2 r1']);
  });

  test('rules that only go elsewhere: in final order', () => {
    const rows = [liveTwin('b', 10, 'x@x.example'), liveTwin('a', 20, 'x@x.example')];
    const result = planRules([rule('b', 'y@x.example'), rule('a', 'y@x.example')], rows);
    expect(stepsOf(result)).toEqual(['rule-changes: b a']);
    const same: RuleMatch = { type: 'alias', alias: 'same' };
    const twins = planRules(
      ['b', 'a'].map((text) => rule(text, 'y@x.example', { match: same })),
      rows.map((row) => ({ ...row, match: same })),
    );
    expect(stepsOf(twins)).toEqual(['rule-changes: b a']);
  });

  test('moves: upward ones first in final order, then downward ones from the last', () => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((text, index) =>
      liveTwin(text, 10 * (index + 1), 'x@x.example'),
    );
    const order = ['e', 'f', 'c', 'd', 'a', 'b'].map((text) => rule(text, 'x@x.example'));
    expect(stepsOf(planRules(order, rows))).toEqual(['rule-moves: b a d c']);
    const upward = ['c', 'd', 'e', 'f'].map((text) => rule(text, 'x@x.example'));
    const back = planRules([rule('e', 'x@x.example'), ...upward.slice(0, 2), ...upward.slice(3)], rows);
    expect(stepsOf(back)).toEqual(['rule-moves: e']);
    const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((text, index) =>
      liveTwin(text, 10 * (index + 1), 'x@x.example'),
    );
    const both = ['c', 'd', 'a', 'b', 'e', 'i', 'j', 'f', 'g', 'h'].map((text) => rule(text, 'x@x.example'));
    expect(stepsOf(planRules(both, ten))).toEqual(['rule-moves: i j b a']);
  });

  const step = (match: string): { readonly match: RuleMatch } => ({ match: { type: 'alias', alias: match } });
  test('narrowings: changed conditions in final order, then what is switched off from the last', () => {
    const rows = ['a', 'b', 'c', 'd'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example'));
    const entries = [
      rule('a', 'x@x.example', { active: false }),
      rule('b', 'x@x.example', { id: 'derived-alias-b', ...step('b2') }),
      rule('c', 'x@x.example', { active: false }),
      rule('d', 'x@x.example', { id: 'derived-alias-d', ...step('d2') }),
    ];
    expect(stepsOf(planRules(entries, rows))).toEqual(['rule-narrowings: b d', 'rule-narrowings: c a']);
  });

  test('narrowings: who takes over a condition comes before who lets it go; of two that swap theirs one is widened', () => {
    const rows = ['a', 'b', 'c'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example'));
    const entry = (text: string, match: string) =>
      rule(text, 'x@x.example', { id: `derived-alias-${text}`, ...step(match) });
    expect(stepsOf(planRules([entry('a', 'z'), entry('b', 'a'), entry('c', 'b')], rows))).toEqual([
      'rule-narrowings: c',
      'rule-narrowings: b',
      'rule-narrowings: a',
    ]);
    expect(stepsOf(planRules([entry('a', 'b'), entry('b', 'a'), entry('c', 'c')], rows))).toEqual([
      'rule-widenings: a',
      'rule-narrowings: b',
      'rule-narrowings: a',
    ]);
    const asleep = rule('c', 'x@x.example', { id: 'derived-alias-c', active: false, ...step('a') });
    expect(stepsOf(planRules([entry('a', 'z'), entry('b', 'b'), asleep], rows))).toEqual([
      'rule-narrowings: a',
      'rule-narrowings: c',
    ]);
  });
});

test('credentials and what routes mail do not wait for each other', () => {
  expect(ALL_KINDS.map((kind) => ALL_KINDS.filter((other) => isOneChain(kind, other)))).toEqual([
    ['domain', 'alias', 'rule'],
    ['domain', 'alias', 'rule'],
    ['domain', 'alias', 'rule'],
    ['credential'],
  ]);
});

describe('steps', () => {
  test('only one adds domains', () => {
    expect(STEPS.filter(addsDomain)).toEqual(['domain-adds']);
  });

  test('one that is no part of a run is refused by its name', () => {
    expect(() => verbOf('alias-merges')).toThrow(
      'the step alias-merges has no place in the sequence of a run',
    );
    expect(verbOf('alias-adds')).toEqual({ kind: 'alias', verb: 'add' });
  });
});

test('each stage has its gates: a route goes only if the run goes on and nothing forwards there any more', () => {
  const changes = [change(ACME, 'info'), change(ACME, 'desk', { action: 'delete', stage: 2 })];
  expect(sequenceOf(changes).map(({ stage, gates }) => [stage, gates])).toEqual([
    [1, ['aliases beside it', 'what it waits for']],
    [
      2,
      [
        'the run goes on',
        'stage 1 of its domain',
        'rules in order',
        'who forwards to it',
        'what it waits for',
      ],
    ],
  ]);
});
