import { afterEach, beforeEach, expect, test } from 'vitest';
import { reverseSender } from '../../../src/emulator/smtp/forward/srs.ts';
import { converse, type Conversation } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

let running: MailEmulator;
let client: Conversation;

beforeEach(async () => {
  running = await startMailEmulator(
    {
      domains: ['first.example', 'second.example'].map((domain) => ({
        domain,
        aliases: ['ana', 'postmaster', 'zoë'].map((alias) => ({ alias, forward: `${alias}@corp.example` })),
      })),
    },
    { srsKey: 'secret' },
  );
  client = await converse(running.mail.smtp);
  await client.say('EHLO client.example');
});

afterEach(async () => {
  client.end();
  await running.close();
});

async function deliver(from: string, to: string): Promise<readonly string[]> {
  const answers = [await client.say(`MAIL FROM:${from}`), await client.say(`RCPT TO:${to}`)];
  if (answers.some((answer) => !answer.startsWith('250'))) return answers;
  await client.say('DATA');
  await client.raw('Return-Path: <old@x.example>\r\nSubject: Hello\r\n\r\nHi\r\n.\r\n', 1);
  await running.mail.queue.idle();
  return answers;
}

test.each([
  ['<"a b"@x.example>', '"a b"@x.example'],
  ['<"ana"@x.example>', 'ana@x.example'],
  ['<"a\\n\\a"@x.example>', 'ana@x.example'],
  ['<"a@b>c"@x.example> SIZE=10', '"a@b>c"@x.example'],
  ['<"a\\"b\\\\c"@x.example>', '"a\\"b\\\\c"@x.example'],
  ['<".dot."@x.example>', '".dot."@x.example'],
  ['<@relay.example:"a b"@x.example>', '"a b"@x.example'],
])('%s is the sender %s, and a bounce finds the way back to it', async (from, sender) => {
  expect(await deliver(from, '<"ana"@first.example>')).toEqual(['250 2.1.0 Accepted', '250 2.1.5 Accepted']);
  const [log] = await running.logs('first.example');
  expect([log.sender.email, log.recipient.email]).toEqual([sender, 'ana@first.example']);
  const [arrived] = running.mail.mailboxes.of('ana@corp.example');
  const rewritten = arrived?.sender.replace(/@first\.example$/, '') ?? '';
  expect(reverseSender(rewritten, { key: 'secret', now: Date.now() })).toEqual({
    kind: 'sender',
    address: sender,
  });
  const [raw = ''] = await running.arrived('ana@corp.example');
  expect(raw.match(/^Return-Path: .*$/gm)).toEqual([`Return-Path: <${arrived?.sender}>`]);
  expect(raw).toMatch(/^Return-Path: /);
});

test.each([
  '<"a b@x.example>',
  '<"a"b@x.example>',
  '<"a\tb"@x.example>',
  '<a b@x.example>',
  '<"a">',
  '"a b"@x.example',
])('%s is no sender', async (from) => {
  expect(await client.say(`MAIL FROM:${from}`)).toMatch(/^501 /);
});

test('unknown parameters are 555; each command has its own parameters', async () => {
  expect(await client.say('MAIL FROM:<ana@x.example> SIZE=10 FOO=bar')).toBe(
    '555 5.5.4 unknown parameter FOO',
  );
  expect(await client.say('MAIL FROM:<ana@x.example> AUTH=<>')).toBe('555 5.5.4 unknown parameter AUTH');
  expect(await client.say('MAIL FROM:<ana@x.example> NOTIFY=NEVER')).toMatch(/^555 /);
  expect(await client.say('MAIL FROM:<ana@x.example> SIZE=10 BODY=8BITMIME RET=HDRS ENVID=x')).toMatch(
    /^250 /,
  );
  expect(await client.say('RCPT TO:<ana@first.example> X-PRIO')).toBe('555 5.5.4 unknown parameter X-PRIO');
  expect(await client.say('RCPT TO:<ana@first.example> SIZE=10')).toMatch(/^555 /);
  expect(await client.say('RCPT TO:<ana@first.example> NOTIFY=NEVER ORCPT=rfc822;a@x.example')).toMatch(
    /^250 /,
  );
});

test.each(['<zoë@x.example>', '<ana@müller.example>', '<"z ë"@x.example>'])(
  'the sender %s needs SMTPUTF8, and Received says UTF8SMTP then',
  async (sender) => {
    expect(await client.say(`MAIL FROM:${sender} BODY=8BITMIME`)).toMatch(/^553 5\.1\.3 .* needs SMTPUTF8$/);
    expect(await deliver(`${sender} SMTPUTF8`, '<zoë@first.example>')).toEqual([
      '250 2.1.0 Accepted',
      '250 2.1.5 Accepted',
    ]);
    const [raw = ''] = await running.arrived('zoë@corp.example');
    expect(raw).toMatch(/^Received: .*\r\n by mx1\.improvmx\.com with UTF8SMTP id /m);
  },
);

test('so does a recipient, but not a domain in ASCII; Received says ESMTP then', async () => {
  const answers = await deliver('<ana@xn--mller-kva.example>', '<zoë@first.example>');
  expect(answers[1]).toMatch(/^553 5\.1\.3 zoë@first\.example needs SMTPUTF8$/);
  await client.say('RSET');
  await deliver('<ana@xn--mller-kva.example>', '<ana@first.example>');
  const [raw = ''] = await running.arrived('ana@corp.example');
  expect(raw).toMatch(/ with ESMTP id /);
});

test('a SMTPUTF8 that was refused does not count for the next sender', async () => {
  expect(await client.say('MAIL FROM:<ana@x.example> SMTPUTF8 FOO')).toMatch(/^555 /);
  expect(await client.say('MAIL FROM:<zoë@x.example>')).toMatch(/^553 /);
});

test('mail for postmaster alone is for the first domain', async () => {
  expect(await deliver('<>', '<Postmaster>')).toEqual(['250 2.1.0 Accepted', '250 2.1.5 Accepted']);
  const [log] = await running.logs('first.example');
  expect(log.recipient.email).toBe('postmaster@first.example');
  const [raw = ''] = await running.arrived('postmaster@corp.example');
  expect(raw).toMatch(/^Return-Path: <>\r\n/);
  await client.say('MAIL FROM:<>');
  expect(await client.say('RCPT TO:<ana>')).toMatch(/^501 /);
});
