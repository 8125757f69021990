import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { commandScene, KEY, OWNER, type CommandScene } from '../../support/scene.ts';

const SEED = {
  domains: [{ domain: 'acme.example', aliases: [{ alias: 'info', forward: 'ana@corp.example' }] }],
};
/** Only the address of the service is set. */
const UNKNOWN = { FWDSYNC_API_KEY: '', FWDSYNC_ACCOUNT: '' };
const IGNORED = '# Keys and the state of fwdsync\n.env\n*.key\nfwdsync-key*\nsecrets/\n/state/\n';

function read({ directory }: CommandScene, name: string): Promise<string> {
  return readFile(join(directory, name), 'utf8');
}

test('init takes the key from the environment, and writes a manifest whose plan is empty', async () => {
  const scene = await commandScene({ seed: SEED });
  const { code, stdout, stderr } = await scene.run(['init']);
  expect(code).toBe(0);
  expect(stderr).toContain('wrote fwdsync.yaml: 1 domain, 1 alias');
  expect(stderr).toContain('recorded 1 domain as the baseline');
  expect(stdout).toBe(`next:
  1. change fwdsync.yaml, then see what would change: fwdsync plan
  2. apply it: fwdsync apply
  3. keep it in git: git add fwdsync.yaml .gitignore
`);
  const manifest = await read(scene, 'fwdsync.yaml');
  expect(manifest).toContain('# yaml-language-server: $schema=');
  expect(manifest).toContain(`account: ${OWNER}\n  key:\n    env: FWDSYNC_API_KEY\n`);
  expect(manifest).not.toContain(KEY);
  expect(await read(scene, '.gitignore')).toBe(IGNORED);
  expect((await scene.run(['plan', '--detailed-exitcode'])).code).toBe(0);
  expect(scene.writes()).toEqual([]);
});

test('init refers to no variable for a key that a file holds', async () => {
  const scene = await commandScene({ seed: SEED });
  await writeFile(join(scene.directory, 'owner.key'), KEY);
  const env = { FWDSYNC_API_KEY: '', FWDSYNC_API_KEY_FILE: 'owner.key' };
  expect((await scene.run(['init'], { env })).code).toBe(0);
  expect(await read(scene, 'fwdsync.yaml')).not.toContain('key:');
});

test('init asks at a terminal for account and key, and does not show the key', async () => {
  const scene = await commandScene({ seed: SEED });
  const stdin = `${OWNER}\n${KEY}\n`;
  const { code, stdout, stderr } = await scene.run(['init'], { env: UNKNOWN, seat: 'terminal', stdin });
  expect(code).toBe(0);
  const seen = stripVTControlCharacters(stdout + stderr);
  expect(seen).toContain('Email of the account (empty: the one of the key): owner@account.example');
  expect(seen).toContain('API key (it is not shown): \n');
  expect(seen).not.toContain(KEY);
  expect(seen).toContain('1. set FWDSYNC_API_KEY: the manifest refers to it, and the key was not saved\n');
  expect(await read(scene, 'fwdsync.yaml')).toContain('env: FWDSYNC_API_KEY');
  for (const name of await readdir(scene.directory, { recursive: true })) {
    const content = await read(scene, name).catch(() => '');
    expect(content, name).not.toContain(KEY);
  }
});

test.each([
  ['no key', `${OWNER}\n\n`, 64, 'no API key was typed'],
  [
    'a key of another account',
    `eve@other.example\n${KEY}\n`,
    4,
    `belongs to ${OWNER}, not to eve@other.example`,
  ],
  ['a key that is refused', `\nnone\n`, 1, 'FWDSYNC_API_KEY'],
])('init writes nothing with %s', async (_, stdin, code, words) => {
  const scene = await commandScene({ seed: SEED });
  const ended = await scene.run(['init'], { env: UNKNOWN, seat: 'terminal', stdin });
  expect(ended.code).toBe(code);
  expect(stripVTControlCharacters(ended.stderr)).toContain(words);
  expect(await readdir(scene.directory)).toEqual([]);
});

test('without a terminal and a key, init names the variables', async () => {
  const scene = await commandScene({ seed: SEED });
  const { code, stderr } = await scene.run(['init'], { env: UNKNOWN });
  expect([code, stderr]).toEqual([1, expect.stringContaining('FWDSYNC_API_KEY_FILE')]);
  expect(scene.requests()).toEqual([]);
});

test('init replaces neither a manifest nor a .gitignore', async () => {
  const scene = await commandScene({ seed: SEED });
  await writeFile(join(scene.directory, '.gitignore'), 'node_modules\r\n*.key\n');
  const { code, stdout } = await scene.run(['init'], { env: { FWDSYNC_FILE: 'other.yaml' } });
  expect(code).toBe(0);
  expect(stdout).toContain('1. add these lines to .gitignore: .env  fwdsync-key*  secrets/  /state/\n');
  expect(stdout).toContain(`: fwdsync plan -f ${join(scene.directory, 'fwdsync.yaml')}\n`);
  expect(await read(scene, '.gitignore')).toBe('node_modules\r\n*.key\n');
  const before = await read(scene, 'fwdsync.yaml');
  const again = await scene.run(['init']);
  expect(again.code).toBe(64);
  expect(again.stderr).toContain('fwdsync.yaml exists: nothing was written');
  expect(await read(scene, 'fwdsync.yaml')).toBe(before);
});
