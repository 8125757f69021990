import { expect, test } from 'vitest';
import { lookAt, OLD, SERVICE, type Look } from './support/observation.ts';

const WAY_BACK = [
  'the way back: set the former MX records again, and remove the others',
  'acme.example. IN MX 10 mail.acme.example.',
];
const FORBIDDING = {
  ok: true,
  value: {
    ids: ['a'],
    file: { ok: true, value: { mode: 'enforce', mx: ['mail.acme.example'], maxAge: 60 } },
  },
} as const;
const ARRIVED = {
  ok: true,
  value: {
    messages: 1,
    isComplete: true,
    recipients: [
      { address: 'a', shown: 'a', arrived: 1, refused: 0, bounced: 0, error: null, isUnrouted: false },
    ],
  },
} as const;
const forwarding = { isMxValid: true, isForwarding: true };
const switched: Look = { after: 3600, mx: [SERVICE], check: forwarding };

test.each<[string, readonly [Look, Look], string]>([
  ['while senders keep a policy', [{ policy: FORBIDDING }, { ...switched, policy: FORBIDDING }], 'policy'],
  ['before the account matches the manifest', [{}, { ...switched, account: { changes: 1 } }], 'account'],
  ['at one of the servers', [{}, { ...switched, mx: [OLD, SERVICE], account: { changes: 1 } }], 'account'],
  [
    'with mail that senders with a policy do not bring',
    [{ policy: FORBIDDING }, { ...switched, policy: FORBIDDING, mail: ARRIVED }],
    'policy',
  ],
])('a switch %s has a way back', (_name, looks, open) => {
  const { state, evidence, todo } = lookAt(...looks).gate('switch');
  expect([state, todo]).toEqual(['blocked', WAY_BACK]);
  expect(evidence.at(-1)).toBe(
    `this was done too early: ${open} not done. Take the way back, or do it at once`,
  );
});

test('a switch before the account has the domain has a way back', () => {
  const { state, evidence, todo } = lookAt({ check: null }, { mx: [SERVICE], check: null }).gate('switch');
  expect([state, todo]).toEqual(['blocked', WAY_BACK]);
  expect(evidence.at(-1)).toBe(
    'the MX records have changed, but the account does not have acme.example: the service refuses its mail',
  );
  expect(lookAt({ check: null }).gate('switch').state).toBe('waiting');
});

test('the MX beside the old ones has a way back while the account differs', () => {
  const beside = [...OLD, { preference: 20, exchange: 'mx1.service.example' }];
  const differing = { after: 60, mx: [beside], account: { changes: 1 } };
  expect(lookAt({}, differing).gate('both')).toMatchObject({ state: 'blocked', todo: WAY_BACK });
});

test('a later change of the manifest is no reason to go back once mail has arrived', () => {
  const later = { ...switched, account: { changes: 1 }, mail: ARRIVED };
  expect(lookAt({}, switched, later).gate('switch').state).toBe('done');
});
