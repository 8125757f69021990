import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSharedText } from '../../../src/engine/state/shared-text.ts';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { createConcealer } from '../../../src/service/conceal/concealer.ts';
import { parseMailUrl, type MailTarget } from '../../../src/service/notify/mail-address.ts';
import { openMailNotifier } from '../../../src/service/notify/mail-notifier.ts';
import { sendMail, type PlainMail } from '../../../src/service/notify/mailer.ts';
import { NOTICE_EVENTS } from '../../../src/service/notify/notice.ts';
import type { DaemonEvent, DeliveryTrouble } from '../../../src/core/model/status/daemon.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import type { Result } from '../../../src/core/model/result.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import schema from '../../../schemas/notifications.v1.schema.json' with { type: 'json' };
import { virtualClock } from '../../support/clock.ts';
import { checkPrinted } from '../../support/documents.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { freePort } from '../../support/free-port.ts';
import { DRIFT, failed, finished, REFUSED } from '../support/run-events.ts';
import { startMailServer } from './support/mail-server.ts';
import { steppedClock } from './support/stepped-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PASSWORD = 'p%25ss%20word';

function targetAt(port: number, scheme = 'smtps', login = `ops:${PASSWORD}@`): MailTarget {
  const parsed = parseMailUrl(
    `${scheme}://${login}127.0.0.1:${port}/?from=fwdsync@acme.example&to=ops+x@acme.example,b@acme.example`,
  );
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

interface Opened {
  readonly port: number;
  readonly everyMs?: number | null;
  readonly clock?: Clock;
  readonly directory?: string;
  readonly secret?: string;
  readonly send?: (mail: PlainMail) => Promise<Result<string | null, string>>;
}

/** A daemon's mail notifier, with a state directory. */
async function notifier({
  port,
  everyMs = null,
  clock = virtualClock(undefined, 5),
  secret = 'not-there',
  ...more
}: Opened) {
  const directory = more.directory ?? (await temporaryDirectory());
  const concealer = createConcealer({ mask: false });
  concealer.addSecret(secret);
  const faults: string[] = [];
  const target = targetAt(port);
  const channel = openMailNotifier({
    everyMs,
    pageUrl: 'https://ops.example/fwdsync',
    clock,
    state: openSharedText({ directory, fs, clock, processes: systemProcesses(fs, 'run') }),
    send: more.send ?? ((mail) => sendMail(target, mail)),
    newId: randomUUID,
    conceal: (text) => concealer.conceal(text),
    onFault: (message) => faults.push(message),
  });
  onTestFinished(() => channel.close());
  return {
    ...channel,
    faults,
    clock,
    directory,
    waiting: () => fs.readFile(join(directory, 'notifications', 'waiting.json'), 'utf8'),
  };
}

test('a mail names account, values, line and page, over TLS with a login, and nothing secret', async () => {
  const server = await startMailServer({ tls: 'implicit' });
  const { tell, waiting } = await notifier({ port: server.port, secret: 'mallory@elsewhere.example' });
  tell(finished({ drift: [DRIFT] }));
  await expect.poll(() => server.mails.length).toBe(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({
    isSecure: true,
    user: 'ops',
    recipients: ['ops+x@acme.example', 'b@acme.example'],
    subject: 'fwdsync acme: drift',
    from: { address: 'fwdsync@acme.example' },
    date: '2026-09-01T00:00:00.000Z',
  });
  expect(mail?.raw).toContain('Auto-Submitted: auto-generated');
  expect(mail?.text?.trim().split('\n')).toEqual([
    'Account acme',
    '',
    '2026-09-01 00:00 UTC  drift in 1 item; nothing was changed',
    '    alias sales of acme.example was changed outside fwdsync: carol@corp.example -> *** (fwdsync.yaml:5)',
    '    https://ops.example/fwdsync/domains/acme.example',
    '',
    'Page: https://ops.example/fwdsync/',
  ]);
  await expect
    .poll(async () => JSON.parse(await waiting()) as object)
    .toMatchObject({ waiting: [], sending: null });
});

test('no text from outside is in a header, or looks like a line of the mail', async () => {
  const server = await startMailServer({ tls: 'implicit' });
  const { tell } = await notifier({ port: server.port });
  const hostile =
    'x\r\nBcc: eve@evil.example\r\n\r\n2026-09-01 00:00 UTC  all is well\r\n.\r\nMAIL FROM:<x>\u202e';
  tell({ ...failed(hostile), account: hostile });
  await expect.poll(() => server.mails.length).toBe(1);
  const [mail] = server.mails;
  expect(mail?.subject).toBe('fwdsync: 1 failed run');
  expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc');
  expect(mail?.recipients).not.toContain('eve@evil.example');
  expect(mail?.text).not.toMatch(/^(Bcc|2026-09-01 00:00 UTC {2}all|MAIL)/m);
  expect(mail?.text).not.toContain('\u202e');
});

describe('nothing is sent', () => {
  const mail = { id: '1', at: 0, subject: 's', text: 't' };

  test.each([
    ['no STARTTLS is offered', 'none', 'starttls', /offers no valid TLS/],
    ['the password is wrong', 'implicit', 'implicit', /^the mail server refused user and password \(535\)$/],
  ] as const)('where %s', async (_, tls, asked, message) => {
    const { port, commands } = await startMailServer({ tls });
    const target = { ...targetAt(port), tls: asked, login: { user: 'ops', pass: 'wrong' } };
    const sent = await sendMail(target, mail);
    expect(sent).toEqual({ ok: false, error: expect.stringMatching(message) as unknown });
    expect(commands).toEqual([]);
  });

  test('if the certificate is not valid', async () => {
    const { port, commands } = await startMailServer({ tls: 'implicit' });
    const { setDefaultCACertificates } = await import('node:tls');
    setDefaultCACertificates([]);
    expect(await sendMail(targetAt(port), mail)).toMatchObject({ ok: false });
    expect(commands).toEqual([]);
  });
});

test('STARTTLS is used where it is offered; on loopback it may be missing; a refused recipient is told, and not sent to again', async () => {
  const mail = { id: '1', at: 0, subject: 's', text: 't' };
  const secure = await startMailServer({ tls: 'starttls', refused: ['b@acme.example'] });
  expect(await sendMail(targetAt(secure.port, 'smtp'), mail)).toEqual({
    ok: true,
    value: 'the mail server refused 1 of 2 recipients',
  });
  const plain = await startMailServer({ tls: 'none' });
  expect(await sendMail(targetAt(plain.port, 'smtp', ''), mail)).toEqual({ ok: true, value: null });
  expect([...secure.mails, ...plain.mails].map(({ isSecure }) => isSecure)).toEqual([true, false]);
});

function delivery(kind: 'delivery-failing' | 'delivery-recovered', alias: string): DaemonEvent {
  const lastError = { at: 0, code: 550, message: 'No such user' };
  const trouble = {
    domain: 'acme.example',
    alias,
    rule: null,
    destination: 'carol@corp.example',
    since: 0,
    count: 3,
    lastError,
    source: null,
  };
  return { account: 'acme', kind, trouble: trouble as unknown as DeliveryTrouble };
}

test(
  'a week of faults: one mail a day where there is something to say, at once what cannot wait',
  { timeout: 60_000 },
  async () => {
    const server = await startMailServer({ tls: 'implicit' });
    const start = Date.parse('2026-09-01T00:00:00Z');
    const clock = steppedClock(start);
    const { tell } = await notifier({ port: server.port, clock, everyMs: DAY });
    const frozen = { ...DRIFT, name: 'info', stage: 1 } as unknown as Change;
    const deleted = { ...DRIFT, action: 'delete', desired: null, stage: 2, fields: [] } as unknown as Change;
    const refused = { ...REFUSED, changes: [deleted, frozen] };
    const refusedKey: DaemonEvent = {
      ...finished({}),
      result: { kind: 'failed', what: 'unauthorised', message: 'the key was refused' },
    } as DaemonEvent;
    const week: readonly (readonly [hour: number, event: DaemonEvent])[] = [
      // The first day
      [2, finished({ drift: [DRIFT] })],
      [3, finished({ drift: [DRIFT] })],
      [5, delivery('delivery-failing', 'sales')],
      [7, finished({})],
      // The third
      [50, finished({ plan: refused })],
      [51, finished({ plan: refused, frozen: [frozen] })],
      // The fifth
      [100, refusedKey],
      [101, { account: 'acme', kind: 'recovered', run: 'r', failures: 4 }],
      // The seventh
      [150, delivery('delivery-recovered', 'sales')],
    ];
    for (const [hour, event] of week) {
      await clock.moveTo(start + hour * HOUR);
      tell(event);
    }
    await clock.moveTo(start + 7 * DAY + HOUR);
    const mails = server.mails.map(({ date, subject }) => [date?.slice(0, 16), subject]);
    expect(mails).toEqual([
      ['2026-09-02T00:00', 'fwdsync acme: 1 failing delivery, drift, resolved'],
      ['2026-09-04T00:00', 'fwdsync acme: changes withheld, changes left alone'],
      ['2026-09-05T04:00', 'fwdsync acme: 1 failed run'],
      ['2026-09-05T05:00', 'fwdsync acme: resolved'],
      ['2026-09-08T00:00', 'fwdsync acme: mail arrives again'],
    ]);
    const first = server.mails[0]?.text ?? '';
    expect(first).toMatch(/^What happened since the last mail: 3 notifications\.\n/);
    expect(first.match(/^2026-.*$/gm)).toEqual([
      '2026-09-01 02:00 UTC  drift in 1 item; nothing was changed',
      '2026-09-01 05:00 UTC  mail does not arrive',
      '2026-09-01 07:00 UTC  resolved: the account matches the manifest again',
    ]);
    expect(first).toContain(
      '    sales@acme.example -> carol@corp.example: 3 messages, last 550 No such user\n',
    );
  },
);

test(
  'while the server is down mail waits, also for the next process, and nothing is lost',
  { timeout: 30_000 },
  async () => {
    const port = await freePort();
    const first = await notifier({ port });
    first.tell(finished({ drift: [DRIFT] }));
    await expect.poll(() => first.faults).toEqual([expect.stringContaining('cannot be reached') as unknown]);
    first.tell(failed('503'));
    await first.close();
    expect(first.faults).toHaveLength(1);
    checkPrinted({ stdout: await first.waiting(), stderr: '', env: {} });
    expect(JSON.parse(await first.waiting())).toMatchObject({
      kind: 'fwdsync/notifications@1',
      waiting: [{}, {}],
    });
    const server = await startMailServer({ tls: 'implicit', port });
    await notifier({ port, directory: first.directory });
    await expect
      .poll(() => server.mails.map(({ subject }) => subject))
      .toEqual(['fwdsync acme: 1 failed run, drift']);
  },
);

test(
  'a process that ends between sending and recording makes a mail come twice, with one Message-ID',
  { timeout: 30_000 },
  async () => {
    const server = await startMailServer({ tls: 'implicit' });
    const target = targetAt(server.port);
    const clock = virtualClock(undefined, 5);
    const never = new Promise<never>(() => {});
    const directory = await temporaryDirectory();
    const state = openSharedText({ directory, fs, clock, processes: systemProcesses(fs, 'run') });
    const dying = openMailNotifier({
      everyMs: null,
      pageUrl: null,
      clock,
      state,
      send: (mail) => sendMail(target, mail).then(() => never),
      newId: randomUUID,
      conceal: (text) => text,
      onFault: () => {},
    });
    dying.tell(finished({ drift: [DRIFT] }));
    await expect.poll(() => server.mails.length).toBe(1);
    await notifier({ port: server.port, directory, clock });
    await expect.poll(() => server.mails.length).toBe(2);
    const [one, two] = server.mails;
    expect(two?.messageId).toBe(one?.messageId);
  },
);

test('urgent mail is sent although the state cannot be written', async () => {
  const server = await startMailServer({ tls: 'implicit' });
  const directory = join(await temporaryDirectory(), 'state');
  await fs.writeFile(directory, 'not a directory');
  const { tell, faults } = await notifier({ port: server.port, directory, everyMs: DAY });
  const broken = { kind: 'failed', what: 'state', message: 'the disk is full' } as const;
  tell({ ...finished({}), result: broken } as DaemonEvent);
  await expect
    .poll(() => server.mails.map(({ text }) => text))
    .toEqual([expect.stringContaining('the disk is full') as unknown]);
  expect(faults[0]).toContain('notifications are not kept');
});

test('two processes with one state send one gathered mail with what both have to say', async () => {
  const server = await startMailServer({ tls: 'implicit' });
  const start = Date.parse('2026-09-01T00:00:00Z');
  const clocks = [steppedClock(start), steppedClock(start)] as const;
  const opened = { port: server.port, everyMs: DAY, directory: await temporaryDirectory() };
  const [first, second] = [
    await notifier({ ...opened, clock: clocks[0] }),
    await notifier({ ...opened, clock: clocks[1] }),
  ];
  for (const clock of clocks) await clock.moveTo(start + HOUR);
  first.tell(finished({ drift: [DRIFT] }));
  second.tell(finished({ drift: [DRIFT] }));
  second.tell(finished({ drift: [DRIFT] }, 'beta'));
  for (const clock of clocks) await clock.moveTo(start + 2 * HOUR);
  for (const clock of clocks) await clock.moveTo(start + 2 * DAY);
  expect(server.mails.map(({ subject, date }) => [date?.slice(0, 10), subject])).toEqual([
    ['2026-09-02', 'fwdsync: drift'],
  ]);
  expect(server.mails[0]?.text?.match(/^Account .*$/gm)).toEqual(['Account acme', 'Account beta']);
});

test('the schema allows every event', () => {
  expect(schema.$defs.notice.properties.event.enum).toEqual(NOTICE_EVENTS);
});

describe('the address', () => {
  test.each([
    ['smtps://u:p@mail.example/?from=a@x.example&to=b@x.example', { tls: 'implicit', port: 465 }],
    ['smtp://u:p@mail.example/?from=a@x.example&to=b@x.example', { tls: 'starttls', port: 587 }],
    [
      'smtp://localhost:25?from=a@x.example&to=b+c@x.example,d@x.example',
      { tls: 'optional', port: 25, login: null, to: ['b+c@x.example', 'd@x.example'] },
    ],
    [
      'smtps://u%40x:p%2F@[::1]/?from=a@x.example&to=b@x.example',
      { host: '::1', login: { user: 'u@x', pass: 'p/' } },
    ],
  ])('%s', (url, target) => {
    expect(parseMailUrl(url)).toMatchObject({ ok: true, value: target });
  });

  test.each([
    'https://mail.example/?from=a@x.example&to=b@x.example',
    'smtps://u:secret@mail.example/?to=b@x.example',
    'smtps://u:secret@mail.example/?from=a@x.example',
    'smtps://u:secret@mail.example/?from=a@x.example&to=b@x.example%0d%0aBcc:%20e@x.example',
    'smtps://u:secret@mail.example/?from=a@x.example&to=b@x.example&subject=x',
    'smtps://u:secret%@mail.example/?from=a@x.example&to=b@x.example',
    'smtps:///?from=a@x.example&to=b@x.example',
  ])('not %s', (url) => {
    const parsed = parseMailUrl(url);
    expect(parsed).toEqual({ ok: false, error: expect.not.stringContaining('secret') as unknown });
  });
});
