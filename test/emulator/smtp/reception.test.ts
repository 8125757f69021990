import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEY } from '../support/target.ts';
import { createVisits } from '../../../src/emulator/smtp/forward/visits.ts';
import { converse, sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

let running: MailEmulator;

beforeEach(async () => {
  running = await startMailEmulator({
    domains: [
      {
        domain: 'acme.example',
        aliases: [
          { alias: 'sales', forward: 'ana@corp.example, ben@corp.example' },
          { alias: 'team-(.+)', forward: '$1@corp.example' },
          { alias: 'void', forward: 'null' },
          { alias: 'hop', forward: 'sales@acme.example' },
          { alias: 'circle', forward: 'circle@acme.example' },
        ],
      },
      {
        domain: 'rules.example',
        routing_engine: 'rules',
        rules_fallback_email: 'rest@corp.example',
        rules: [
          { type: 'regex', config: { regex: 'Größe', scopes: ['subject'], forward: 'size@corp.example' } },
          { type: 'cel', config: { expression: 'body == "naïve\\ntext"', forward: 'text@corp.example' } },
        ],
      },
    ],
  });
});

afterEach(() => running.close());

interface LogOfV3 {
  readonly recipient: { readonly email: string };
  readonly forward: { readonly email: string } | null;
  readonly events: readonly { readonly status: string }[];
}

const MAIL = 'From: Ana <ana@x.example>\nSubject: Hello\n\nHi';

test('each recipient has its own answer, and what was accepted arrives where routing says', async () => {
  const to = [
    'sales@acme.example',
    'nobody@acme.example',
    'x@other.example',
    'TEAM-eve@ACME.example',
    'void@acme.example',
  ];
  const { recipients, data } = await sendRaw(running.mail.smtp, { from: 'ana@x.example', to, raw: MAIL });
  expect(recipients.map((answer) => answer.slice(0, 9))).toEqual([
    '250 2.1.5',
    '550 5.1.1',
    '550 5.1.1',
    '250 2.1.5',
    '250 2.1.5',
  ]);
  expect(data).toMatch(/^250 2\.6\.0 Ok: queued as [0-9a-f]{32}$/);
  await running.mail.queue.idle();
  const boxes = (await running.control('GET', '/mailboxes')).body.mailboxes;
  expect(boxes).toEqual(
    ['ana', 'ben', 'eve'].map((name) => ({ address: `${name}@corp.example`, messages: 1 })),
  );
  const logs = await running.logs('acme.example');
  const courses = logs.map(({ recipient, forward, events }) => [
    recipient.email,
    forward?.email ?? null,
    events.map(({ status }: { status: string }) => status).join(),
  ]);
  expect(new Set(courses)).toEqual(
    new Set([
      ['nobody@acme.example', null, 'REFUSED'],
      ['sales@acme.example', 'ana@corp.example', 'QUEUED,DELIVERED'],
      ['sales@acme.example', 'ben@corp.example', 'QUEUED,DELIVERED'],
      ['TEAM-eve@acme.example', 'eve@corp.example', 'QUEUED,DELIVERED'],
      ['void@acme.example', null, 'QUEUED'],
    ]),
  );
  const refused = logs.find(({ events }) => events[0].status === 'REFUSED');
  expect(`${refused.events[0].code} ${refused.events[0].message}`).toBe(recipients[1]);
  const queued = logs.find(({ forward }) => forward?.email === 'ana@corp.example');
  expect(`${queued.events[0].code} ${queued.events[0].message}`).toBe(data);
  expect(queued.sender).toEqual({ email: 'ana@x.example', name: 'Ana' });
});

test('rules see the decoded subject and text', async () => {
  const subject = 'From: a@x.example\nSubject: =?iso-8859-1?Q?Gr=F6=DFe?=\n\nx';
  const text =
    'From: a@x.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n' +
    '--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n' +
    'na=EFve\ntext\n--b\nContent-Type: text/html\n\n<p>no</p>\n--b--\n';
  for (const raw of [subject, text, MAIL]) {
    await sendRaw(running.mail.smtp, { from: 'a@x.example', to: ['any@rules.example'], raw });
  }
  await running.mail.queue.idle();
  const boxes = running.mail.mailboxes.all().map(([address, mails]) => [address, mails.length]);
  expect(boxes).toEqual([
    ['rest@corp.example', 1],
    ['size@corp.example', 1],
    ['text@corp.example', 1],
  ]);
});

test('an alias of the account as destination is routed again, a circle ends in a bounce', async () => {
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['hop@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  expect(await running.arrived('ana@corp.example')).toHaveLength(1);
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['circle@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  const [bounce = ''] = await running.arrived('ana@x.example');
  expect(bounce).toContain('circle@acme.example forwards this message back to itself, this is a loop');
});

test('three addresses that forward to each other pass a message on once each', async () => {
  const names = ['a', 'b', 'c'];
  for (const alias of names) {
    const others = names.filter((name) => name !== alias).map((name) => `${name}@acme.example`);
    const forward = [...others, 'end@corp.example'].join();
    await fetch(`${running.emulator.urls.v4}/domains/acme.example/aliases`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`api:${KEY}`)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ alias, forward }),
    });
  }
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['a@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  const originals = (await running.arrived('end@corp.example')).map(
    (raw) => /^X-Original-To: (.*)\r$/m.exec(raw)?.[1],
  );
  expect(new Set(originals)).toEqual(new Set(names.map((name) => `${name}@acme.example`)));
  expect(originals).toHaveLength(3);
  const forwarded = (await running.logs('acme.example')).filter(({ forward }) => forward !== null);
  expect(forwarded.filter(({ sender }) => sender.email !== '')).toHaveLength(9);
  for (const bounce of await running.arrived('ana@x.example')) expect(bounce).toContain('this is a loop');
  // The next message is separate.
  await sendRaw(running.mail.smtp, { from: 'ana@x.example', to: ['b@acme.example'], raw: MAIL });
  await running.mail.queue.idle();
  expect(await running.arrived('end@corp.example')).toHaveLength(6);
});

test('a message that gets another address at each hop ends, too', () => {
  const visits = createVisits();
  const mail = (recipient: string) => ({
    raw: Buffer.from(''),
    sender: 'ana@x.example',
    origin: { ip: '127.0.0.1', helo: 'x', protocol: 'ESMTP' },
    recipients: [{ kind: 'routed' as const, recipient }],
    trail: { message: 'm', through: [] },
  });
  const accepted = { kind: 'accepted' as const, id: 'm', reply: { code: 250, message: 'Ok' } };
  for (let count = 0; count < 1000; count += 1) {
    expect(visits.judge(mail(`a${count}@acme.example`))).toBeNull();
    visits.note(mail(`a${count}@acme.example`), accepted);
  }
  expect(visits.judge(mail('A7@acme.example'))).toMatchObject({ kind: 'accepted' });
  expect(visits.judge(mail('next@acme.example'))).toMatchObject({ kind: 'refused', reply: { code: 554 } });
});

test('a locked account, one over its quota, too many hops and too large a message', async () => {
  const conversation = await converse(running.mail.smtp);
  await conversation.say('EHLO client.example');
  const { account } = running.emulator.store.state;
  await conversation.say('MAIL FROM:<>');
  account.locked = true;
  account.lock_reason = 'unpaid';
  expect(await conversation.say('RCPT TO:<sales@acme.example>')).toBe(
    '452 4.2.2 the account is locked: unpaid',
  );
  account.locked = false;
  account.over_quota = true;
  expect(await conversation.say('RCPT TO:<sales@acme.example>')).toBe(
    '452 4.2.2 the account is over its quota',
  );
  account.over_quota = false;
  expect(await conversation.say('RCPT TO:<sales@acme.example>')).toBe('250 2.1.5 Accepted');
  conversation.end();
  const hops = (count: number): string => `${'Received: from x\n'.repeat(count)}${MAIL}`;
  const send = async (raw: string): Promise<string | null> =>
    (await sendRaw(running.mail.smtp, { from: '', to: ['sales@acme.example'], raw })).data;
  expect(await send(hops(25))).toMatch(/^250/);
  expect(await send(hops(26))).toMatch(/^554 5\.6\.0 too many hops: 26/);
  expect(await send(`${MAIL}${'x'.repeat(26 * 1024 * 1024)}`)).toMatch(/^552 5\.2\.2 the message is larger/);
  const declared = await converse(running.mail.smtp);
  await declared.say('EHLO client.example');
  expect(await declared.say('MAIL FROM:<> SIZE=99999999')).toMatch(/^552 5\.3\.4/);
  declared.end();
});

test('line breaks that are not CRLF end no message, and are made CRLF', async () => {
  const smuggled = 'one\n.\nMAIL FROM:<evil@x.example>\r.\r\ntwo';
  await sendRaw(running.mail.smtp, {
    from: 'ana@x.example',
    to: ['sales@acme.example'],
    raw: Buffer.from(`Subject: x\r\n\r\n${smuggled}`),
  });
  await running.mail.queue.idle();
  const [raw = ''] = await running.arrived('ana@corp.example');
  expect(raw).toContain('one\r\n.\r\nMAIL FROM:<evil@x.example>\r\n.\r\ntwo');
  expect(running.mail.mailboxes.all()).toHaveLength(2);
});

test('SMTPUTF8 and BODY=8BITMIME: addresses and text that are not ASCII arrive as they are', async () => {
  const raw = 'From: Jörg <jörg@müller.example>\r\nSubject: Grüße\r\n\r\nnaïve ☃\r\n';
  const conversation = await converse(running.mail.smtp);
  const envelope = [
    'MAIL FROM:<jörg@müller.example> BODY=8BITMIME SMTPUTF8',
    'RCPT TO:<team-zoë@acme.example>',
  ];
  await conversation.say('EHLO client.example');
  const answers = await conversation.raw(`${[...envelope, 'DATA'].join('\r\n')}\r\n`, 3);
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['250', '250', '354']);
  expect(await conversation.raw(`${raw}.\r\n`, 1)).toEqual([expect.stringMatching(/^250 2\.6\.0 /)]);
  conversation.end();
  await running.mail.queue.idle();
  const [arrived = ''] = await running.arrived('zoë@corp.example');
  expect(arrived).toContain(raw);
  const [log] = await running.logs('acme.example');
  expect(log).toMatchObject({
    sender: { email: 'jörg@xn--mller-kva.example' },
    recipient: { email: 'team-zoë@acme.example' },
    subject: 'Grüße',
  });
});

test('v3 shows the same log', async () => {
  await sendRaw(running.mail.smtp, {
    from: 'ana@x.example',
    to: ['sales@acme.example', 'nobody@acme.example'],
    raw: MAIL,
  });
  await running.mail.queue.idle();
  const headers = { Authorization: `Basic ${btoa(`api:${KEY}`)}` };
  const answer = await fetch(`${running.emulator.urls.v3}/domains/acme.example/logs`, { headers });
  const { logs } = (await answer.json()) as { readonly logs: readonly LogOfV3[] };
  expect(
    new Set(
      logs.map(({ recipient, forward, events }) => [
        recipient.email,
        forward?.email ?? null,
        events.map(({ status }) => status).join(),
      ]),
    ),
  ).toEqual(
    new Set([
      ['sales@acme.example', 'ana@corp.example', 'QUEUED,DELIVERED'],
      ['sales@acme.example', 'ben@corp.example', 'QUEUED,DELIVERED'],
      ['nobody@acme.example', null, 'REFUSED'],
    ]),
  );
});
