import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directory.ts';
import { commandScene } from '../support/scene.ts';

const run = promisify(execFile);

/**
 * Types a line and presses tab and return in an interactive shell on a pseudo-terminal, which zsh provides. The command
 * is a function that says what it was given.
 */
const TYPE = `
zmodload zsh/zpty
zpty -b shell "$1"
zpty -w shell "$2"
zpty -r -m shell output '*READY*'
zpty -w -n shell "$3"$'\\t\\n'
zpty -r -m shell output '*GOT\\[*\\]*'
print -r -- "\${\${output##*GOT\\[}%%\\]*}"
`;

const PREPARE = {
  bash: (script: string) =>
    `PS1=; bind 'set enable-bracketed-paste off'; source ${script}; fwdsync() { echo "GO""T[$*]"; }; echo REA''DY`,
  zsh: (script: string) =>
    `PS1=; autoload -Uz compinit; compinit -D -u; source ${script}; fwdsync() { print -r -- "GO""T[$*]" }; print REA''DY`,
};
const COMMAND = { bash: 'bash --noprofile --norc -i', zsh: 'zsh -f -i' };

/** A directory with a plan in it, and the shell's completion in a file beside it. */
async function prepare(shell: string): Promise<{ readonly script: string; readonly cwd: string }> {
  const scene = await commandScene();
  const { code, stdout } = await scene.run(['completion', shell]);
  expect(code).toBe(0);
  const cwd = await temporaryDirectory();
  const script = join(scene.directory, 'completion');
  await writeFile(script, stdout);
  await mkdir(join(cwd, 'plans'));
  await writeFile(join(cwd, 'plans', 'monday.json'), '{}');
  return { script, cwd };
}

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  test.each([
    ['fwdsync valid', 'validate'],
    ['fwdsync plan --detail', 'plan --detailed-exitcode'],
    ['fwdsync plan --format mark', 'plan --format markdown'],
    ['fwdsync validate --format=jun', 'validate --format=junit'],
    ['fwdsync emulator --plan fr', 'emulator --plan free'],
    ['fwdsync apply --yes --mask plans/mon', 'apply --yes --mask plans/monday.json'],
    ['fwdsync plan --out plans/m', 'plan --out plans/monday.json'],
    ['fwdsync completion fi', 'completion fish'],
    ['fwdsync --vers', '--version'],
  ])('%s<tab>', { timeout: 30_000 }, async (typed, given) => {
    const { script, cwd } = await prepare(shell);
    const args = ['-f', '-c', TYPE, 'zsh', COMMAND[shell], PREPARE[shell](script), typed];
    const env = { PATH: process.env['PATH'], HOME: cwd, TERM: 'dumb', HISTFILE: '' };
    const { stdout } = await run('zsh', args, { cwd, env, timeout: 20_000 });
    expect(stdout.trim()).toBe(given);
  });
});

describe('fish', () => {
  test.each([
    ['fwdsync val', ['validate']],
    ['fwdsync plan --detail', ['--detailed-exitcode']],
    ['fwdsync plan --format ', ['github', 'json', 'markdown', 'text']],
    ['fwdsync validate --format jun', ['junit']],
    ['fwdsync apply plans/', ['plans/monday.json']],
    ['fwdsync plan --out plans/m', ['plans/monday.json']],
    ['fwdsync validate plans/', []],
    ['fwdsync completion ', ['bash', 'fish', 'zsh']],
  ])('%s<tab>', async (typed, expected) => {
    const { script, cwd } = await prepare('fish');
    const args = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, typed];
    const { stdout } = await run('fish', args, { cwd, env: { PATH: process.env['PATH'], HOME: cwd } });
    const found = stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
    expect(found.sort()).toEqual(expected);
  });
});

test.each(['bash', 'zsh', 'fish'])(
  'every command and every option is in the completion of %s',
  async (shell) => {
    const scene = await commandScene();
    const { stdout } = await scene.run(['completion', shell]);
    const help = (await scene.run(['--help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(expect.arrayContaining(['validate', 'plan', 'apply', 'completion']));
    for (const command of commands.filter((name) => name !== 'help')) {
      expect(stdout).toContain(command);
      const options = (await scene.run([command, '--help'])).stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm);
      for (const [, option = ''] of options) expect(stdout).toContain(option);
    }
  },
);

test('64: another shell', async () => {
  const scene = await commandScene();
  expect((await scene.run(['completion', 'powershell'])).code).toBe(64);
});
