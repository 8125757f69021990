import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read bodies of any shape
const calls: { readonly path: string; readonly body: any }[] = [];
let statuses: number[] = [];
let server: Server;
let origin = '';
let running: MailEmulator;

beforeEach(async () => {
  calls.length = 0;
  statuses = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(statuses.shift() ?? 204, { Location: '/elsewhere' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  running = await startMailEmulator(
    {
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: 'hook', forward: `${origin}/mail` },
            { alias: 'far', forward: 'https://hooks.corp.example/inbound' },
          ],
        },
        {
          domain: 'events.example',
          webhook: `${origin}/events`,
          aliases: [{ alias: 'sales', forward: 'ana@corp.example' }],
        },
      ],
    },
    { webhooks: [origin] },
  );
});

afterEach(async () => {
  await running.close();
  server.close();
});

const MAIL =
  'From: Ana <ana@x.example>\nTo: Hook <hook@acme.example>, b@y.example\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\n' +
  'Message-ID: <1@x.example>\nDate: Thu, 15 Jan 2026 12:00:00 +0000\nX-Two: a\nX-Two: b\nMIME-Version: 1.0\n' +
  'Content-Type: multipart/mixed; boundary=b\n\n' +
  '--b\nContent-Type: multipart/related; boundary=r\n\n' +
  '--r\nContent-Type: text/html\n\n<img src="cid:pic">\n' +
  '--r\nContent-Type: image/png\nContent-ID: <pic>\nContent-Disposition: inline; filename=p.png\n' +
  'Content-Transfer-Encoding: base64\n\nAAEC\n--r--\n' +
  '--b\nContent-Type: text/plain\n\nHi\n' +
  '--b\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment; filename=a.pdf\n' +
  'Content-Transfer-Encoding: base64\n\nQUJD\n--b--\n';

async function courseOf(domain: string): Promise<readonly string[]> {
  const [log] = await running.logs(domain);
  return log.events.map(({ status, code }: { status: string; code: number }) => `${status} ${code}`);
}

test('the message is posted as JSON', async () => {
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['hook@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  expect(calls).toHaveLength(1);
  const [{ path, body }] = calls as [(typeof calls)[number]];
  expect(path).toBe('/mail');
  expect(body).toEqual({
    headers: { 'Mime-Version': '1.0', 'X-Two': ['a', 'b'] },
    to: [
      { name: 'Hook', email: 'hook@acme.example' },
      { name: null, email: 'b@y.example' },
    ],
    from: { name: 'Ana', email: 'ana@x.example' },
    subject: 'Grüße',
    'message-id': '<1@x.example>',
    date: 'Thu, 15 Jan 2026 12:00:00 +0000',
    timestamp: Date.parse('2026-01-15T12:00:00Z') / 1000,
    'return-path': { name: null, email: 'ana@x.example' },
    text: 'Hi',
    html: '<img src="cid:pic">',
    inlines: [{ type: 'image/png', name: 'p.png', content: 'AAEC', cid: 'pic' }],
    attachments: [{ type: 'application/pdf', name: 'a.pdf', content: 'QUJD' }],
  });
  expect(await courseOf('acme.example')).toEqual(['QUEUED 250', 'DELIVERED 250']);
});

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read bodies of any shape
async function posted(raw: string): Promise<any> {
  calls.length = 0;
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['hook@acme.example'], raw });
  await running.mail.queue.idle();
  return calls[0]?.body;
}

test('every header that has no key of its own, decoded, as a list', async () => {
  const { headers, ...rest } = await posted(
    'received: from b by c\nReceived: from a by b;\n Thu, 13 Oct 2022 09:23:24 +0000\n' +
      'dkim-signature: v=1;  a=rsa\nReceived-SPF: pass\nauthentication-results: mx; spf=pass\nARC-Seal: i=1\n' +
      'Delivered-To: Ana <ana@x.example>\nX-Greeting: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\nmime-version: 1.0\n' +
      'Return-Path: <forged@x.example>\nFrom: ana@x.example\nSender: Bot <bot@x.example>\nTo: hook@acme.example\n' +
      'Cc: Ben <ben@y.example>, Team: eve@y.example, dan@y.example;\nBcc: c@y.example\nReply-To: r@y.example\n' +
      'Content-Transfer-Encoding: 8bit\nContent-Type: text/plain; charset=utf-8\nDate: Thu,  13 Oct 2022\n 09:23:24 +0000\n\n' +
      '\n  text  \n\n',
  );
  expect(headers).toEqual({
    Received: ['from b by c', 'from a by b; Thu, 13 Oct 2022 09:23:24 +0000'],
    'DKIM-Signature': ['v=1; a=rsa'],
    'Received-SPF': ['pass'],
    'Authentication-Results': ['mx; spf=pass'],
    'ARC-Seal': ['i=1'],
    'Delivered-To': { name: 'Ana', email: 'ana@x.example' },
    'X-Greeting': ['Grüße'],
    'Mime-Version': '1.0',
  });
  expect(rest).toEqual({
    from: { name: null, email: 'ana@x.example' },
    sender: { name: 'Bot', email: 'bot@x.example' },
    'return-path': { name: null, email: 'ana@x.example' },
    to: [{ name: null, email: 'hook@acme.example' }],
    cc: [
      { name: 'Ben', email: 'ben@y.example' },
      { name: null, email: 'eve@y.example' },
      { name: null, email: 'dan@y.example' },
    ],
    bcc: [{ name: null, email: 'c@y.example' }],
    'reply-to': [{ name: null, email: 'r@y.example' }],
    subject: '',
    date: 'Thu, 13 Oct 2022 09:23:24 +0000',
    timestamp: 1_665_653_004,
    text: 'text',
  });
});

test.each(['yesterday', 'May 1', '31 Foo 2022 09:00:00 +0000', ''])(
  'the date %j is as it is in the message, and the time is the present one',
  async (date) => {
    const body = await posted(`From: ana@x.example\nDate: ${date}\nContent-Type: text/html\n\n<p>x</p>`);
    expect([body.date, body.html, 'text' in body]).toEqual([date, '<p>x</p>', false]);
    expect(Math.abs(body.timestamp - Date.now() / 1000)).toBeLessThan(60);
  },
);

test('the last text that is no attachment; files, texts and messages among them', async () => {
  const body = await posted(
    'From: ana@x.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nfirst\n' +
      '--b\nContent-Type: multipart/alternative; boundary=b2\n\n--b2\nContent-Type: text/plain; charset=iso-8859-1\n' +
      'Content-Transfer-Encoding: quoted-printable\n\n na=EFve \n--b2\nContent-Type: text/html\n\n<b>y</b>\n--b2--\n' +
      '--b\nContent-Type: text/csv; charset=iso-8859-1; name=t.csv\nContent-Disposition: attachment\n' +
      'Content-Description: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\nContent-Transfer-Encoding: quoted-printable\n\na=EF\n' +
      '--b\nContent-Type: message/rfc822\n\nSubject: inner\n\nhi\n' +
      '--b\nContent-Type: image/png; name=p.png\nContent-ID: <p>\nContent-Transfer-Encoding: base64\n\nAAEC\n' +
      '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=late.txt\n\nlate\n--b--\n',
  );
  expect([body.text, body.html, 'inlines' in body]).toEqual(['naïve', '<b>y</b>', false]);
  expect(body.attachments).toEqual([
    { type: 'text/csv', name: 't.csv', content: 'aï', description: 'Grüße' },
    { type: 'message/rfc822', name: null, content: 'Subject: inner\n\nhi' },
    { type: 'image/png', name: 'p.png', content: 'AAEC' },
    { type: 'text/plain', name: 'late.txt', content: 'late' },
  ]);
});

test('three tries, redirects not followed, then a bounce', async () => {
  statuses = [500, 302, 503, 204];
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['hook@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  expect(calls).toHaveLength(1);
  for (const seconds of [60, 300]) {
    running.emulator.clock.advance(seconds * 1000);
    await running.mail.queue.idle();
  }
  expect(calls.map(({ path }) => path)).toEqual(['/mail', '/mail', '/mail']);
  expect(await courseOf('acme.example')).toEqual([
    'QUEUED 250',
    'SOFT-BOUNCE 451',
    'SOFT-BOUNCE 451',
    'SOFT-BOUNCE 451',
    'BOUNCED 554',
  ]);
  expect(await running.arrived('ana@x.example')).toHaveLength(1);
});

test('any other origin is recorded, not called, and counts as delivered', async () => {
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['far@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  const box = encodeURIComponent('https://hooks.corp.example/inbound');
  const { messages } = (await running.control('GET', `/mailboxes/${box}`)).body;
  expect(messages).toHaveLength(1);
  const { body } = await running.control('GET', `/mailboxes/${box}/${messages[0].id}`);
  expect(body.payload).toMatchObject({ subject: 'Grüße', 'message-id': '<1@x.example>' });
  const [log] = await running.logs('acme.example');
  expect(log.events[1]).toMatchObject({ status: 'DELIVERED', code: 250 });
  expect(log.events[1].message).toContain('recorded and not called');
});

test('the webhook of a domain gets each event of its logs', async () => {
  const to = ['sales@events.example', 'nobody@events.example'];
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to, raw: MAIL });
  await running.mail.queue.idle();
  await expect.poll(() => calls.length).toBe(3);
  const events = calls.map(({ body }) => `${body.log.recipient.email} ${body.event.status}`);
  expect(new Set(events)).toEqual(
    new Set([
      'nobody@events.example REFUSED',
      'sales@events.example QUEUED',
      'sales@events.example DELIVERED',
    ]),
  );
  const [{ body }] = calls as [(typeof calls)[number]];
  expect(body.domain).toBe('events.example');
  expect(typeof body.event.created).toBe('number');
});
