import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createComposer } from '../../../src/emulator/smtp/forward/compose.ts';
import { reverseSender, rewriteSender } from '../../../src/emulator/smtp/forward/srs.ts';
import type { QueuedMail } from '../../../src/emulator/smtp/mail.ts';
import { readSigningKeys } from '../../../src/emulator/smtp/world/keys.ts';
import type { WorldResolver } from '../../../src/emulator/smtp/world/world.ts';
import { sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';
import { runTool, swaks } from './support/tools.ts';
import { everyNth } from '../../support/share.ts';

let running: MailEmulator;

beforeEach(async () => {
  running = await startMailEmulator(
    {
      domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example' }] }],
      world: {
        'strict.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
        '_dmarc.strict.example': { TXT: ['v=DMARC1; p=reject'] },
        'open.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      },
    },
    { srsKey: 'secret' },
  );
});

afterEach(() => running.close());

const mailFrom = (address: string): string => `From: Ana <${address}>\nSubject: Hello\n\nHi\n`;

async function forward(from: string, ...args: readonly string[]): Promise<string> {
  const common = ['--from', from, '--to', 'sales@acme.example', '--xclient-addr', '192.0.2.1'];
  const { code, output } = await swaks(running.mail.smtp, ...common, ...args);
  expect(output).toMatch(/<[-~] {2}250 2\.6\.0 Ok: queued/);
  expect(code).toBe(0);
  await running.mail.queue.idle();
  return (await running.arrived('ana@corp.example')).at(-1) ?? '';
}

test('the headers of a forward, and the sender as the world has it', async () => {
  const raw = await forward('ana@open.example', '-tls', '--pipeline');
  expect(raw).toMatch(
    /^Return-Path: <SRS0=\S+=open\.example=ana@acme\.example>\r\nX-Forwarded-To: ana@corp\.example\r\nX-Original-To: sales@acme\.example\r\n/,
  );
  expect(raw).toMatch(
    /\r\nReceived: from \S+ \(\[192\.0\.2\.1\]\)\r\n by mx1\.improvmx\.com with ESMTPS id [0-9a-f]{32};/,
  );
  expect(raw).toMatch(/spf=pass .*smtp\.mailfrom=open\.example/);
  expect(raw).toContain('\r\nFrom: ana@open.example\r\n');
  const [arrived] = running.mail.mailboxes.of('ana@corp.example');
  expect(arrived?.sender).toMatch(/^SRS0=.{4}=..=open\.example=ana@acme\.example$/);
});

test('From is rewritten only where DMARC of the sender would refuse the forward', async () => {
  const raw = await forward('ana@strict.example');
  expect(raw).toContain('From: "ana at strict.example via acme.example" <sales@acme.example>\r\n');
  expect(raw).toContain('Reply-To: ana@strict.example\r\n');
  expect(raw).toMatch(/DKIM-Signature: [^]*? d=acme\.example;/);
  // A failed check stays failed, so a forged sender gets no valid signature.
  const forged = await forward('ana@strict.example', '--xclient-addr', '198.51.100.9');
  expect(forged).toContain('\r\nFrom: ana@strict.example\r\n');
  expect(forged).toMatch(/dmarc=fail/);
});

const CHECK_ARC = `
import sys, json, dkim
records = json.loads(sys.argv[1])
found = lambda name, timeout=5: records.get(name.decode().rstrip('.'), '').encode() or None
for message in json.load(sys.stdin):
    print(dkim.arc_verify(message.encode(), dnsfunc=found)[0].decode())
`;

test('python3-dkim verifies the seal, of a rewritten mail and of one that was forwarded twice', async () => {
  const key = 'dkimprovmx1._domainkey.improvmx.com';
  const [text] = (await running.control('GET', `/dns?name=${key}`)).body.values;
  const once = await forward('ana@open.example');
  const rewritten = await forward('ana@strict.example');
  await sendRaw(running.mail.smtp, { from: 'b@open.example', to: ['sales@acme.example'], raw: once });
  await running.mail.queue.idle();
  const twice = (await running.arrived('ana@corp.example')).at(-1) ?? '';
  expect(twice).toContain('ARC-Seal: i=2;');
  const changed = twice.replace('Subject: ', 'Subject: other ');
  const args = ['-c', CHECK_ARC, JSON.stringify({ [key]: text })];
  const messages = JSON.stringify([once, rewritten, twice, changed]);
  expect((await runTool('/usr/bin/python3', args, messages)).output).toBe('pass\npass\npass\nfail\n');
});

const perl = async (...args: readonly string[]): Promise<string> =>
  (
    await runTool('perl', [
      '-MMail::SRS',
      '-e',
      'my ($m, @a) = @ARGV; my $s = Mail::SRS->new(Secret => "secret"); print eval { $s->$m(@a) } // "refused"',
      ...args,
    ])
  ).output;

test('destinations of one recipient share one check of the sender and one seal', async () => {
  const asked: string[] = [];
  const keys = await readSigningKeys(running.emulator.store.state.mail, {
    srsKey: 'x',
    randomId: randomUUID,
  });
  const world: WorldResolver = (name, type) => {
    asked.push(name);
    return running.mail.world(name, type);
  };
  const compose = createComposer({ keys, world });
  const origin = { ip: '192.0.2.1', helo: 'client.example', protocol: 'ESMTP' };
  const mail: QueuedMail = {
    id: 'one',
    receivedAt: 0,
    sender: 'ana@strict.example',
    origin,
    purpose: 'forward',
    deliveries: [],
  };
  const raw = Buffer.from(mailFrom('ana@strict.example').replaceAll('\n', '\r\n'));
  const first = await compose({ mail, raw, recipient: 'sales@acme.example' });
  const times = asked.length;
  expect(await compose({ mail, raw, recipient: 'sales@acme.example' })).toBe(first);
  expect([times > 0, asked.length]).toEqual([true, times]);
  const other = await compose({ mail, raw, recipient: 'info@acme.example' });
  expect(asked.length).toBe(2 * times);
  expect([String(first), String(other)].map((each) => /^From: .*<(.*)>/m.exec(each)?.[1])).toEqual([
    'sales@acme.example',
    'info@acme.example',
  ]);
});

test('libmail-srs-perl reverses our senders, and we reverse its', async () => {
  const how = { key: 'secret', now: Date.now() };
  const senders = ['ana@x.example', 'A.b+c=d@Sub.X.example', 'SRS0=abcd=JL=y.example=u@x.example'];
  for (const sender of everyNth(3, senders)) {
    const ours = rewriteSender(sender, 'acme.example', how);
    const theirs = await perl('forward', sender, 'acme.example');
    expect(ours).toBe(theirs);
    const back = reverseSender(theirs.slice(0, theirs.lastIndexOf('@')), how);
    expect(back).toEqual({ kind: 'sender', address: await perl('reverse', ours) });
  }
});

test('a bounce to a rewritten sender goes back; forged and stale ones are 553', async () => {
  await forward('ana@open.example');
  const [{ sender } = { sender: '' }] = running.mail.mailboxes.of('ana@corp.example');
  const bounce = (to: string): ReturnType<typeof sendRaw> =>
    sendRaw(running.mail.smtp, { from: '', to: [to], raw: mailFrom('mailer-daemon@corp.example') });
  expect((await bounce(sender)).data).toMatch(/^250/);
  await running.mail.queue.idle();
  expect(await running.arrived('ana@open.example')).toHaveLength(1);
  const forged = await bounce(sender.replace('open.example', 'evil.example'));
  expect(forged.recipients).toEqual([
    expect.stringMatching(/^553 5\.1\.3 .*the rewritten sender is forged$/),
  ]);
  running.emulator.clock.advance(22 * 86_400_000);
  const stale = await bounce(sender);
  expect(stale.recipients).toEqual([expect.stringMatching(/^553 5\.1\.3 .*the rewritten sender is stale$/)]);
});

test('temporary failures are retried by the clock of the emulator, then bounced; others at once', async () => {
  await running.control('PUT', '/failures', [{ destination: '*@corp.example', do: '4xx', times: 2 }]);
  await sendRaw(running.mail.smtp, {
    from: 'b@y.example',
    to: ['sales@acme.example'],
    raw: mailFrom('b@y.example'),
  });
  await running.mail.queue.idle();
  expect(running.mail.mailboxes.all()).toEqual([]);
  await running.control('POST', '/clock', { advance_seconds: 60 });
  await running.control('POST', '/clock', { advance_seconds: 300 });
  const { body } = await running.control('GET', '/mailboxes/ana@corp.example?wait=10');
  expect(body.messages).toHaveLength(1);
  const statuses = async (): Promise<readonly string[]> =>
    (await running.logs('acme.example')).at(-1).events.map(({ status }: { status: string }) => status);
  expect(await statuses()).toEqual(['QUEUED', 'SOFT-BOUNCE', 'SOFT-BOUNCE', 'DELIVERED']);
  await running.control('PUT', '/failures', [
    { destination: 'ana@corp.example', do: '5xx', message: '5.2.1 ana@corp.example is full' },
  ]);
  await sendRaw(running.mail.smtp, {
    from: 'b@y.example',
    to: ['sales@acme.example'],
    raw: mailFrom('b@y.example'),
  });
  await running.mail.queue.idle();
  expect(await statuses()).toEqual(['QUEUED', 'HARD-BOUNCE']);
  const [report = ''] = await running.arrived('b@y.example');
  expect(report).toContain('multipart/report; report-type=delivery-status');
  expect(report).toContain('Final-Recipient: rfc822; sales@acme.example');
  expect(report).toContain('Status: 5.2.1');
  expect(report).not.toContain('ana@corp.example');
  for (const extra of ['Auto-Submitted: auto-replied\n', 'List-Id: <l.y.example>\n', 'Precedence: bulk\n']) {
    const raw = `${extra}${mailFrom('b@y.example')}`;
    await sendRaw(running.mail.smtp, { from: 'b@y.example', to: ['sales@acme.example'], raw });
  }
  await sendRaw(running.mail.smtp, { from: '', to: ['sales@acme.example'], raw: mailFrom('b@y.example') });
  await running.control('PUT', '/failures', [{ destination: '*', do: 'drop' }]);
  await sendRaw(running.mail.smtp, {
    from: 'late@y.example',
    to: ['sales@acme.example'],
    raw: mailFrom('b@y.example'),
  });
  for (let days = 0; days < 4; days += 1) {
    await running.mail.queue.idle();
    running.emulator.clock.advance(86_400_000);
  }
  await running.mail.queue.idle();
  expect(await running.arrived('b@y.example')).toHaveLength(1);
});
