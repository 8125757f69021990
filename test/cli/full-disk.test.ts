import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../emulator/smtp/support/client.ts';
import { commandLine, fwdsync, type CommandResult } from '../support/command.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { everyNth, IS_FULL } from '../support/share.ts';
import { commandScene, type CommandScene } from './support/scene.ts';

/** Maximum size of a file in bytes. The system writes up to this size, and the rest fails. */
const LIMIT = 64_000;

interface ServedMail {
  readonly smtp: string;
  readonly control: string;
  kill(): Promise<void>;
}

const SEED = {
  domains: [
    { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example,ben@corp.example' }] },
  ],
};

async function serveMail(directory: string, fileLimit?: number): Promise<ServedMail> {
  const args = ['emulator', '--port', '0', '--smtp', '0', '--control', '--state', 'account.json'];
  const [program = '', ...rest] = commandLine(args, fileLimit);
  const child = spawn(program, rest, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { smtp, control } = JSON.parse(line) as { readonly smtp: string; readonly control: string };
  return {
    smtp,
    control,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

/** Returns the subjects of all mails in a mailbox, after this many have arrived. */
async function subjects({ control }: ServedMail, address: string, count: number): Promise<readonly string[]> {
  const url = `${control}/mailboxes/${address}`;
  let found: readonly { readonly subject: string }[] = [];
  await expect
    .poll(async () => {
      const answer = await fetch(url);
      found = ((await answer.json()) as { readonly messages?: typeof found }).messages ?? [];
      return found.length;
    })
    .toBeGreaterThanOrEqual(count);
  return found.map(({ subject }) => subject).sort();
}

test.runIf(IS_FULL)(
  'the emulator answers 451 to a mail that does not fit on the disk, and keeps every mail that it answered with 250',
  async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'account.json'), JSON.stringify(SEED));
    const full = await serveMail(directory, LIMIT);
    const accepted: string[] = [];
    // Sizes from well below to well above the limit, with the mail's metadata line before and after it.
    for (let size = LIMIT - 2000; size < LIMIT + 600; size += 200) {
      const raw = `Subject: size-${size}\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(size / 100)}`;
      const { data } = await sendRaw(full.smtp, { from: 'eve@y.example', to: ['sales@acme.example'], raw });
      expect(data).toMatch(/^(250 2\.6\.0 Ok|451 4\.3\.0 the message could not be stored)/);
      if (data?.startsWith('250') === true) accepted.push(`size-${size}`);
    }
    expect(accepted.length).toBeGreaterThan(2);
    expect(accepted.length).toBeLessThan(13);
    await full.kill();
    const later = await serveMail(directory);
    const aMinute = JSON.stringify({ advance_seconds: 60 });
    await fetch(`${later.control}/clock`, { method: 'POST', body: aMinute });
    for (const address of ['ana@corp.example', 'ben@corp.example'])
      expect(await subjects(later, address, accepted.length)).toEqual(accepted.toSorted());
  },
);

const NAMES = Array.from({ length: 100 }, (_, index) => `name-${index}`);
const ALIASES = NAMES.map((alias) => ({ alias, forward: 'ana@corp.example' }));
const WANTED = `domains:\n  acme.example:\n    aliases:\n${NAMES.map((name) => `      ${name}: eve@corp.example\n`).join('')}`;

interface FullScene {
  readonly scene: CommandScene;
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
}

/** An account and the built program, with a maximum file size that holds a lock and little more. */
async function fullScene(aliases: typeof ALIASES, manifest: string): Promise<FullScene> {
  const scene = await commandScene({ seed: { domains: [{ domain: 'acme.example', aliases }] }, manifest });
  const { directory: cwd, env } = scene;
  return { scene, run: (...args) => fwdsync(args, { cwd, env, fileLimit: 1000 }) };
}

describe('a file that cannot be written whole stays as it was', () => {
  const pruned = 'domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases: {}\n';

  const commands = [
    ['export --update', 'fwdsync.yaml', ['export', '--update', 'fwdsync.yaml']],
    ['export --out', 'before.txt', ['export', '--force', '--out', 'before.txt']],
    ['plan --out', 'before.txt', ['plan', '--out', 'before.txt']],
    ['export --out-dir', 'acme.example.yaml', ['export', '--force', '--out-dir', '.']],
  ] as const;

  test.each(everyNth(4, commands))('%s', async (_, file, args) => {
    const { scene, run } = await fullScene(ALIASES, pruned);
    const path = join(scene.directory, file);
    if (file !== 'fwdsync.yaml') await writeFile(path, 'as it was\n');
    const before = await readFile(path, 'utf8');
    const ended = await run(...args);
    expect(ended.stderr).toContain(
      `${file} cannot be written: the file would be larger than the system allows`,
    );
    expect(ended.code).toBe(1);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect((await readdir(scene.directory)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('the snapshot: nothing is sent, and nothing is left of it', async () => {
    const { scene, run } = await fullScene([], WANTED);
    const ended = await run('apply', '--yes');
    expect(ended.stderr).toContain('cannot be written');
    expect(ended.code).toBe(1);
    expect(scene.writes()).toEqual([]);
    const kept = await readdir(join(scene.directory, 'state'), { recursive: true });
    expect(kept.filter((name) => /\.(tmp|yaml)$/.test(name))).toEqual([]);
  });
});
