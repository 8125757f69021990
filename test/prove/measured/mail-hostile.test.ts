import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../../emulator/smtp/support/client.ts';
import { createChance, type Chance } from '../support/chance.ts';
import { PROVE_SEED } from '../../support/share.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');
const WATCH = join(import.meta.dirname, '../support/watch-sockets.ts');
const MEGABYTE = 1024 * 1024;

/** Mails that no mail program sends. `size` is the approximate size of the large ones, in bytes. */
const HOSTILE: readonly ((chance: Chance, size: number) => string | Buffer)[] = [
  (_, size) => `Subject: x\n${'X-Bomb: a\n'.repeat(size / 10)}\nx`,
  (_, size) => `X-Long: ${'a'.repeat(size / 2)}\n\nx`,
  (_, size) => `Subject: x\n\n${'l'.repeat(size)}`,
  () => 'Subject: x\n\none\r\n.\rMAIL FROM:<a@b.example>\rRCPT TO:<sales@acme.example>\rDATA\r\r.\r',
  () =>
    Buffer.from(
      'Subject: x\r\n\r\none\n.\nMAIL FROM:<evil@x.example>\nRCPT TO:<sales@acme.example>\nDATA\nhi\n.\n',
    ),
  () => {
    const levels = Array.from(
      { length: 1000 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`,
    );
    return `Subject: deep\n${levels.join('')}`;
  },
  () => Buffer.from('Subject: nul\u0000\u0000\r\n\r\n\u0000\u0001\u0002\u0000'),
  () =>
    Buffer.from([
      ...Buffer.from('Subject: '),
      0xff,
      0xfe,
      0xc0,
      0x80,
      0x0d,
      0x0a,
      0x0d,
      0x0a,
      0xed,
      0xa0,
      0x80,
    ]),
  () => 'Subject: =?utf-8?B?//////?= =?x-none?Q?=ZZ?=\nFrom: <<<>>>@@ "\n\nx',
  () => 'Content-Type: text/plain; charset="\n\n\n\nDKIM-Signature: v=1; d=; s=; b=\nARC-Seal: i=99999\n\n',
  () =>
    'DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=x; b=y\nARC-Seal: i=1; cv=none\nFrom: a@x.example\n\nx',
  (chance) => Buffer.from(Array.from({ length: 5000 }, () => chance.number(256))),
  () => '',
];

/** Number of messages in the mailbox of a destination. */
async function arrivedAt(control: string): Promise<number> {
  const answer = await fetch(`${control}/mailboxes/ana@corp.example`);
  return ((await answer.json()) as { readonly messages: readonly unknown[] }).messages.length;
}

test('malformed mail leaves it alive within 512 MB, and nothing goes off loopback', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'fwdsync-hostile-'));
  const forward = 'ana@corp.example, https://hooks.corp.example/in, sales@partner.example';
  const domains = [
    {
      domain: 'acme.example',
      webhook: 'https://events.corp.example/',
      aliases: [{ alias: 'sales', forward }],
    },
  ];
  await writeFile(join(cwd, 'account.json'), JSON.stringify({ domains }));
  const args = [
    '--import',
    WATCH,
    MAIN,
    'emulator',
    '--port',
    '0',
    '--smtp',
    '0',
    '--control',
    '--state',
    'account.json',
  ];
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { smtp, control } = JSON.parse(line) as { readonly smtp: string; readonly control: string };
  const chance = createChance(PROVE_SEED);
  const to = ['sales@acme.example'];
  const answers = new Map<string, number>();
  for (let count = 0; count < 200; count += 1) {
    // A size above the limit of a message, one just below it, and one that every server accepts.
    const size = ([50, 24, 1][Math.floor(count / HOSTILE.length) % 3] as number) * MEGABYTE;
    const make = HOSTILE[count % HOSTILE.length] as (typeof HOSTILE)[number];
    const { data } = await sendRaw(smtp, { from: 'eve@x.example', to, raw: make(chance, size) });
    const code = data?.slice(0, 3) ?? 'none';
    answers.set(code, (answers.get(code) ?? 0) + 1);
  }
  const { data } = await sendRaw(smtp, { from: 'ana@x.example', to, raw: 'Subject: still here\n\nx' });
  expect(data).toMatch(/^250/);
  expect(new Set(answers.keys())).toEqual(new Set(['250', '552', '554']));
  // A smuggled message would add one.
  await expect.poll(() => arrivedAt(control)).toBe((answers.get('250') ?? 0) + 1);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  expect(peak).toBeLessThan(512);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  expect(
    said.split('\n').filter((each) => each.startsWith('WATCHED') && !each.includes('127.0.0.1')),
  ).toEqual([]);
  console.info(`hostile mail: peak ${Math.round(peak)} MB, answers`, Object.fromEntries(answers));
  await rm(cwd, { recursive: true });
}, 1_800_000);
