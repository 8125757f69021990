import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { ScriptedFailure } from '../../src/emulator/smtp/forward/scripted.ts';
import { converse, type Conversation } from '../emulator/smtp/support/client.ts';
import { startMailEmulator } from '../emulator/smtp/support/mail-emulator.ts';
import { createChance } from './support/chance.ts';
import { IS_FULL, PROVE_SEED, runs } from '../support/share.ts';
import { PROGRAM } from '../support/program.ts';

const DESTINATIONS = Array.from({ length: 12 }, (_, index) => `d${index}@corp.example`);
const ALIASES = Array.from({ length: 10 }, (_, index) => ({
  alias: `a${index}`,
  forward: index === 0 ? 'null' : DESTINATIONS.slice(index - 1, index + (index % 3)).join(', '),
}));
const DOMAIN = { domain: 'acme.example', aliases: ALIASES };

function destinationsOf(recipient: string): readonly string[] {
  const { forward = '' } = ALIASES.find(({ alias }) => recipient === `${alias}@acme.example`) ?? {};
  return forward.split(', ').filter((each) => each !== '' && each !== 'null');
}

/** Sends one mail over an open connection. Resolves to true if it was accepted. */
async function sendOver(
  conversation: Conversation,
  { number, to }: { readonly number: number; readonly to: readonly string[] },
): Promise<boolean> {
  const lines = [`MAIL FROM:<s${number}@y.example>`, ...to.map((each) => `RCPT TO:<${each}>`), 'DATA'];
  await conversation.raw(lines.map((line) => `${line}\r\n`).join(''), lines.length);
  const mail = `From: <s${number}@y.example>\r\nSubject: mail ${number}\r\n\r\nx\r\n.\r\n`;
  const [answer = ''] = await conversation.raw(mail, 1);
  return answer.startsWith('250');
}

function randomFailures(count: number): readonly ScriptedFailure[] {
  const chance = createChance(PROVE_SEED);
  return Array.from({ length: count }, () => ({
    destination: chance.pick(DESTINATIONS),
    do: chance.pick(['4xx', '4xx', 'drop', '5xx'] as const),
    times: 1 + chance.number(8),
  }));
}

test('every mail is delivered once to each destination, or bounced once, or discarded, and the logs say so', async () => {
  const count = runs(20_000, 50);
  const running = await startMailEmulator({ domains: [DOMAIN] }, { memoryBytes: 1 << 30 });
  running.mail.script.replace(randomFailures(Math.ceil(count / 10)));
  const chance = createChance(PROVE_SEED + 1);
  const mails = Array.from({ length: count }, (_, number) => {
    const to = new Set(
      Array.from({ length: 1 + chance.number(3) }, () => `a${chance.number(10)}@acme.example`),
    );
    return { number, to: [...to] };
  });
  const left = [...mails];
  const work = async (): Promise<void> => {
    const conversation = await converse(running.mail.smtp);
    await conversation.say('EHLO client.example');
    for (let mail = left.shift(); mail !== undefined; mail = left.shift()) {
      expect(await sendOver(conversation, mail)).toBe(true);
    }
    conversation.end();
  };
  await Promise.all([work(), work(), work(), work()]);
  for (let rounds = 0; running.mail.queue.size() > 0 && rounds < 20; rounds += 1) {
    await running.mail.queue.idle();
    running.emulator.clock.advance(24 * 3_600_000);
  }
  expect(running.mail.queue.size()).toBe(0);

  const arrivals = new Map<string, number>();
  const boxes = running.mail.mailboxes;
  for (const [address, arrived] of boxes.all()) {
    for (const { subject, recipient } of arrived) {
      const key = `${address} ${recipient} ${subject}`;
      arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
    }
  }
  const ends = new Map<string, string>();
  for (const { sender, recipient, forward, events } of running.emulator.store.state.domains
    .get('acme.example')
    ?.logs.values() ?? []) {
    ends.set(
      `${sender.email} ${recipient.email} ${forward?.email ?? 'nowhere'}`,
      events.at(-1)?.status ?? '',
    );
  }
  const seen = { delivered: 0, bounced: 0, discarded: 0 };
  for (const { number, to } of mails) {
    const sender = `s${number}@y.example`;
    for (const recipient of to) {
      const destinations = destinationsOf(recipient);
      if (destinations.length === 0) {
        expect(ends.get(`${sender} ${recipient} nowhere`)).toBe('QUEUED');
        seen.discarded += 1;
      }
      for (const destination of destinations) {
        const times = arrivals.get(`${destination} ${recipient} mail ${number}`) ?? 0;
        const end = ends.get(`${sender} ${recipient} ${destination}`) ?? '';
        expect([times, end === 'DELIVERED']).toEqual(times === 1 ? [1, true] : [0, false]);
        seen[times === 1 ? 'delivered' : 'bounced'] += 1;
        if (times === 0) expect(['HARD-BOUNCE', 'BOUNCED']).toContain(end);
      }
    }
    const failed = to.flatMap((recipient) =>
      destinationsOf(recipient).filter(
        (destination) => !arrivals.has(`${destination} ${recipient} mail ${number}`),
      ),
    );
    expect(boxes.of(sender)).toHaveLength(failed.length);
  }
  console.info(`mail: ${count} mails over 4 connections,`, seen);
  await running.close();
}, 3_600_000);

async function startCommand(
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly smtp: string; readonly control: string }> {
  const args = ['emulator', '--port', '0', '--smtp', '0', '--control', '--state', 'account.json'];
  const child = spawn(PROGRAM, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout as NonNullable<typeof child.stdout>), 'line')) as [
    string,
  ];
  return { child, ...(JSON.parse(line) as { readonly smtp: string; readonly control: string }) };
}

interface StateLog {
  readonly sender: { readonly email: string };
  readonly recipient: { readonly email: string };
  readonly forward: { readonly email: string } | null;
  readonly events: readonly { readonly status: string }[];
}

const KILLS = 20;

test.runIf(IS_FULL)(
  'kill -9 in the middle: what was accepted is there once, and the logs say so',
  async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'fwdsync-mail-'));
    await writeFile(join(cwd, 'account.json'), JSON.stringify({ domains: [DOMAIN] }));
    const accepted: { readonly number: number; readonly to: string }[] = [];
    let number = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const running = await startCommand(cwd);
      const killAt = accepted.length + 30 + round * 7;
      const work = async (): Promise<void> => {
        const conversation = await converse(running.smtp);
        await conversation.say('EHLO client.example');
        while (accepted.length < killAt) {
          number += 1;
          const mail = { number, to: `a${number % 10}@acme.example` };
          if (!(await sendOver(conversation, { number: mail.number, to: [mail.to] }))) return;
          accepted.push(mail);
        }
        running.child.kill('SIGKILL');
      };
      await Promise.all([work(), work(), work(), work()]);
      if (running.child.exitCode === null && running.child.signalCode === null)
        await once(running.child, 'exit');
    }
    const { child, control } = await startCommand(cwd);
    const subjectsOf = async (address: string): Promise<readonly string[]> => {
      const { messages } = (await (await fetch(`${control}/mailboxes/${address}`)).json()) as {
        messages: readonly { readonly subject: string; readonly recipient: string }[];
      };
      return messages.map(({ subject, recipient }) => `${subject} ${recipient}`);
    };
    const missing = async (): Promise<readonly string[]> => {
      const boxes = new Map<string, readonly string[]>();
      for (const address of DESTINATIONS) boxes.set(address, await subjectsOf(address));
      return accepted.flatMap(({ number: each, to }) =>
        destinationsOf(to).filter(
          (destination) =>
            boxes.get(destination)?.filter((line) => line === `mail ${each} ${to}`).length !== 1,
        ),
      );
    };
    await expect.poll(missing, { interval: 200 }).toEqual([]);
    const { domains } = (await (await fetch(`${control}/state`)).json()) as {
      domains: readonly { readonly logs: readonly StateLog[] }[];
    };
    const courses = new Map<string, string>();
    for (const { sender, recipient, forward, events } of domains[0]?.logs ?? []) {
      const course = events.map(({ status }) => status).join();
      courses.set(`${sender.email} ${recipient.email} ${forward?.email ?? 'nowhere'}`, course);
    }
    for (const { number: each, to } of accepted) {
      const destinations = destinationsOf(to);
      const ways = destinations.map((destination) => [destination, 'QUEUED,DELIVERED'] as const);
      for (const [destination, course] of ways.length === 0 ? [['nowhere', 'QUEUED'] as const] : ways) {
        expect([each, courses.get(`s${each}@y.example ${to} ${destination}`)]).toEqual([each, course]);
      }
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(cwd, { recursive: true });
    console.info(`mail: ${accepted.length} mails accepted through ${KILLS} kills, none lost or doubled`);
  },
  3_600_000,
);
