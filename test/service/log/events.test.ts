import { fromEnvironment } from '../../support/references.ts';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createConcealer } from '../../../src/service/conceal/concealer.ts';
import { concealing } from '../../../src/cli/output/log/concealing-stream.ts';
import type { NoticeEvent } from '../../../src/service/notify/notice.ts';
import { createNotices } from '../../../src/service/notify/notices.ts';
import type { NotifyMessage } from '../../../src/service/notify/notify-bodies.ts';
import { createNotifier } from '../../../src/service/notify/notifier.ts';
import { createLogger } from '../../../src/cli/output/log/logger.ts';
import { createEventLog } from '../../../src/service/log/event-log.ts';
import { parseListen } from '../../../src/cli/commands/run/run-options.ts';
import type { DaemonEvent, RunResult } from '../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Change, Plan } from '../../../src/core/model/plan.ts';
import type { Problem } from '../../../src/core/model/manifest/problem.ts';
import type { Report } from '../../../src/core/model/report.ts';
import { DRIFT, failed, finished, PLAN, REFUSED } from '../support/run-events.ts';
import { virtualClock } from '../../support/clock.ts';

describe('the log of events', () => {
  function record(events: readonly DaemonEvent[]): readonly string[] {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push((JSON.parse(String(chunk)) as { event: string }).event);
        done();
      },
    });
    const log = createEventLog(pino({ level: 'info' }, stream));
    for (const event of events) log(event);
    return lines;
  }

  test('a lasting condition is reported once, and again when it returns', () => {
    const refused = finished({ plan: REFUSED });
    expect(record([refused, refused, finished({}), refused])).toEqual([
      'guard.refused',
      'run.finished',
      'run.finished',
      'run.finished',
      'guard.refused',
      'run.finished',
    ]);
  });

  test('each account has its own', () => {
    const events = [finished({ plan: REFUSED }), finished({ plan: REFUSED }, 'beta')];
    expect(record(events).filter((event) => event === 'guard.refused')).toHaveLength(2);
  });

  function lines(events: readonly DaemonEvent[]): readonly Record<string, unknown>[] {
    const written: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(JSON.parse(String(chunk)) as Record<string, unknown>);
        done();
      },
    });
    const log = createEventLog(pino({ level: 'info' }, stream));
    for (const event of events) log(event);
    return written;
  }

  test('drift says what it was changed to, again when that is something else', () => {
    const [found, , other] = lines([
      finished({ drift: [DRIFT] }),
      finished({
        drift: [{ ...DRIFT, observed: { forward: decodeForward('eve@elsewhere.example') } } as Change],
      }),
    ]);
    expect(found).toMatchObject({
      event: 'drift.found',
      from: { forward: 'carol@corp.example' },
      to: { forward: 'mallory@elsewhere.example' },
      source: 'fwdsync.yaml:5:7',
      msg: 'alias sales of acme.example was changed outside fwdsync: carol@corp.example -> mallory@elsewhere.example',
    });
    expect(other).toMatchObject({ to: { forward: 'eve@elsewhere.example' } });
    const gone = { ...DRIFT, action: 'add', observed: null } as Change;
    const made = { ...DRIFT, action: 'delete', desired: null } as Change;
    expect(lines([finished({ drift: [gone, made] })]).map(({ msg }) => msg)).toEqual([
      'alias sales of acme.example was deleted outside fwdsync: carol@corp.example',
      'alias sales of acme.example was added outside fwdsync: mallory@elsewhere.example',
      expect.anything(),
    ]);
  });

  test('each item has its values, whether it was applied or failed', () => {
    const item = { action: 'update', kind: 'alias', domain: 'acme.example', name: 'sales' } as const;
    const report = {
      outcome: 'partial',
      applied: [{ ...item, id: '7' }],
      failed: [
        { ...item, source: null, endpoint: 'PUT /x', status: 400, index: null, message: 'no', errors: {} },
      ],
      skipped: [],
      notKept: [],
      notes: [],
      run: null,
      snapshot: null,
      undoFlags: [],
    } as unknown as Report;
    const plan = { ...PLAN, changes: [DRIFT] } as Plan;
    const [applied, failure] = lines([finished({ plan, report })]);
    const values = { from: { forward: 'mallory@elsewhere.example' }, to: { forward: 'carol@corp.example' } };
    expect(applied).toMatchObject({
      event: 'change.applied',
      ...values,
      msg: 'update alias sales of acme.example: mallory@elsewhere.example -> carol@corp.example',
    });
    expect(failure).toMatchObject({
      event: 'change.failed',
      ...values,
      msg: 'update alias sales of acme.example: no',
    });
  });

  test('requests are counted as in the metrics, also those outside of an apply; seconds are rounded', () => {
    const request: DaemonEvent = {
      account: 'acme',
      kind: 'request',
      endpoint: 'GET /account',
      status: 200,
      seconds: 0.123456,
      waitedSeconds: 0,
    };
    const events = [
      request,
      request,
      { ...finished({}), seconds: 1.23456789 } as DaemonEvent,
      request,
      failed('503'),
    ];
    expect(lines(events)).toMatchObject([
      { event: 'run.finished', requests: 2, seconds: 1.235 },
      { event: 'run.failed', requests: 1 },
    ]);
  });

  test('a pretty line is one line per event, with its place and what to do', () => {
    let text = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const log = createEventLog(createLogger({ level: null, format: 'pretty' }, stream, 'info'));
    const problem: Problem = {
      severity: 'warning',
      code: 'x',
      message: 'two\nlines',
      hint: 'write one',
      source: { file: 'a.yaml', line: 1, column: 2 },
    };
    const accepted = {
      kind: 'manifest-accepted',
      api: {},
      domains: 1,
      entries: 2,
      problems: [problem],
      references: new Map(),
    };
    log({ account: 'acme', ...accepted } as DaemonEvent);
    expect(text.split('\n').map((line) => line.replace(/^\[.*?\] /, ''))).toEqual([
      'WARN: acme: two<U+000A>lines (a.yaml:1:2); try: write one',
      'INFO: acme: manifest loaded: 1 domain, 2 entries',
      '',
    ]);
  });

  const CONVERGED = {
    outcome: 'converged',
    applied: [],
    failed: [],
    skipped: [],
    notKept: [],
    notes: [],
    run: null,
    snapshot: null,
    undoFlags: [],
  } as unknown as Report;
  const item = { action: 'update', kind: 'alias', domain: 'acme.example', name: 'sales', id: '7' } as const;
  const OTHER = { ...DRIFT, domain: 'beta.example' as DomainName } as Change;

  test.each<[string, Partial<Extract<RunResult, { kind: 'completed' }>>, string, number]>([
    ['what was done', { report: { ...CONVERGED, applied: [item] } }, 'converged: 1 updated; ', 0],
    ['nothing', { report: { ...CONVERGED, outcome: 'unchanged' } }, 'unchanged: no changes; ', 0],
    [
      'what is only observed',
      { plan: { ...PLAN, changes: [DRIFT, OTHER] } },
      'not-applied: 2 to update; ',
      0,
    ],
    [
      'what is frozen beside what was done',
      {
        plan: { ...PLAN, changes: [DRIFT, OTHER] },
        frozen: [OTHER],
        report: { ...CONVERGED, applied: [item] },
      },
      'converged: 1 updated, 1 withheld; ',
      1,
    ],
    [
      'what a guard holds',
      {
        plan: {
          ...PLAN,
          changes: [DRIFT],
          guards: [{ guard: 'loop', message: 'x', allowed: false, holds: { kind: 'run' } }],
        } as unknown as Plan,
      },
      'not-applied: 1 withheld; ',
      1,
    ],
    [
      'a password that is not set',
      { plan: { ...PLAN, changes: [DRIFT] }, unset: [DRIFT], report: { ...CONVERGED, outcome: 'unchanged' } },
      'unchanged: 1 withheld; ',
      1,
    ],
  ])('the end of a run says %s', (_, result, text, withheld) => {
    const last = lines([finished(result)]).at(-1);
    expect(last).toMatchObject({
      event: 'run.finished',
      withheld,
      msg: expect.stringMatching(`^${text}0 requests`),
    });
  });

  test('frozen drift is told once, also where the runs apply other changes', () => {
    const report = { ...CONVERGED, applied: [{ ...item, domain: 'beta.example' as DomainName }] };
    const plan = { ...PLAN, changes: [DRIFT, OTHER] };
    const check = finished({ plan, drift: [DRIFT, OTHER], frozen: [DRIFT], report });
    const told = lines([check, check]).filter(
      ({ event }) => event === 'drift.found' || event === 'item.frozen',
    );
    expect(told.map(({ event, domain }) => [event, domain])).toEqual([
      ['drift.found', 'acme.example'],
      ['drift.found', 'beta.example'],
      ['item.frozen', 'acme.example'],
      ['drift.found', 'beta.example'],
    ]);
  });

  test('a pretty line puts no name of an item where loggers have theirs', () => {
    let text = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const log = createEventLog(createLogger({ level: null, format: 'pretty' }, stream, 'info'));
    log(finished({ plan: { ...PLAN, changes: [DRIFT] }, report: { ...CONVERGED, applied: [item] } }));
    expect(text).toContain('INFO: acme: update alias sales of acme.example');
    expect(text).not.toContain('(sales)');
  });

  test('drift that is only observed stands as well', () => {
    const drift = finished({ drift: [DRIFT], frozen: [DRIFT] });
    expect(record([drift, drift])).toEqual(['drift.found', 'item.frozen', 'run.finished', 'run.finished']);
  });
});

describe('concealing', () => {
  test('values are gone wherever they stand, in JSON too', () => {
    const concealer = createConcealer({ mask: new Map() });
    concealer.addSecret('quo"te\\d');
    concealer.addSecret('abc');
    concealer.addReferences(fromEnvironment({ 'boss@private.example': 'BOSS' }));
    const shown = concealer.conceal(
      JSON.stringify({ a: 'quo"te\\d', b: 'to BOSS@private.example, ana@corp.example', c: 'abc' }),
    );
    expect(JSON.parse(shown)).toEqual({ a: '***', b: 'to { env: BOSS }, ***1@corp.example', c: 'abc' });
  });

  test('each of hundreds of values is gone, also one that comes up later', () => {
    const concealer = createConcealer({ mask: false });
    const keys = Array.from({ length: 501 }, (_, index) => `key.of.account-${index}.`);
    for (const key of keys) {
      concealer.addSecret(key);
      expect(concealer.conceal(`with ${key.toUpperCase()}, and no key_of account`)).toBe(
        'with ***, and no key_of account',
      );
    }
    for (const key of keys) expect(concealer.conceal(`"${key}"`)).toBe('"***"');
  });

  test('a stream keeps what makes it a terminal', () => {
    const out = Object.assign(new Writable(), { isTTY: true, columns: 120 });
    expect(concealing(out, createConcealer({ mask: false }))).toMatchObject({ isTTY: true, columns: 120 });
  });
});

describe('notices', () => {
  function tell(events: readonly DaemonEvent[]): readonly (NoticeEvent | null)[] {
    const notices = createNotices();
    return events.map((event) => notices(event)[0]?.event ?? null);
  }

  test('drift, once for as long as it stands', () => {
    const drift = finished({ drift: [DRIFT] });
    const told = ['drift-found', null, 'recovered', 'drift-found'];
    expect(tell([drift, drift, finished({}), drift])).toEqual(told);
  });

  test('a failure once, then that it is well again, then the same failure anew', () => {
    const well: DaemonEvent = { account: 'acme', kind: 'recovered', run: 'r2', failures: 2 };
    expect(tell([failed('503'), failed('503'), failed('504'), well, failed('503')])).toEqual([
      'apply-failed',
      null,
      'apply-failed',
      'recovered',
      'apply-failed',
    ]);
  });

  test('an invalid manifest with its errors, and not with what else is found in it', () => {
    const problem = { code: 'c', hint: 'h', source: { file: 'm.yaml', line: 2, column: 3 } } as const;
    const [said] = createNotices()({
      account: 'acme',
      kind: 'manifest-refused',
      message: 'invalid',
      problems: [
        { ...problem, severity: 'notice', message: 'only a notice' },
        { ...problem, severity: 'error', message: 'an error' },
      ],
      inForce: 'last-good',
    });
    expect(said).toMatchObject({
      count: 1,
      headline: 'invalid; the last good one stays loaded',
      items: [{ text: 'm.yaml:2: an error' }],
    });
  });

  test('an invalid manifest again after one that was valid', () => {
    const refused: DaemonEvent = {
      account: 'acme',
      kind: 'manifest-refused',
      message: 'invalid',
      problems: [],
      inForce: 'last-good',
    };
    const accepted: DaemonEvent = {
      account: 'acme',
      kind: 'manifest-accepted',
      api: {},
      domains: 1,
      entries: 1,
      problems: [],
      references: new Map(),
    };
    expect(tell([refused, refused, accepted, refused])).toEqual([
      'manifest-invalid',
      null,
      'recovered',
      'manifest-invalid',
    ]);
  });
});

describe('the notifier', () => {
  const notice: NotifyMessage = {
    event: 'drift-found',
    account: 'acme',
    text: 'drift',
    count: 1,
    items: [],
    link: null,
  };

  function notifier(answers: readonly (number | 'unreachable')[]) {
    const bodies: { text: string }[] = [];
    const lost: string[] = [];
    const clock = virtualClock();
    const made = createNotifier({
      url: 'https://hooks.example/secret',
      format: 'json',
      pageUrl: null,
      clock,
      signal: new AbortController().signal,
      fetch: (_url, init) => {
        const answer = answers[bodies.length] ?? 200;
        bodies.push(JSON.parse(init?.body as string) as { text: string });
        if (answer === 'unreachable') return Promise.reject(new Error('getaddrinfo hooks.example/secret'));
        return Promise.resolve(new Response(null, { status: answer }));
      },
      conceal: (text) => text,
      onLost: (_, message) => lost.push(message),
    });
    return { made, bodies, lost, clock };
  }

  test('tries again after what may pass, and gives up on what does not', async () => {
    const passing = notifier([503, 429, 'unreachable', 200]);
    passing.made.send(notice);
    await passing.made.idle();
    expect([passing.bodies.length, passing.lost]).toEqual([4, []]);
    const refused = notifier([404]);
    refused.made.send(notice);
    await refused.made.idle();
    expect([refused.bodies.length, refused.lost]).toEqual([1, ['the webhook answered 404']]);
    const dead = notifier(Array.from({ length: 9 }, () => 'unreachable' as const));
    dead.made.send(notice);
    await dead.made.idle();
    expect([dead.bodies.length, dead.lost]).toEqual([5, ['the webhook cannot be reached']]);
  });

  test('sends at most 12 an hour, and then says how many it kept to itself', async () => {
    const { made, bodies, clock } = notifier([]);
    for (let count = 0; count < 30; count += 1) made.send(notice);
    await made.idle();
    expect(bodies).toHaveLength(12);
    clock.advance(3_600_001);
    made.send(notice);
    await made.idle();
    expect(bodies[12]?.text).toContain('18 more were not sent');
  });
});

describe('--listen', () => {
  test.each([
    ['127.0.0.1:9477', { host: '127.0.0.1', port: 9477 }],
    ['9477', { host: '127.0.0.1', port: 9477 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['0.0.0.0:9477', { host: '0.0.0.0', port: 9477 }],
  ])('%s', (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each(['', ':', 'host', '127.0.0.1:65536', '1:2:3', 'http://x:1'])('not %s', (text) => {
    expect(() => parseListen(text)).toThrow(/is not an? (address|port)|65536 is not a port/);
  });
});
