import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../support/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { everyNth, IS_FULL, runs } from '../../support/share.ts';
import { acme } from './support/loading.ts';
import { measure, type Measured } from './support/measured.ts';

function expectRefused({ code, stdout, stderr }: CommandResult, reason: string): void {
  expect(stderr).toContain(reason);
  expect(code).toBe(1);
  expect(stdout).toBe('');
}

describe('scenario 4: what cannot be read ends with 1, at once', () => {
  test('a FIFO, by itself, in a directory, and behind a link', async () => {
    const directory = await temporaryDirectory();
    const fifo = join(directory, 'pipe.yaml');
    execFileSync('mkfifo', [fifo]);
    execFileSync('ln', ['-s', fifo, join(directory, 'link.yaml')]);
    expectRefused(await fwdsync(['validate', '-f', fifo]), 'it is a FIFO');
    expectRefused(await fwdsync(['validate', '-f', directory]), 'it is a FIFO');
    expectRefused(await fwdsync(['validate', '-f', join(directory, 'link.yaml')]), 'it is a FIFO');
  });

  test.each(['/dev/zero', '/dev/null'])('the device %s', async (device) => {
    expectRefused(await fwdsync(['validate', '-f', device]), 'it is a device');
  });

  test('a socket', async () => {
    const socket = join(await temporaryDirectory(), 'socket.yaml');
    const server = createServer().listen(socket);
    await new Promise((resolve) => connect(socket, () => resolve(null)).unref());
    expectRefused(await fwdsync(['validate', '-f', socket]), 'it is a socket');
    server.close();
  });

  test('a missing file, a link to nowhere, and links that form a loop', async () => {
    const directory = await temporaryDirectory();
    expectRefused(await fwdsync(['validate', '-f', join(directory, 'none.yaml')]), 'does not exist');
    execFileSync('ln', ['-s', 'nowhere.yaml', join(directory, 'dangling.yaml')]);
    expectRefused(await fwdsync(['validate', '-f', directory]), 'does not exist');
    execFileSync('ln', ['-sf', 'dangling.yaml', join(directory, 'dangling.yaml')]);
    expectRefused(await fwdsync(['validate', '-f', directory]), 'form a loop');
  });

  test('a directory without manifests', async () => {
    const directory = await temporaryDirectory();
    writeFileSync(join(directory, 'notes.txt'), 'no manifest');
    writeFileSync(join(directory, '.hidden.yaml'), acme('aliases: {}'));
    mkdirSync(join(directory, 'below'));
    expectRefused(await fwdsync(['validate', '-f', directory]), 'no *.yaml or *.yml file');
  });

  test.each(everyNth(2, ['secret.yaml', 'closed']))('%s without permission', async (name) => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'secret.yaml');
    writeFileSync(file, acme('aliases: {}'));
    mkdirSync(join(directory, 'closed'));
    chmodSync(directory, 0o755);
    chmodSync(file, 0o000);
    chmodSync(join(directory, 'closed'), 0o000);
    // Root can read every file.
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    expectRefused(await measure(['validate', '-f', join(directory, name)], user), 'no permission');
  });
});

describe('scenarios 1 to 3: no desired state, or not all of it, is 5', () => {
  test.each([
    ['an empty file', '', '-:1:1: error: the file has no desired state'],
    ['only comments', '# to do\n', '-:1:1: error: the file has no desired state'],
    ['null', 'null\n', '-:1:1: error: the file has no desired state'],
    ['a cut entry', acme('aliases:', '  a: b@c.example', '  inf').trimEnd(), '-:6:'],
    ['a conflict', 'version: 1\n<<<<<<< HEAD\ndomains: {}\n', '-:2:1: error: <<<<<<< is a marker'],
    ['a tab', 'version: 1\ndomains:\n\ta.example: {}\n', '-:3:1: error: a tab is used'],
  ])('%s', async (_, stdin, said) => {
    const { code, stdout, stderr } = await fwdsync(['validate', '-f', '-'], { stdin });
    expect(stderr).toContain(said);
    expect(stdout).toMatch(/^invalid: /);
    expect(code).toBe(5);
  });
});

/** Memory limit in MiB, much less than the largest container in deploy/ has. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=384' };

describe('scenario 7: sizes end with a result or an error, within seconds and 1 GiB', () => {
  async function check(text: string | Uint8Array): Promise<Measured> {
    return measure(['validate', '--format', 'json', '-f', '-'], { stdin: text, env: HEAP });
  }

  function codesOf({ stdout }: Measured): readonly string[] {
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly code: string }[] };
    return problems.map(({ code }) => code);
  }

  test('a file of 100 MB', async () => {
    const path = join(await temporaryDirectory(), 'large.yaml');
    writeFileSync(path, acme('aliases: {}'));
    await truncate(path, 100_000_000);
    const file = await measure(['validate', '--format', 'json', '-f', path], { env: HEAP });
    expect([file.code, codesOf(file)]).toEqual([5, ['file-too-large']]);
  });

  test.runIf(IS_FULL)('100 MB from standard input', async () => {
    const stream = await check(new Uint8Array(100_000_000).fill(0x23));
    expect([stream.code, codesOf(stream)]).toEqual([5, ['file-too-large']]);
  });

  const ALIASES = runs(200_000, 20_000);

  test(`${ALIASES} aliases in one file`, async () => {
    const lines = Array.from({ length: ALIASES }, (_, index) => `  user${index}: person${index}@x.example`);
    const text = `${acme('aliases:')}    ${lines.join('\n    ')}\n`;
    expect((await check(text)).code).toBe(0);
  });

  const sizes = [
    ['100,000 levels of nesting', '['.repeat(100_000), 'nesting-too-deep'],
    ['100,000 levels of maps', '{a: '.repeat(100_000), 'nesting-too-deep'],
    ['16 MiB of list items', `[${'a,'.repeat(8_000_000)}]`, 'file-too-large'],
    ['16 MiB of documents', '...\n'.repeat(4_000_000), 'file-too-large'],
    ['a scalar of 5 MB', acme('aliases:', `  x: ${'a'.repeat(5_000_000)}`), 'unknown-destination'],
    ['a name of 5 MB', acme(`aliases: { ? ${'a'.repeat(5_000_000)} : x@y.example }`), 'invalid-name'],
    [
      'an alias bomb',
      [
        'x0: &x0 [a, a]',
        ...Array.from({ length: 60 }, (_, i) => `x${i + 1}: &x${i + 1} [*x${i}, *x${i}]`),
        '',
      ].join('\n'),
      'too-many-aliases',
    ],
  ] as const;

  test.each(everyNth(7, sizes))('%s', async (_, text, code) => {
    const measured = await check(text);
    expect(measured.code).toBe(5);
    expect(codesOf(measured)).toContain(code);
  });
});

test('how many entries manifests may have is an option and a variable', async () => {
  const file = join(await temporaryDirectory(), 'fwdsync.yaml');
  writeFileSync(file, acme('aliases: { a: x@corp.example, b: x@corp.example, c: x@corp.example }'));
  const validate = (args: readonly string[], entries?: string): Promise<CommandResult> =>
    fwdsync(['validate', '-f', file, ...args], {
      env: entries === undefined ? {} : { FWDSYNC_MAX_ENTRIES: entries },
    });
  expect(await validate(['--max-entries', '3'])).toMatchObject({ code: 0 });
  const refused = await validate(['--max-entries', '2']);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('more than 2 entries with expanded templates');
  expect(await validate([], '2')).toMatchObject({ code: 5 });
  expect(await validate(['--max-entries', '3'], '2')).toMatchObject({ code: 0 });
  expect(await validate([], 'many')).toMatchObject({ code: 64 });
});

test('a state directory below a directory of manifests, or of accounts, is left out', async () => {
  const directory = await temporaryDirectory();
  const state = join(directory, 'state');
  const snapshots = join(state, 'ops@acme.example', 'snapshots');
  mkdirSync(snapshots, { recursive: true });
  const text = acme('aliases: { a: x@corp.example }');
  writeFileSync(join(directory, 'fwdsync.yaml'), text);
  writeFileSync(join(snapshots, '2026-01-01.yaml'), text);
  const env = { FWDSYNC_STATE_DIR: state };
  expect((await fwdsync(['validate', '-f', directory])).stderr).toContain('duplicate-domain');
  expect(await fwdsync(['validate', '-f', directory], { env })).toMatchObject({ code: 0 });
  const accounts = await fwdsync(['validate', '--accounts', directory, '--format', 'json'], { env });
  expect(accounts.stdout).not.toContain('snapshots');
  expect(JSON.parse(accounts.stdout)).toMatchObject({ accounts: [{ name: 'fwdsync' }] });
  // Undoing a run names a file in it.
  const snapshot = join(snapshots, '2026-01-01.yaml');
  expect(await fwdsync(['validate', '-f', snapshot], { env })).toMatchObject({ code: 0 });
});
