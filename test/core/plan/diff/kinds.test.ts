import { fromEnvironment } from '../../../support/references.ts';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { shownFields, sideOf, signature, type ItemState } from '../../../../src/core/kinds/items.ts';
import {
  aliasSection,
  credentialSection,
  desired,
  live,
  liveTwin,
  ACME,
  observed,
  plan,
  planAliases,
  planRules,
  present,
  rule,
} from '../support/build.ts';

test.each([
  ['alias', 'Sales', 'alias:sales'],
  ['credential', 'Carol', 'credential:carol'],
  ['domain', 'acme.example', 'domain:acme.example'],
  ['rule', 'VIP', 'rule:VIP'],
  ['rule', 'e\u0301', 'rule:\u00e9'],
] as const)('what identifies the %s %s in the state directory: %s', (kind, text, key) => {
  expect(entryKey(kind, text)).toBe(key);
});

const REFERENCES = fromEnvironment({ 'boss@secret.example': 'BOSS' });
const ruled = (match: RuleMatch, forward = 'a@x.example', active = true): ItemState => ({
  kind: 'rule',
  state: { match, forward: decodeForward(forward), active },
});

test.each<[string, ItemState, string]>([
  ['a credential', { kind: 'credential', state: {} }, 'exists'],
  [
    'an alias, its destinations sorted and references kept',
    { kind: 'alias', state: { forward: decodeForward('b@x.example,boss@secret.example,a@x.example') } },
    'a@x.example, b@x.example, { env: BOSS }',
  ],
  [
    'a domain',
    {
      kind: 'domain',
      state: { whitelabel: null, notification_email: 'a@x.example', webhook: 'https://h.example' },
    },
    '{"notification_email":"a@x.example","whitelabel":null,"webhook":"https://h.example"}',
  ],
  ['a rule by alias', ruled({ type: 'alias', alias: 'jobs' }), '[["alias","jobs"],"a@x.example",true]'],
  [
    'a rule by expression',
    ruled({ type: 'cel', expression: 'true' }, 'boss@secret.example', false),
    '[["cel","true"],"{ env: BOSS }",false]',
  ],
  [
    'a rule by pattern, whose scopes are a set',
    ruled({ type: 'regex', regex: 'x', scopes: ['subject', 'body', 'subject'] }),
    '[["regex","x","body","subject"],"a@x.example",true]',
  ],
])('the signature of %s', (_, wanted, expected) => {
  expect(signature(wanted, REFERENCES)).toBe(expected);
});

test('one side of a change, with its kind; of what is added or deleted the other is null', () => {
  const { changes } = planAliases(aliasSection({ a: 'a@x.example', b: false }), { b: 'b@x.example' });
  expect(changes.map((change) => [sideOf(change, 'observed'), sideOf(change, 'desired')])).toEqual([
    [null, { kind: 'alias', state: { forward: ['a@x.example'] } }],
    [{ kind: 'alias', state: { forward: ['b@x.example'] } }, null],
  ]);
});

describe('the fields of a change as they may be shown', () => {
  const how = { references: REFERENCES, mask: false } as const;
  const shown = (change: Change | undefined) =>
    change === undefined ? [] : [shownFields(change, 'observed', how), shownFields(change, 'desired', how)];
  const setting = (value: string | null) => ({ value, source: { file: 'f', line: 1, column: 1 } });

  test('an alias', () => {
    const section = aliasSection({ a: 'boss@secret.example', b: 'null', c: false });
    const { changes } = planAliases(section, { a: 'x@x.example', c: 'c@x.example' });
    expect(changes.map(shown)).toEqual([
      [{ forward: 'x@x.example' }, { forward: '{ env: BOSS }' }],
      [null, { forward: 'discard' }],
      [{ forward: 'c@x.example' }, null],
    ]);
  });

  test('a rule: all fields if it is added or deleted, otherwise the changed ones', () => {
    const regex: RuleMatch = { type: 'regex', regex: 'x', scopes: ['body'] };
    const cel: RuleMatch = { type: 'cel', expression: 'true' };
    const entries = [
      rule('a', 'y@x.example'),
      rule('b', 'boss@secret.example', { match: regex }),
      rule('c', 'x@x.example', { match: cel }),
    ];
    const rows = [liveTwin('a', 10, 'x@x.example'), liveTwin('old', 50, 'x@x.example')];
    const { changes } = planRules(entries, rows, { prune: true });
    expect(changes.map(shown)).toEqual([
      [{ forward: 'x@x.example' }, { forward: 'y@x.example' }],
      [null, { forward: '{ env: BOSS }', regex: 'x', scopes: ['body'], active: true, rank: 20 }],
      [null, { forward: 'x@x.example', expression: 'true', active: true, rank: 30 }],
      [{ alias: 'old', forward: 'x@x.example', active: true, rank: 50 }, null],
    ]);
  });

  test('a domain, and a credential, which has none', () => {
    const acme = present(ACME, {
      settings: { whitelabel: setting('w.example'), notification_email: setting('boss@secret.example') },
      credentials: credentialSection({ p: 'password', q: 'absent' }),
    });
    const found = observed([live(ACME, { credentials: [{ name: 'q' }] })]);
    expect(plan(desired([acme]), found).changes.map(shown)).toEqual([
      [
        { notification_email: 'ops@acme.example', whitelabel: null },
        { notification_email: '{ env: BOSS }', whitelabel: 'w.example' },
      ],
      [null, { password: null }],
      [{}, null],
    ]);
    const fresh = present('new.example', { settings: { webhook: setting('https://h.example/x') } });
    expect(plan(desired([fresh]), observed([])).changes.map(shown)).toEqual([
      [null, { webhook: 'https://h.example/x' }],
    ]);
    const bare = plan(desired([present('new.example')]), observed([])).changes.map(shown);
    expect(bare).toEqual([[null, {}]]);
  });
});
