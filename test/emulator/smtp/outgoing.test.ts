import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

let running: MailEmulator;
afterEach(() => running.close());

const SEED = {
  domains: [
    { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example,ben@corp.example' }] },
  ],
};
const send = (raw: string, from = 'eve@x.example'): ReturnType<typeof sendRaw> =>
  sendRaw(running.mail.smtp, { from, to: ['sales@acme.example'], raw });

test('another server on loopback gets what is forwarded, its answers are in the log', async () => {
  const got: { from: string; to: string; raw: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const refused = Object.assign(new Error('no such user'), { responseCode: 550 });
      done(address.startsWith('ben@') ? refused : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address).join();
        got.push({ from, to, raw: Buffer.concat(chunks).toString() });
        done(null, 'taken by the relay');
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  running = await startMailEmulator(SEED, { relay: { host: '127.0.0.1', port } });
  await send('From: eve@x.example\nSubject: Grüße 8BITMIME\n\n.dot\nnaïve');
  await running.mail.queue.idle();
  const [bounce, mail] = got.toSorted((a, b) => a.from.localeCompare(b.from));
  expect(mail?.from).toMatch(/^SRS0=.*=x\.example=eve@acme\.example$/);
  expect(mail?.to).toBe('ana@corp.example');
  expect(mail?.raw).toContain('Subject: Grüße 8BITMIME\r\n\r\n.dot\r\nnaïve');
  expect(bounce).toMatchObject({ from: '', to: 'eve@x.example' });
  expect(running.mail.mailboxes.all()).toEqual([]);
  const logs = await running.logs('acme.example');
  const ends = logs.map(({ events }) => events.at(-1));
  expect(ends.map(({ status, code }) => `${status} ${code}`)).toEqual(['DELIVERED 250', 'HARD-BOUNCE 550']);
  expect(ends[0]).toMatchObject({ server: `127.0.0.1:${port}` });
  expect(ends[0].message).toContain('taken by the relay');
  await new Promise<void>((resolve) => server.close(resolve));
  // An unreachable server is a temporary failure.
  await send('Subject: later\n\nx');
  await running.mail.queue.idle();
  const [last] = (await running.logs('acme.example')).slice(-1);
  expect(last.events.at(-1).status).toBe('SOFT-BOUNCE');
  expect(running.mail.queue.size()).toBe(2);
});
