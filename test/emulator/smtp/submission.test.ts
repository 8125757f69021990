import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { everyNth } from '../../support/share.ts';
import { KEY } from '../support/target.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';
import { runTool, swaks } from './support/tools.ts';

let running: MailEmulator;

beforeAll(async () => {
  running = await startMailEmulator(
    {
      domains: [
        {
          domain: 'acme.example',
          aliases: [{ alias: 'carol', forward: 'carol@corp.example' }],
          credentials: [{ username: 'carol', password: 'correct horse' }],
        },
        {
          domain: 'unready.example',
          send_ready: false,
          credentials: [{ username: 'dan', password: 'correct horse' }],
        },
      ],
    },
    { submissionPort: 0 },
  );
});

afterAll(() => running.close());

beforeEach(() => running.mail.mailboxes.remove(running.mail.mailboxes.all().flatMap(([, mails]) => mails)));

function submit(...args: readonly string[]): ReturnType<typeof swaks> {
  return swaks(running.mail.submission, ...args);
}

const CAROL = ['--auth-user', 'carol@acme.example', '--auth-password', 'correct horse'];

test('signs in by PLAIN and LOGIN over TLS, and only there', async () => {
  const envelope = ['--from', 'carol@acme.example', '--to', 'eve@y.example'];
  for (const method of ['PLAIN', 'LOGIN']) {
    const sent = await submit('-tls', ...envelope, '--auth', method, ...CAROL);
    expect(sent.output).toContain('<~  235 2.7.0');
    expect(sent.code).toBe(0);
  }
  for (const method of everyNth(2, ['PLAIN', 'LOGIN'])) {
    const plain = await submit(...envelope, '--auth', method, ...CAROL);
    expect(plain.code).not.toBe(0);
    expect(plain.output).not.toContain('250-AUTH');
  }
  const unsigned = await submit(...envelope);
  expect(unsigned.output).toContain('530 5.7.0 sign in first');
  await running.mail.queue.idle();
  expect(await running.arrived('eve@y.example')).toHaveLength(2);
  expect(running.emulator.store.state.domains.get('acme.example')?.credentials.get('carol')?.usage).toBe(2);
});

test('a wrong password is 535, the third 421 until a minute is over', async () => {
  const wrong = ['-tls', '--auth', 'PLAIN', '--auth-user', 'nobody@acme.example', '--auth-password', 'wrong'];
  const answers: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const { output } = await submit('--from', 'a@acme.example', '--to', 'b@y.example', ...wrong);
    answers.push(/<~\* (\d{3})/.exec(output)?.[1] ?? output);
  }
  expect(answers).toEqual(['535', '535', '421', '421']);
  running.emulator.clock.advance(60_000);
  const { output } = await submit('--from', 'a@acme.example', '--to', 'b@y.example', ...wrong);
  expect(output).toContain('<~* 535 5.7.8 the username or the password is wrong');
});

const SENDERS = [
  ['own', 'other@acme.example', '553'],
  ['own', 'carol@acme.example', '250'],
  ['domain', 'other@acme.example', '250'],
  ['domain', 'carol@elsewhere.example', '553'],
  ['any', 'carol@elsewhere.example', '250'],
] as const;

test.each(everyNth(4, SENDERS))('sendAs %s: %s is answered %s', async (sendAs, from, code) => {
  await running.control('PATCH', '/switches', { sendAs });
  const envelope = await submit('-tls', '--auth', 'PLAIN', ...CAROL, '--from', from, '--to', 'eve@y.example');
  const mailAnswer = /MAIL FROM.*\n<~[ *]+(\d{3})/.exec(envelope.output)?.[1];
  expect(mailAnswer).toBe(code);
  const header = ['--from', 'carol@acme.example', '--header', `From: ${from}`, '--to', 'eve@y.example'];
  const written = await submit('-tls', '--auth', 'PLAIN', ...CAROL, ...header);
  expect(/ ~> \.\n<~[ *]+(\d{3})/.exec(written.output)?.[1]).toBe(code);
  await running.control('PATCH', '/switches', { sendAs: 'domain' });
});

test('a domain whose records are missing cannot send', async () => {
  const dan = ['--auth-user', 'dan@unready.example', '--auth-password', 'correct horse'];
  const { output } = await submit(
    '-tls',
    '--auth',
    'PLAIN',
    ...dan,
    '--from',
    'dan@unready.example',
    '--to',
    'e@y.example',
  );
  expect(output).toMatch(/<~\* 550 5\.1\.1 sending from unready\.example is blocked until/);
});

const CHECK_DKIM = `
import sys, json, dkim
records = json.loads(sys.argv[1])
found = lambda name, timeout=5: records.get(name.decode().rstrip('.'), '').encode() or None
for message in json.load(sys.stdin):
    print('verified' if dkim.verify(message.encode(), dnsfunc=found) else 'failed')
`;

test('sent mail is signed, and python3-dkim verifies it by the record that verify names', async () => {
  const to = ['--to', 'eve@y.example,carol@acme.example'];
  const sent = await submit('-tls', '--auth', 'PLAIN', ...CAROL, '--from', 'carol@acme.example', ...to);
  expect(sent.code).toBe(0);
  await running.mail.queue.idle();
  const [raw = ''] = await running.arrived('eve@y.example');
  const key = 'dkimprovmx1._domainkey.acme.example';
  const headers = { Authorization: `Basic ${btoa(`api:${KEY}`)}` };
  const verify = `${running.emulator.urls.v4}/domains/acme.example/verify`;
  const answer = await fetch(verify, { method: 'POST', headers });
  const { records } = (await answer.json()) as { records: { dkim1: { expected: string } } };
  expect(records.dkim1.expected).toBe('dkimprovmx1.improvmx.com.');
  const alias = await running.control('GET', `/dns?name=${key}&type=CNAME`);
  expect(alias.body.values).toEqual([records.dkim1.expected]);
  const [text] = (await running.control('GET', `/dns?name=${key}`)).body.values;
  const messages = JSON.stringify([raw, raw.replace('test mailing', 'other mailing')]);
  const args = ['-c', CHECK_DKIM, JSON.stringify({ [key]: text })];
  expect((await runTool('/usr/bin/python3', args, messages)).output).toBe('verified\nfailed\n');
  // Mail to an address of the account is routed like mail from outside.
  expect(await running.arrived('carol@corp.example')).toHaveLength(1);
  const logs = await running.logs('acme.example');
  const log = logs.findLast(({ recipient }) => recipient.email === 'eve@y.example');
  expect(log).toMatchObject({ transport: 'smtp', forward: null, sender: { email: 'carol@acme.example' } });
  expect(log.events.map(({ status }: { status: string }) => status)).toEqual(['QUEUED', 'DELIVERED']);
});
