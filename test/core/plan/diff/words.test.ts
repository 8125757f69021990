import { expect, test } from 'vitest';
import type { Kind } from '../../../../src/core/model/kinds.ts';
import { describeItem } from '../../../../src/core/kinds/items.ts';
import type { ShownChange } from '../../../../src/core/plan/diff/shown.ts';
import type { ShownFields } from '../../../../src/core/fields/fields.ts';

const add = (desired: ShownFields): ShownChange => ({ action: 'add', fields: [], observed: null, desired });
const gone = (observed: ShownFields, parts: Partial<ShownChange> = {}): ShownChange => ({
  action: 'delete',
  fields: [],
  observed,
  desired: null,
  ...parts,
});
const update = (observed: ShownFields, desired: ShownFields, after?: string | null): ShownChange => ({
  action: 'update',
  fields: Object.keys(desired),
  observed,
  desired,
  ...(after === undefined ? {} : { after }),
});
const forward = (was: string, will: string) => update({ forward: was }, { forward: will });

test.each<[Kind, string, ShownChange, string]>([
  ['alias', 'an addition', add({ forward: 'a@x.example' }), 'a@x.example'],
  ['alias', 'a delete', gone({ forward: 'a@x.example' }), 'a@x.example'],
  ['alias', 'another destination', forward('a@x.example', 'b@x.example'), 'a@x.example -> b@x.example'],
  ['alias', 'one more', forward('a@x.example', 'a@x.example, b@x.example'), '+b@x.example  (2 destinations)'],
  ['alias', 'one less', forward('a@x.example, b@x.example', 'b@x.example'), '-a@x.example  (1 destination)'],
  [
    'alias',
    'some in place of others',
    forward('a@x.example, b@x.example, c@x.example', 'c@x.example, d@x.example, e@x.example'),
    '+d@x.example +e@x.example -a@x.example -b@x.example  (3 destinations)',
  ],
  [
    'alias',
    'two others',
    forward('a@x.example, b@x.example', 'c@x.example, d@x.example'),
    'a@x.example, b@x.example -> c@x.example, d@x.example',
  ],
  [
    'alias',
    'a value behind a reference',
    forward('{ env: BOSS }', '{ env: BOSS }'),
    '{ env: BOSS } (another value)',
  ],
  [
    'alias',
    'a reference whose path has a comma',
    forward('{ file: a, b }', '{ file: a, b }, c@x.example'),
    '+c@x.example  (2 destinations)',
  ],
  ['alias', 'a delete of what may be there', { ...gone({}), observed: null }, ''],
  ['domain', 'an addition', add({ whitelabel: 'w.example' }), ''],
  [
    'domain',
    'an addition with settings',
    { ...add({ whitelabel: 'w.example', webhook: null }), fields: ['whitelabel', 'webhook'] },
    'whitelabel w.example; webhook none',
  ],
  [
    'domain',
    'settings',
    update(
      { whitelabel: null, notification_email: 'a@x.example' },
      { whitelabel: 'w.example', notification_email: 'b@x.example' },
    ),
    'whitelabel none -> w.example; notification_email a@x.example -> b@x.example',
  ],
  [
    'domain',
    'a delete',
    gone({}, { contents: { aliases: 2, rules: 1, credentials: 0 } }),
    'with 2 aliases, 1 rule, 0 credentials',
  ],
  ['domain', 'a delete of which no more is known', gone({}), ''],
  ['credential', 'an addition', add({}), ''],
  ['credential', 'a password', update({}, { password: null }), 'new password'],
  ['rule', 'a move to the front', { ...update({ rank: 2 }, { rank: 1 }, null), action: 'move' }, 'first'],
  ['rule', 'a move', { ...update({ rank: 2 }, { rank: 1 }, 'vip'), action: 'move' }, 'after vip'],
  ['rule', 'an addition', add({ alias: 'a', forward: 'a@x.example' }), 'alias a -> a@x.example'],
  [
    'rule',
    'an inactive one',
    add({ regex: 'x.*', scopes: ['body', 'subject'], forward: 'discard', active: false }),
    'body,subject ~ x.* -> discard, inactive',
  ],
  [
    'rule',
    'a delete',
    gone({ expression: 'true', forward: 'a@x.example', active: true }),
    'true -> a@x.example',
  ],
  ['rule', 'nothing', { ...gone({}), observed: null }, ''],
  [
    'rule',
    'all of it',
    update(
      { forward: 'a@x.example', alias: 'a', active: true, rank: 1 },
      { forward: 'b@x.example', alias: 'b', active: false, rank: 2 },
      'vip',
    ),
    'a@x.example -> b@x.example; alias a -> b; active -> inactive; after vip',
  ],
])('the words for a change of the kind %s: %s', (kind, _, change, text) => {
  expect(describeItem(kind, change)).toBe(text);
});
