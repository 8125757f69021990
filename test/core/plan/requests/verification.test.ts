import { expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import { NO_PRIOR } from '../../../../src/core/model/prior.ts';
import { plannedVerifications } from '../../../../src/core/plan/requests/verification.ts';
import {
  ACME,
  absent,
  aliasSection,
  at,
  change,
  desired,
  live,
  NOW,
  observed,
  plan,
  present,
} from '../support/build.ts';

const WAITING = { forwardingReady: false, aliases: [] };
const READY = { forwardingReady: true, sendReady: true, aliases: [] };
const ALIASES = aliasSection({ a: 'a@x.example', b: 'b@x.example' });
const settings = { notification_email: { value: 'x@corp.example', source: at(2) } };
const GONE = live(ACME, { ...WAITING, rules: [], credentials: [] });

test.each<[string, readonly DesiredDomain[], readonly ObservedDomain[], number]>([
  ['one that waits', [present(ACME, { verify: true })], [live(ACME, WAITING)], 1],
  [
    'one that waits, whatever changes in it',
    [present(ACME, { verify: true, aliases: ALIASES, settings })],
    [live(ACME, WAITING)],
    1,
  ],
  [
    'one that is ready, whatever changes in it',
    [present(ACME, { verify: true, aliases: ALIASES, settings })],
    [live(ACME, READY)],
    0,
  ],
  ['one that is made, once', [present(ACME, { verify: true, aliases: ALIASES })], [], 1],
  ['one that is made and not to be verified', [present(ACME, { aliases: ALIASES })], [], 0],
  ['one that goes', [absent(ACME)], [GONE], 0],
  [
    'one of each',
    [present(ACME, { verify: true }), present('new.example', { verify: true })],
    [live(ACME, WAITING)],
    2,
  ],
])('verifications of a run: %s', (_, wanted, rows, count) => {
  const [manifest, account] = [desired(wanted), observed(rows)];
  const context = { desired: manifest, observed: account, prior: NO_PRIOR, now: NOW };
  expect(plannedVerifications(plan(manifest, account), context)).toEqual(
    count === 0 ? [] : [{ operation: 'verifyDomain', domain: null, requests: count }],
  );
});

test('a domain that is made but that the manifest does not name is not verified', () => {
  const changes = [change('other.example', 'other.example', { kind: 'domain', action: 'add' })];
  const context = { desired: desired([]), observed: observed([]), prior: NO_PRIOR, now: NOW };
  expect(plannedVerifications({ changes }, context)).toEqual([]);
});
