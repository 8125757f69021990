import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Seed } from '../../src/emulator/account/seed.ts';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { ACCOUNTS, ENVIRONMENT } from '../examples/support/accounts.ts';
import {
  codeBlocks,
  documentedCommands,
  programCommands,
  type DocumentedCommand,
} from '../support/code-blocks.ts';
import { fwdsync } from '../support/command.ts';
import { temporaryDirectory } from '../support/directory.ts';
import type { TestDatabases } from '../support/postgres.ts';
import { PROGRAM_PATH } from '../support/program.ts';
import { everyNth } from '../support/share.ts';
import { runInShell } from '../support/shell.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const OWNER = 'ops@acme.example';

/** Reasons not to run a command line, by its first word. */
const NOT_RUN: Readonly<Record<string, string>> = {
  docker: 'needs an image: test/deploy builds what is in it',
  echo: 'writes a hook: test/cli/hooks.test.ts runs it',
};

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ...readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join('examples', name),
  ),
].filter((name) => name.endsWith('.md'));

function commandsOf(page: string): readonly DocumentedCommand[] {
  return codeBlocks(readFileSync(join(ROOT, page), 'utf8'))
    .filter(({ language }) => language !== 'console') // outputs.test.ts and tutorial.test.ts run these
    .flatMap(programCommands);
}

/** The directory that a page's reader has, an emulated account, and a run that changed the account. */
interface Scene {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly api: string;
  readonly store: string;
  readonly emptyStore: string;
  readonly run: string;
}

/** Values that a reader fills in. */
const PLACEHOLDERS: readonly (readonly [place: RegExp, value: (scene: Scene) => string])[] = [
  [/^npm run -s fwdsync --(?= )/, () => 'fwdsync'],
  [/http:\/\/127\.0\.0\.1:8025/, ({ api }) => api],
  [/(?<=--(?:port|smtp|submission) )\d+/g, () => '0'],
  [/(?<=^fwdsync state import .*)postgres:\/\/\S+/, ({ emptyStore }) => emptyStore],
  [/postgres:\/\/fwdsync@127\.0\.0\.1\/fwdsync/, ({ store }) => store],
  [/\b(?:mfh3k2q9a0b|7ytx9hfo|RUN)\b/, ({ run }) => run],
  [/(?<=store:snapshot\/)\d+/, () => '1'],
  [/(?<=--rollback )\d+/, () => '1'],
  [/(?<=--remove )\S+/, () => 'other@acme.example'],
  [/\borigin\/main\b/, () => 'HEAD'],
  [/\/etc\/fwdsync/, () => 'fwdsync.yaml'],
  [/\/etc\/(?:postfix\/)?(?=virtual|aliases|valiases)/g, () => ''],
  [/^fwdsync import(?=.* --out fwdsync\.yaml)/, () => 'rm fwdsync.yaml && fwdsync import'],
  [/ …/, () => ''],
  [/\bDIR\b/, () => 'one'],
  [/\bDOMAIN\b/, () => 'old.example'],
  [/(?<=^fwdsync move .*)$/, () => ' --resolver 127.0.0.77:9'],
  [/"\$\{fpath\[1\]\}\/_fwdsync"/, () => '_fwdsync'],
  [/; code=\$\?/, () => ''],
  [/(?<=^fwdsync export --out )fwdsync\.yaml/, () => 'exported.yaml'],
];

function filledIn(command: string, scene: Scene): string {
  return PLACEHOLDERS.reduce((line, [place, value]) => line.replace(place, value(scene)), command);
}

let server: TestDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

const manifestOf = (account: string, domain: string, sales: string): string =>
  `version: 1\napi: { account: ${account}, key: { env: FWDSYNC_API_KEY } }\ndomains: { ${domain}: { aliases: { sales: ${sales} } } }\n`;

async function openScene(page: string): Promise<Scene> {
  const example = /^examples\/(\w+)\//.exec(page)?.[1];
  const directory = await temporaryDirectory();
  cpSync(join(ROOT, 'examples'), join(directory, 'examples'), { recursive: true });
  cpSync(join(import.meta.dirname, 'import-sources'), directory, { recursive: true });
  const domains = [{ domain: 'acme.example' }, { domain: 'old.example' }];
  const state: Seed = ACCOUNTS[example ?? ''] ?? { account: { email: OWNER }, domains };
  const emulator = await startEmulator({
    apiKey: 'emulator',
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state,
  });
  onTestFinished(() => emulator.close());
  const isFleet = page === 'docs/fleet.md';
  const store = isFleet ? await server.createDatabase() : '';
  const env = {
    ...ENVIRONMENT,
    PATH: PROGRAM_PATH,
    HOME: directory,
    TERM: 'xterm',
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: 'emulator',
    ACME_API_KEY: 'emulator',
    FWDSYNC_LOG_FORMAT: 'json',
  };
  const git = (...args: readonly string[]) => once(spawn('git', args, { cwd: directory, env }), 'exit');
  for (const place of ['accounts', 'one', '.husky', '.config/fish/completions'])
    mkdirSync(join(directory, place), { recursive: true });
  writeFileSync(join(directory, 'fwdsync.yaml'), manifestOf(OWNER, 'acme.example', 'ana@corp.example'));
  const applied = await fwdsync(['apply', '--yes'], { cwd: directory, env });
  for (const place of ['accounts', 'one'])
    writeFileSync(join(directory, place, 'acme.yaml'), manifestOf(OWNER, 'acme.example', 'ben@corp.example'));
  writeFileSync(
    join(directory, 'accounts/other.yaml'),
    manifestOf('other@acme.example', 'other.example', 'x@corp.example'),
  );
  await git('init', '--quiet');
  await git('add', '.');
  await git(
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@corp.example',
    'commit',
    '--quiet',
    '--message',
    'First',
  );
  writeFileSync(join(directory, 'fwdsync.yaml'), manifestOf(OWNER, 'acme.example', 'carol@corp.example'));
  await git('add', '.');
  return {
    directory,
    env: isFleet ? { ...env, FWDSYNC_STORE: store } : env,
    api: new URL(emulator.urls.v4).origin,
    store,
    emptyStore: isFleet ? await server.createDatabase() : '',
    run: /^undo: fwdsync undo (\w+)/m.exec(applied.stdout)?.[1] ?? 'none',
  };
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** True if the page asks for exit code 2 on differences or failures. */
function mayDiffer(command: string): boolean {
  return /--detailed-exitcode|--fail-on|\bfwdsync (?:why|move)\b/.test(command);
}

/** Starts a command that serves, sends it one request, and stops it. */
async function serve(line: string, { directory: cwd, env }: Scene): Promise<Ran> {
  const isEmulator = /\bemulator\b/.test(line);
  const own = isEmulator ? (line.includes('--port') ? '' : ' --port 0') : ' --listen 127.0.0.1:0';
  const child = spawn('bash', ['-c', `exec ${line.replace(/\s*&$/, '')}${own}`], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = text(child.stderr);
  for await (const said of createInterface(child.stdout)) {
    const { v4, event, port } = JSON.parse(said) as {
      readonly v4?: string;
      readonly event?: string;
      readonly port?: number;
    };
    if (v4 === undefined && event !== 'status.listening') continue;
    const answer = await fetch(
      v4 === undefined ? `http://127.0.0.1:${String(port)}/healthz` : `${v4}/account`,
    );
    expect([200, 401]).toContain(answer.status);
    child.kill('SIGTERM');
  }
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, output: await output };
}

/** Runs a command line. If it asks a question, it runs on a terminal where `yes` is typed. */
async function runLine(line: string, { directory: cwd, env }: Scene): Promise<Ran> {
  const asks = /\bfwdsync (?:apply|undo)\b(?!.*(?:--yes|plan\.json))/.test(line);
  if (!asks && /^(?:[A-Z_]+=\S+ )*fwdsync [^|&;<>$]*$/.test(line)) {
    const { code, stdout, stderr } = await runInShell(line, { cwd, env });
    return { code, output: `${stdout}${stderr}` };
  }
  const [program, args] = asks
    ? (['script', ['-qefc', line, '/dev/null']] as const)
    : (['bash', ['-c', line]] as const);
  const child = spawn(program, args, { cwd, env: { ...env, SHELL: '/bin/bash' } });
  child.stdin.on('error', () => undefined);
  if (asks) child.stdin.write('yes\n'.repeat(3));
  else child.stdin.end();
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, output: `${out}${error}` };
}

const PAGES_WITH_COMMANDS = PAGES.filter((page) => commandsOf(page).length > 0);

describe.each(everyNth(14, PAGES_WITH_COMMANDS))('%s', (page) => {
  test('each command line works as the page says', async () => {
    const scene = await openScene(page);
    for (const { line, command } of commandsOf(page)) {
      const [word = ''] = command.split(' ');
      if (Object.hasOwn(NOT_RUN, word)) continue;
      const filled = filledIn(command, scene);
      const isServed = /\bfwdsync (?:emulator|run)\b(?!.*--once)/.test(filled);
      const { code, output } = await (isServed ? serve : runLine)(filled, scene);
      expect(mayDiffer(command) ? [0, 2] : [0], `${page}:${line}: ${filled}\n${output}`).toContain(code);
    }
  }, 60_000);
});

test('command lines of the pages are found, and nearly all are run', () => {
  const words = PAGES.flatMap(commandsOf).map(({ command }) => command.split(' ')[0] ?? '');
  const isRun = (word: string): boolean => !Object.hasOwn(NOT_RUN, word);
  expect(words.filter(isRun).length).toBeGreaterThan(45);
  expect(new Set(words.filter((word) => !isRun(word)))).toEqual(new Set(Object.keys(NOT_RUN)));
});

test('commands of a block come in order, without comments, with the output that is shown below a prompt', () => {
  const page = [
    'Text with `fwdsync plan`.',
    '',
    '```console',
    '$ fwdsync plan \\',
    '    --summary   # totals',
    '3 to add',
    'Apply with: fwdsync apply',
    '$ X=1 fwdsync show plan.json',
    '```',
    '',
    '- In a list:',
    '',
    '  ```yaml',
    '  - run: fwdsync validate',
    '  ```',
  ].join('\n');
  expect(codeBlocks(page).map(documentedCommands)).toEqual([
    [
      { line: 4, command: 'fwdsync plan --summary', output: ['3 to add', 'Apply with: fwdsync apply'] },
      { line: 8, command: 'X=1 fwdsync show plan.json', output: [] },
    ],
    [{ line: 14, command: 'fwdsync validate', output: [] }],
  ]);
});
