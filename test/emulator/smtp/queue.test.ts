import { Buffer } from 'node:buffer';
import { afterEach, expect, test } from 'vitest';
import { MailQueue } from '../../../src/emulator/smtp/forward/queue.ts';
import type { MailDelivery } from '../../../src/emulator/smtp/mail.ts';
import { createMemorySpool } from '../../../src/emulator/smtp/spool/spool.ts';
import { sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

let running: MailEmulator;
afterEach(() => running?.close());

const SEED = {
  domains: [
    { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example,ben@corp.example' }] },
  ],
};

async function send(from: string, raw = 'Subject: x\n\nx'): Promise<string | null> {
  const { data } = await sendRaw(running.mail.smtp, { from, to: ['sales@acme.example'], raw });
  await running.mail.queue.idle();
  return data;
}

async function lastCourses(): Promise<readonly string[]> {
  const logs = await running.logs('acme.example');
  return logs.slice(-2).map(({ events }) => events.map(({ status }: { status: string }) => status).join());
}

test('a mail whose bounce finds no room is kept, and bounces once there is room', async () => {
  const filler = `Subject: filler\n\n${'x'.repeat(60)}\n`.repeat(100);
  running = await startMailEmulator(SEED, { memoryBytes: 40_000 });
  expect(await send('eve@y.example', filler)).toMatch(/^250/);
  expect(running.mail.mailboxes.all()).toHaveLength(2);
  await running.control('PUT', '/failures', [{ destination: '*@corp.example', do: '5xx' }]);
  const [used] = running.mail.mailboxes.all().map(([, [mail]]) => 2 * (mail?.size ?? 0));
  const large = `Subject: large\n\n${'y'.repeat(40_000 - (used ?? 0) - 300)}`;
  expect(await send('late@y.example', large)).toMatch(/^250/);
  expect(await lastCourses()).toEqual(['QUEUED', 'QUEUED']);
  expect(running.mail.queue.size()).toBe(2);
  expect(running.mail.mailboxes.of('late@y.example')).toEqual([]);
  expect(await send('more@y.example', filler)).toMatch(/^452 4\.2\.2 there is no room left for mail/);

  await running.control('DELETE', '/mailboxes');
  await running.control('POST', '/clock', { advance_seconds: 60 });
  await running.mail.queue.idle();
  expect(running.mail.queue.size()).toBe(0);
  expect(running.mail.mailboxes.of('late@y.example')).toHaveLength(2);
  expect(await lastCourses()).toEqual(['QUEUED,HARD-BOUNCE', 'QUEUED,HARD-BOUNCE']);
});

test('a destination that is slow holds up no other', async () => {
  running = await startMailEmulator(SEED);
  await running.control('PUT', '/failures', [{ destination: 'ana@corp.example', do: 'slow', ms: 400 }]);
  const { data } = await sendRaw(running.mail.smtp, {
    from: 'eve@y.example',
    to: ['sales@acme.example'],
    raw: 'Subject: x\n\nx',
  });
  expect(data).toMatch(/^250/);
  const at = async (address: string): Promise<number> => {
    const { body } = await running.control('GET', `/mailboxes/${address}?wait=10`);
    return Date.parse(body.messages[0].arrived_at);
  };
  const [ana, ben] = await Promise.all([at('ana@corp.example'), at('ben@corp.example')]);
  expect(ana - ben).toBeGreaterThan(200);
  await running.mail.queue.idle();
  expect(await lastCourses()).toEqual(['QUEUED,DELIVERED', 'QUEUED,DELIVERED']);
});

test('many destinations that are slow, with more mail for each, hold up no other', async () => {
  const slow = Array.from({ length: 12 }, (_, index) => `s${index}@slow.example`);
  const forward = [...slow, 'ben@corp.example'].join();
  running = await startMailEmulator({
    domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward }] }],
  });
  const failure = { destination: '*@slow.example', do: 'slow', ms: 900 };
  await running.control('PUT', '/failures', [failure]);
  const mail = { from: 'eve@y.example', to: ['sales@acme.example'], raw: 'Subject: x\n\nx' };
  for (let sent = 0; sent < 2; sent += 1) await sendRaw(running.mail.smtp, mail);
  await expect.poll(() => running.mail.mailboxes.of('ben@corp.example').length).toBe(2);
  expect(slow.flatMap((address) => running.mail.mailboxes.of(address))).toEqual([]);
  await running.mail.queue.idle();
  expect(slow.map((address) => running.mail.mailboxes.of(address).length)).toEqual(Array(12).fill(2));
});

test('a mail stays until each of its deliveries is over, however often the disk refuses to note that one is', async () => {
  const memory = createMemorySpool(1_000_000);
  const [raw, failing] = [Buffer.from('Subject: x\r\n\r\nx'), new Set(['ben@corp.example'])];
  let [now, isFull] = [0, true];
  const queue = new MailQueue({
    spool: {
      ...memory,
      async note() {
        if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      },
    },
    now: () => now,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
    attempt: async (_, { destination }) =>
      failing.has(destination)
        ? { kind: 'soft', code: 451, message: '4.0.0 later', server: 'mx.corp.example' }
        : { kind: 'delivered', code: 250, message: '2.0.0 Ok', server: 'mx.corp.example' },
    record: async () => undefined,
  });
  const advance = async (): Promise<void> => {
    now += 600_000;
    queue.wake();
    await queue.idle();
  };
  const deliveries = ['ana@corp.example', 'ben@corp.example'].map((destination): MailDelivery => {
    return {
      id: destination,
      recipient: 'sales@acme.example',
      domain: 'acme.example',
      destination,
      log: null,
    };
  });
  const origin = { ip: '127.0.0.1', helo: 'x', protocol: 'ESMTP' };
  const mail = {
    id: 'm',
    receivedAt: 0,
    sender: 'eve@y.example',
    origin,
    purpose: 'forward',
    deliveries,
  } as const;
  await queue.keep(mail, raw);
  queue.schedule(mail);
  for (let round = 0; round < 3; round += 1) await advance();
  expect(await memory.raw('queue', 'm')).toEqual(raw);
  isFull = false;
  failing.clear();
  for (let round = 0; round < 3; round += 1) await advance();
  expect(await memory.raw('queue', 'm')).toBeUndefined();
  expect(queue.size()).toBe(0);
  await queue.close();
});
