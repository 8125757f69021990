import { describe, expect, test } from 'vitest';
import { fail, succeed } from '../../../src/core/model/result.ts';
import type { MoveGate, MoveGateName } from '../../../src/core/move/gate.ts';
import { remember } from '../../../src/core/move/memory.ts';
import type {
  AccountFacts,
  MoveObservation,
  ServerAnswer,
  StsPolicy,
} from '../../../src/core/move/observation.ts';
import {
  ACCOUNT,
  CHECK,
  DAY,
  judge,
  mx,
  observe,
  OLD,
  SECOND,
  SERVICE,
  START,
  UNREAD,
  zoneOf,
} from './support/observation.ts';

type Case = readonly [
  what: string,
  change: Partial<MoveObservation>,
  state: MoveGate['state'],
  words: string,
];

function account(change: Partial<AccountFacts>): Partial<MoveObservation> {
  return { account: succeed({ ...ACCOUNT, ...change }) };
}

function cases(gate: MoveGateName, all: readonly Case[]): void {
  test.each(all)(`${gate}: %s`, (_what, change, state, words) => {
    const found = judge(gate, observe(change));
    expect([found.state, found.evidence.join('\n')]).toEqual([state, expect.stringContaining(words)]);
  });
}

const INVENTORY = { compared: 2, differences: [], notices: [], addresses: [] };
const HELD = 'the guard catch-all refuses the plan';
const wants = (kinds: Partial<AccountFacts['wants']>): AccountFacts['wants'] => ({
  ...ACCOUNT.wants,
  ...kinds,
});

describe('each gate before the switch', () => {
  cases('inventory', [
    ['no file', { inventory: { ...INVENTORY, compared: null } }, 'done', 'nothing was compared'],
    ['no difference', { inventory: INVENTORY }, 'done', 'all keep their destinations'],
    ['a difference', { inventory: { ...INVENTORY, differences: ['v:3: x'] } }, 'next', 'v:3: x'],
  ]);

  cases('account', [
    ['as wanted', {}, 'done', 'matches the manifest'],
    ['not read', { account: UNREAD }, 'blocked', 'it could not be read: it is down'],
    ['without the domain', account({ isPresent: false, engine: null }), 'next', 'does not have acme.example'],
    ['with changes', account({ changes: 3 }), 'next', '3 changes'],
    ['refused', account({ changes: 3, held: [HELD] }), 'blocked', HELD],
    ['banned', account({ isBanned: true }), 'blocked', 'has banned acme.example'],
    ['locked', account({ lockReason: 'unpaid' }), 'blocked', 'locked: unpaid'],
    ['over quota', account({ isOverQuota: true }), 'blocked', 'over its quota'],
    ['no engine', account({ engine: 'none' }), 'next', 'switched off'],
    ['the other engine', account({ wants: wants({ rules: true, aliases: false }) }), 'next', 'aliases route'],
    ['rules', account({ engine: 'rules' }), 'next', 'rules route the domain'],
    ['v3', account({ engine: null }), 'done', 'version 3 does not show it'],
    [
      'a live catch-all',
      account({ liveCatchAll: 'x@corp.example' }),
      'done',
      'the catch-all *, which sends mail to every other address to x@corp.example',
    ],
  ]);

  cases('rehearsal', [
    ['all arrive', {}, 'done', '1 mail arrived'],
    ['one does not', { rehearsal: succeed({ sent: 2, failures: ['y'], left: 0 }) }, 'next', '1 of 2 mails'],
    ['many', { rehearsal: succeed({ sent: 200, failures: [], left: 7 }) }, 'done', '7 addresses not tried'],
  ]);

  const credentials = account({ wants: wants({ credentials: true }) });
  const missing = { check: succeed({ ...CHECK, missing: ['TXT'] }) };
  const spf = (records: readonly string[], lookups: number | null): Partial<MoveObservation> => ({
    spf: succeed({ records, lookups }),
  });
  cases('sending', [
    ['all there', {}, 'done', 'are correct'],
    ['missing, and nothing sends', missing, 'done', 'a warning only'],
    ['missing', { ...credentials, ...missing }, 'next', 'missing or wrong'],
    [
      'two SPF records',
      { ...credentials, ...spf(['v=spf1', 'v=spf1 a'], null) },
      'next',
      'several SPF records',
    ],
    ['eleven look-ups', { ...credentials, ...spf(['v=spf1'], 11) }, 'next', 'more than ten look-ups'],
    ['ten look-ups', { ...credentials, ...spf(['v=spf1'], 10) }, 'done', 'are correct'],
  ]);

  const servers = (...answers: readonly ServerAnswer[]): Partial<MoveObservation> => ({
    zone: succeed(zoneOf(...answers)),
  });
  const silent = { kind: 'silent', reason: 'no answer within 2 s' } as const;
  const lame = { kind: 'lame', reason: 'it answers REFUSED' } as const;
  const besideOld = [...OLD, { preference: 20, exchange: 'mx1.service.example' }];
  const low = { zone: succeed(zoneOf(mx(OLD, 300))), formerTtl: 0 };
  cases('switch', [
    ['ready', low, 'next', 'MX 10 mail.acme.example'],
    ['not ready', account({ changes: 1 }), 'waiting', 'it comes after account'],
    ['a CNAME', servers({ kind: 'cname', target: 'x.example' }), 'blocked', 'is a CNAME to x.example'],
    ['no server answers', servers(silent, lame), 'blocked', 'no server of the zone acme.example answers'],
    [
      'no such name',
      servers({ kind: 'none', ttl: 60, isMissingName: true }),
      'waiting',
      'there is no such name',
    ],
    ['made, with a silent server', servers(mx(SERVICE), silent, lame), 'done', 'ns2: does not answer'],
    ['made at one of two', servers(mx(SERVICE), mx(OLD)), 'waiting', 'others do not yet'],
    ['half of it', { ...servers(mx(besideOld)), formerTtl: 0 }, 'next', '20 mx1.service.example'],
    ['one of the service only', { ...servers(mx(SERVICE.slice(0, 1))), formerTtl: 0 }, 'next', '10 mx1'],
    ['DNS not read', { zone: UNREAD }, 'blocked', 'it could not be read'],
  ]);

  cases('both', [
    ['possible', {}, 'next', 'optional'],
    ['not ready', account({ changes: 1 }), 'waiting', 'it comes after account'],
    ['strict', account({ strictMxes: true }), 'done', 'does not accept other MX records'],
    ['v3', account({ strictMxes: null }), 'done', 'does not show whether it accepts'],
    [
      'no old record',
      servers({ kind: 'none', ttl: 60, isMissingName: false }),
      'done',
      'there is no old MX record',
    ],
    ['not accepted yet', servers(mx(besideOld)), 'waiting', 'does not accept it yet'],
    ['preferred', servers(mx([...OLD, ...SERVICE])), 'blocked', 'before the old MX'],
    [
      'accepted',
      { ...servers(mx(besideOld)), check: succeed({ ...CHECK, isForwarding: true }) },
      'done',
      'accepts',
    ],
  ]);
});

test('a domain that has its MX records from a wildcard gets its own before any other record', () => {
  const zone = { ...zoneOf(mx(OLD)), isInherited: true };
  const check = succeed({ ...CHECK, missing: ['acme.example. IN TXT "v=spf1 -all"'] });
  expect(judge('sending', observe({ zone: succeed(zone), check })).todo).toEqual([
    expect.stringContaining('come from the wildcard above it'),
    'acme.example. IN MX 10 mail.acme.example.',
    'acme.example. IN TXT "v=spf1 -all"',
  ]);
});

test('a wildcard MX below the domain is a notice of the switch', () => {
  const zone = { ...zoneOf(mx(SERVICE)), wildcard: OLD };
  expect(judge('switch', observe({ zone: succeed(zone) })).evidence.join()).toContain(
    'mail to names below acme.example still goes to 10 mail.acme.example',
  );
});

describe('ttl', () => {
  const at = (seconds: number, ttl: number, more: Partial<MoveObservation> = {}): MoveObservation =>
    observe({ at: START + seconds * SECOND, zone: succeed(zoneOf(mx(OLD, ttl))), ...more });

  test('a long one is to be lowered, and then its old value passes', () => {
    const first = remember(null, at(0, 7200));
    expect(judge('ttl', at(0, 7200)).state).toBe('next');
    const lowered = judge('ttl', at(60, 300), first);
    expect(lowered).toMatchObject({ state: 'waiting', until: START + 7260 * SECOND });
    const memory = remember(first, at(60, 300));
    expect(judge('ttl', at(7259, 300), memory).state).toBe('waiting');
    expect(judge('ttl', at(7260, 300), memory).state).toBe('done');
  });

  test('one that was never seen long is taken for a day, or for what is said', () => {
    expect(judge('ttl', at(0, 300)).until).toBe(START + DAY);
    expect(judge('ttl', at(0, 300, { formerTtl: 60 })).until).toBe(START + 60 * SECOND);
    expect(judge('ttl', at(60, 300, { formerTtl: 60 }), remember(null, at(0, 300))).state).toBe('done');
  });

  test('without a record it is the negative TTL of the zone', () => {
    const zone = succeed(zoneOf({ kind: 'none', ttl: 3600, isMissingName: false }));
    expect(judge('ttl', observe({ zone })).evidence[0]).toContain('resolvers cache that for 3600 s');
  });

  test('is seen before the account has the domain, so that it is known later', () => {
    const seen = at(0, 7200, { check: fail('not found'), ...account({ isPresent: false }) });
    expect(remember(null, seen).ttl?.seconds).toBe(7200);
    expect(judge('switch', seen).evidence).toEqual(['it comes after account']);
  });
});

describe('policy', () => {
  const POLICY: StsPolicy = { mode: 'enforce', mx: ['mail.acme.example'], maxAge: 1000 };
  const at = (seconds: number, id: string, policy: StsPolicy | null): MoveObservation =>
    observe({
      at: START + seconds * SECOND,
      policy: succeed({ ids: policy === null ? [] : [id], file: policy === null ? null : succeed(policy) }),
    });
  const ALLOWED: StsPolicy = { ...POLICY, mx: ['mail.acme.example', '*.service.example'] };

  test.each<[string, StsPolicy, MoveGate['state']]>([
    ['enforce', POLICY, 'next'],
    ['enforce, with one of two hosts', { ...POLICY, mx: ['mx1.service.example'] }, 'next'],
    ['enforce, for a deeper wildcard', { ...POLICY, mx: ['*.example'] }, 'next'],
    ['enforce, with the service', ALLOWED, 'done'],
    ['testing', { ...POLICY, mode: 'testing' }, 'done'],
    ['none', { ...POLICY, mode: 'none' }, 'done'],
  ])('%s', (_what, policy, state) => {
    expect(judge('policy', at(0, '1', policy)).state).toBe(state);
  });

  test.each([['an allowing file', ALLOWED] as const, ['no record', null] as const])(
    'after %s, the old max_age passes',
    (_what, after) => {
      const memory = remember(null, at(0, '1', POLICY));
      expect(judge('policy', at(5, '1', ALLOWED), memory).evidence.join()).toContain(
        'still has the id of the old',
      );
      expect(judge('policy', at(5, '2', after), memory)).toMatchObject({
        state: 'waiting',
        until: START + 1005 * SECOND,
      });
      const changed = remember(memory, at(5, '2', after));
      expect(judge('policy', at(1005, '2', after), changed).state).toBe('done');
    },
  );

  test('a file that cannot be read is never taken for an allowing one', () => {
    const memory = remember(null, at(0, '1', POLICY));
    const seen = observe({ at: START + SECOND, policy: succeed({ ids: ['2'], file: UNREAD }) });
    expect(judge('policy', seen, memory).state).toBe('blocked');
    expect(remember(memory, seen).policy).toMatchObject({ id: '1', allowedSince: null });
  });
});
