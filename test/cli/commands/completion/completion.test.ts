import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/directory.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { PROGRAM_PATH } from '../../../support/program.ts';
import { everyNth } from '../../../support/share.ts';

const run = promisify(execFile);

/**
 * Types a line, tab and return in an interactive shell on a pseudo-terminal, which zsh provides. The command is a function that
 * prints its arguments.
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

const MANIFEST = `version: 1
destinations: { oncall: ana@elsewhere.example }
domains:
  bücher.example: {}
  acme.example: { state: absent }
  hub.example: { aliases: { a: ben@corp.example, b: https://hooks.corp.example/in, c: "$(touch x)@corp.example" } }
  "$(touch x).example": {}
  "\`touch x\`.example": {}
  "a;touch x;.example": {}
  "*.example": {}
  acme.test: { no-such-key: 1 }
`;

const BUECHER = 'xn--bcher-kva.example';
const DOMAINS = ['acme.example', 'acme.test', 'hub.example', BUECHER];

interface Prepared {
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A directory with a plan and manifests, a file beside it with the shell's completion, and the program on the PATH.
 * The default paths match no manifest there.
 */
async function prepare(shell: string): Promise<Prepared> {
  const scene = await commandScene();
  const { code, stdout } = await scene.run(['completion', shell]);
  expect(code).toBe(0);
  const cwd = await temporaryDirectory();
  const script = join(scene.directory, 'completion');
  await writeFile(script, stdout);
  await mkdir(join(cwd, 'plans'));
  await writeFile(join(cwd, 'plans', 'monday.json'), '{}');
  await writeFile(join(cwd, 'acme.yaml'), MANIFEST);
  return { script, cwd, env: { PATH: PROGRAM_PATH, HOME: cwd, TERM: 'dumb', HISTFILE: '' } };
}

describe('bash and zsh', () => {
  const lines = [
    ['fwdsync valid', 'validate'],
    ['fwdsync plan --detail', 'plan --detailed-exitcode'],
    ['fwdsync plan --format mark', 'plan --format markdown'],
    ['fwdsync validate --format=jun', 'validate --format=junit'],
    ['fwdsync emulator --plan fr', 'emulator --plan free'],
    ['fwdsync apply --yes --mask plans/mon', 'apply --yes --mask plans/monday.json'],
    ['fwdsync plan --out plans/m', 'plan --out plans/monday.json'],
    ['fwdsync completion fi', 'completion fish'],
    ['fwdsync --vers', '--version'],
    ['fwdsync plan -f acme.yaml --domain acme.e', 'plan -f acme.yaml --domain acme.example'],
    [
      'fwdsync run --file="./acme.yaml" --domain a.b --domain=xn',
      `run --file=./acme.yaml --domain a.b --domain=${BUECHER}`,
    ],
    [
      'fwdsync apply -f ~/acme.yaml --allow-domain-delete acme.t',
      'apply -f HOME/acme.yaml --allow-domain-delete acme.test',
    ],
    ['fwdsync logs --count -f acme.yaml acme.t', 'logs --count -f acme.yaml acme.test'],
    ['fwdsync plan --domain acme.e', 'plan --domain acme.e'],
    ['fwdsync who -f acme.yaml ben', 'who -f acme.yaml ben@corp.example'],
    ['fwdsync who -f acme.yaml ben@co', 'who -f acme.yaml ben@corp.example'],
    ['fwdsync who -f acme.yaml https://ho', 'who -f acme.yaml https://hooks.corp.example/in'],
    ['fwdsync replace -f acme.yaml ben@corp.example onc', 'replace -f acme.yaml ben@corp.example oncall'],
    ['fwdsync replace -f acme.yaml --remove ben@', 'replace -f acme.yaml --remove ben@corp.example'],
  ] as const;

  const typedIn = (['bash', 'zsh'] as const).flatMap((shell) =>
    lines.map(([typed, given]) => [shell, typed, given] as const),
  );

  test.each(everyNth(13, typedIn))('%s: %s<tab>', { timeout: 30_000 }, async (shell, typed, given) => {
    const { script, cwd, env } = await prepare(shell);
    const args = ['-f', '-c', TYPE, 'zsh', COMMAND[shell], PREPARE[shell](script), typed];
    const { stdout } = await run('zsh', args, { cwd, env, timeout: 20_000 });
    expect(stdout.trim().replace(cwd, 'HOME')).toBe(given);
    expect(await readdir(cwd)).not.toContain('x');
  });
});

describe('fish', () => {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['fwdsync val', ['validate']],
    ['fwdsync plan --detail', ['--detailed-exitcode']],
    ['fwdsync plan --format ', ['github', 'json', 'markdown', 'text']],
    ['fwdsync validate --format jun', ['junit']],
    ['fwdsync apply plans/', ['plans/monday.json']],
    ['fwdsync plan --out plans/m', ['plans/monday.json']],
    ['fwdsync validate plans/', []],
    ['fwdsync completion ', ['bash', 'fish', 'zsh']],
    ['fwdsync plan -f acme.yaml --domain ', DOMAINS],
    ['fwdsync run --file="./acme.yaml" --domain a.b --domain=x', [`--domain=${BUECHER}`]],
    ['fwdsync apply -f ~/acme.yaml --allow-domain-delete acme.t', ['acme.test']],
    ['fwdsync logs --count -f acme.yaml acme.t', ['acme.test']],
    ['fwdsync plan --domain ', []],
    [
      'fwdsync who -f acme.yaml ',
      ['ana@elsewhere.example', 'ben@corp.example', 'https://hooks.corp.example/in'],
    ],
    ['fwdsync replace -f acme.yaml x@y.example on', ['oncall']],
  ];

  test.each(everyNth(8, lines))('%s<tab>', async (typed, expected) => {
    const { script, cwd, env } = await prepare('fish');
    const args = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, typed];
    const { stdout } = await run('fish', args, { cwd, env });
    const found = stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
    expect(found.sort()).toEqual(expected);
    expect(await readdir(cwd)).not.toContain('x');
  });
});

describe('the domains that shells ask for', () => {
  const domainsOf = async (
    scene: CommandScene,
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> => {
    const input = { env: { FWDSYNC_API_KEY: '', ...env } };
    const line = ['fwdsync', 'plan', '--domain', ...words];
    const { code, stdout, stderr } = await scene.run(['completion', 'words', '--', '3', ...line], input);
    expect({ code, stderr, requests: scene.requests() }).toEqual({ code: 0, stderr: '', requests: [] });
    return stdout.split('\n').slice(0, -1);
  };

  test('are those of the manifests that the line names, or else the defaults', async () => {
    const scene = await commandScene({ manifest: 'domains: { default.example: {} }\n' });
    await writeFile(join(scene.directory, 'acme.yaml'), MANIFEST);
    await mkdir(join(scene.directory, 'accounts'));
    await writeFile(join(scene.directory, 'accounts', 'one.yaml'), 'domains: { one.example: {} }\n');
    await symlink('loop.yaml', join(scene.directory, 'accounts', 'loop.yaml'));
    expect(await domainsOf(scene, [])).toEqual(['default.example']);
    expect(await domainsOf(scene, [], { FWDSYNC_FILE: 'acme.yaml' })).toEqual(DOMAINS);
    expect(await domainsOf(scene, ['', '-f', 'acme.yaml'])).toEqual(DOMAINS);
    expect(await domainsOf(scene, ['x', '--file', '=', 'acme.yaml', '-ffwdsync.yaml'])).toEqual(
      [...DOMAINS, 'default.example'].sort(),
    );
    expect(await domainsOf(scene, ['', '--accounts', 'accounts'])).toEqual(['one.example']);
  });

  test.each([
    ['a file that is not there', ['', '-f', 'nothing.yaml']],
    ['standard input', ['', '-f', '-']],
    ['a file that is no YAML', ['', '-f', 'broken.yaml']],
    ['options that exclude each other', ['', '-f', 'fwdsync.yaml', '--accounts', '.']],
  ])('none and no complaint: %s', async (_, words) => {
    const scene = await commandScene({ manifest: 'domains: { default.example: {} }\n' });
    await writeFile(join(scene.directory, 'broken.yaml'), 'domains: { acme.example: [ }\n');
    expect(await domainsOf(scene, words, { FWDSYNC_LOG_LEVEL: 'loud' })).toEqual([]);
  });

  test('readable manifests are used even if one beside them cannot be read', async () => {
    const scene = await commandScene({ manifest: 'domains: { default.example: {} }\n' });
    expect(await domainsOf(scene, ['', '-f', 'nothing.yaml', '-f', 'fwdsync.yaml'])).toEqual([
      'default.example',
    ]);
  });
});

test('every command and every option is among the words, with its description', async () => {
  const scene = await commandScene();
  const wordsAt = async (index: number, ...line: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await scene.run(['completion', 'words', '--', String(index), 'fwdsync', ...line]);
    return stdout.split('\n').slice(0, -1);
  };
  const words = await wordsAt(1);
  expect(words).toContain(
    "account\tShow the account and its plan's limits; the quickest way to see whether the key works",
  );
  const help = (await scene.run(['--help'])).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
  expect(commands).toEqual(expect.arrayContaining(['validate', 'plan', 'apply', 'completion']));
  for (const command of commands.filter((name) => name !== 'help')) {
    expect(words.map((word) => word.split('\t')[0])).toContain(command);
    const offered = (await wordsAt(2, command, '--')).map((word) => word.split('\t')[0]);
    const options = (await scene.run([command, '--help'])).stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm);
    for (const [, option] of options) expect(offered).toContain(option);
  }
});

test('64: another shell', async () => {
  const scene = await commandScene();
  expect((await scene.run(['completion', 'powershell'])).code).toBe(64);
});
