import { describe, expect, test } from 'vitest';
import { succeed } from '../../../src/core/model/result.ts';
import type { MoveGate, MoveGateName } from '../../../src/core/move/gate.ts';
import { remember } from '../../../src/core/move/memory.ts';
import type { MoveObservation } from '../../../src/core/move/observation.ts';
import {
  CHECK,
  DAY,
  judge,
  mailOf,
  mx,
  observe,
  OLD,
  recipient,
  SECOND,
  SERVICE,
  START,
  switchedMemory,
  UNREAD,
  zoneOf,
} from './support/observation.ts';

const READY = succeed({ ...CHECK, isMxValid: true, isForwarding: true });

function after(seconds: number, change: Partial<MoveObservation> = {}): MoveObservation {
  return observe({
    at: START + seconds * SECOND,
    zone: succeed(zoneOf(mx(SERVICE))),
    check: READY,
    formerTtl: 300,
    mail: succeed(mailOf(recipient({ arrived: 1 }))),
    ...change,
  });
}

function judged(gate: MoveGateName, seen: MoveObservation, ttl = 300): MoveGate {
  return judge(gate, seen, switchedMemory(ttl));
}

const WAY_BACK = [
  'the way back: set the former MX records again, and remove the others',
  'acme.example. IN MX 10 mail.acme.example.',
];

describe('receiving', () => {
  test('waits for the last TTL of the old records', () => {
    expect(judged('receiving', after(299))).toMatchObject({ state: 'waiting', until: START + 300 * SECOND });
    expect(judged('receiving', after(300)).state).toBe('done');
    expect(judged('receiving', after(7199), 7200).state).toBe('waiting');
  });

  test('shows the way back after 15 minutes', () => {
    const check = succeed(CHECK);
    expect(judged('receiving', after(899, { check }))).toMatchObject({
      state: 'waiting',
      until: START + 900 * SECOND,
    });
    expect(judged('receiving', after(900, { check }))).toMatchObject({ state: 'blocked', todo: WAY_BACK });
    const half = succeed({ ...CHECK, isMxValid: true, isForwarding: false });
    expect(judged('receiving', after(900, { check: half })).state).toBe('blocked');
  });

  test('has no records for the way back that were never seen', () => {
    const seen = after(0, { check: succeed({ ...CHECK, isMxValid: true }) });
    const memory = remember(null, seen);
    const later = judge('receiving', after(DAY / SECOND, { check: succeed(CHECK) }), memory);
    expect([memory.mx, later.state, later.todo?.join()]).toEqual([
      null,
      'blocked',
      expect.stringContaining('not known here'),
    ]);
  });
});

describe('watch', () => {
  test.each<[string, Partial<Parameters<typeof recipient>[0]>, MoveGate['state'], string]>([
    ['mail that arrives', { arrived: 2 }, 'done', '1 message arrived'],
    [
      'only refused mail',
      { refused: 2, error: '550 no' },
      'blocked',
      '2 messages refused, 0 arrived (none arrived): 550 no',
    ],
    [
      'refused for want of a route',
      { refused: 1, arrived: 5, isUnrouted: true },
      'blocked',
      'has no route for it',
    ],
    ['some refused', { refused: 1, arrived: 5, error: '550 spam' }, 'done', '1 refused: 550 spam'],
    ['bounced', { bounced: 1, error: '552 full' }, 'done', '1 bounced: 552 full'],
    ['another address', { address: 'x@acme.example', refused: 3, isUnrouted: true }, 'done', '3 refused'],
  ])('%s', (_what, facts, state, words) => {
    const found = judged('watch', after(3600, { mail: succeed(mailOf(recipient(facts))) }));
    expect([found.state, found.evidence.join('\n')]).toEqual([state, expect.stringContaining(words)]);
    if (state === 'blocked') expect(found.todo).toEqual(WAY_BACK);
  });

  test('is not done before any message arrived, as long as the old side is kept', () => {
    const mail = succeed(mailOf());
    expect(judged('watch', after(3600, { mail })).state).toBe('waiting');
    expect(judged('watch', after(5 * 86_400, { mail })).state).toBe('done');
    expect(judged('watch', after(3600, { mail: UNREAD })).state).toBe('blocked');
  });
});

describe('hold', () => {
  test('takes five days, and a long TTL more', () => {
    expect(judged('hold', after(5 * 86_400 - 1)).state).toBe('waiting');
    expect(judged('hold', after(5 * 86_400))).toMatchObject({
      state: 'done',
      todo: ['the address records of mail.acme.example, if nothing else uses it'],
    });
    expect(judged('hold', after(5 * 86_400), 7200).until).toBe(START + 5 * DAY + 7200 * SECOND);
  });

  test('is not done while something else is not', () => {
    const mail = succeed(mailOf(recipient({ refused: 1 })));
    expect(judged('hold', after(6 * 86_400, { mail }))).toMatchObject({
      state: 'waiting',
      evidence: ['keep the old side running: watch not done'],
    });
  });

  test('lists terms of SPF and lines of the policy that may go', () => {
    const spf = succeed({ records: ['v=spf1 ip4:192.0.2.1 include:spf.service.example ~all'], lookups: 1 });
    const check = succeed({
      ...CHECK,
      isMxValid: true,
      isForwarding: true,
      spfTerms: ['include:spf.service.example'],
    });
    const file = succeed({
      mode: 'testing',
      mx: ['mail.acme.example', 'mx1.service.example'],
      maxAge: 1,
    } as const);
    const policy = succeed({ ids: ['1'], file });
    expect(judged('hold', after(6 * 86_400, { spf, check, policy })).todo).toEqual([
      'the address records of mail.acme.example, if nothing else uses it',
      'of the SPF record, if nothing sends there any more: ip4:192.0.2.1',
      'of the MTA-STS policy: mx: mail.acme.example',
    ]);
  });
});

describe('the memory', () => {
  test('begins the switch anew when a server has the old records again', () => {
    const back = remember(switchedMemory(), after(60, { zone: succeed(zoneOf(mx(SERVICE), mx(OLD, 600))) }));
    expect([back.switchedAt, back.mx, back.ttl?.seconds]).toEqual([null, OLD, 600]);
  });

  test('keeps the switch while nothing can be read', () => {
    const { switchedAt } = switchedMemory();
    const silent = zoneOf({ kind: 'silent', reason: 'x' });
    for (const change of [{ zone: UNREAD }, { check: UNREAD }, { zone: succeed(silent) }])
      expect(remember(switchedMemory(), after(60, change)).switchedAt).toBe(switchedAt);
  });

  test('ignores an observation that is older than the last', () => {
    const memory = switchedMemory();
    expect(remember(memory, observe({ at: START - 2 * SECOND }))).toBe(memory);
  });
});
