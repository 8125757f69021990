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
  const { headers, timestamp, text, html, ...rest } = body;
  expect(rest).toEqual({
    to: [
      { name: 'Hook', email: 'hook@acme.example' },
      { name: null, email: 'b@y.example' },
    ],
    from: { name: 'Ana', email: 'ana@x.example' },
    subject: 'Grüße',
    'message-id': '<1@x.example>',
    date: '2026-01-15T12:00:00.000Z',
    'return-path': { name: null, email: 'ana@x.example' },
    inlines: [{ name: 'p.png', type: 'image/png', content: 'AAEC', encoding: 'base64', cid: 'pic' }],
    attachments: [{ name: 'a.pdf', type: 'application/pdf', content: 'QUJD', encoding: 'base64' }],
  });
  expect(headers).toMatchObject({ 'X-Two': ['a', 'b'], 'Message-ID': '<1@x.example>' });
  expect(text).toContain('Hi');
  expect(html).toContain('cid:pic');
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
  expect(await courseOf('acme.example')).toEqual(['QUEUED 250', 'DELIVERED 250']);
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
