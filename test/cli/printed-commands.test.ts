import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { processContext } from '../../src/cli/context.ts';
import { execute } from '../../src/cli/execute.ts';
import { REACHING_FLAGS } from '../../src/cli/output/command-lines.ts';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { createProgram } from '../../src/cli/program.ts';
import { openFleet } from '../service/fleet/support/fleet.ts';
import { fwdsync } from '../support/command.ts';
import { temporaryDirectory } from '../support/directory.ts';
import type { TestDatabases } from '../support/postgres.ts';
import { everyNth, IS_FULL } from '../support/share.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { daemon, type Process } from './support/daemon-process.ts';
import { printedCommands, runPrinted, strayCommands } from './support/printed-commands.ts';

const KEY = 'key-of-the-printed';
const OWNER = 'ops@acme.example';
const ALLOWED = ['--allow-domain-delete', 'old.example'];
const OTHERS = Array.from({ length: 6 }, (_, index) => `d${index}.example`);

/** Notices, a tombstone, domains that are not ready, and more aliases than the plan of the account allows. */
function manifestOf(api: string, sales = 'carol@corp.example'): string {
  return `version: 1
api: { account: ${OWNER}${api} }
domains:
  old.example: { state: absent }
  acme.example:
    verify: true
    aliases: { sales: ${sales}, info: carol@corp.example, jobs: carol@corp.example }
    credentials: { carol: { password: { env: PASSWORD } } }
${OTHERS.map((name) => `  ${name}: { prune: { aliases: true }, aliases: { hello: carol@corp.example } }\n`).join('')}`;
}

interface Place {
  readonly directory: string;
  /** Environment of the user. */
  readonly env: Readonly<Record<string, string>>;
  /** Flags that name the manifest and the state. */
  readonly flags: readonly string[];
  readonly write: (sales?: string) => Promise<void>;
  /** True if no flag or variable names the manifest; printed commands then apply the manifest of this directory. */
  readonly isHere: boolean;
}

/** Flags and variables for manifest, service, key and state. Relative paths refer to the directory of the first command. */
const PLACES = {
  'flags, and a manifest that names address and key': async (limit?: number) =>
    open(
      limit,
      'mail/acme.yaml',
      ['-f', 'mail/acme.yaml', '--state-dir', 'our state', '--max-entries', '5000'],
      (url) => ({
        api: `, key: { env: OUR_KEY }, url: "${url}"`,
        env: { OUR_KEY: KEY },
      }),
    ),
  'a directory of accounts': async (limit?: number) =>
    open(limit, 'many/acme.yaml', ['--accounts', 'many', '--state-dir', 'our state'], (url) => ({
      api: `, key: { env: OUR_KEY }, url: "${url}"`,
      env: { OUR_KEY: KEY },
    })),
  'the environment, with relative paths': async (limit?: number) =>
    open(limit, 'our mail/acme.yaml', [], (url) => ({
      api: '',
      env: {
        FWDSYNC_API_URL: url,
        FWDSYNC_API_KEY: KEY,
        FWDSYNC_FILE: 'our mail',
        FWDSYNC_STATE_DIR: 'our state',
      },
    })),
  'a key in a file': async (limit?: number) =>
    open(limit, 'acme.yaml', ['-f', 'acme.yaml'], (url) => ({
      api: `, key: { file: "the key" }, url: "${url}"`,
      env: {},
    })),
  'the environment, and the manifest that lies here': async (limit?: number) =>
    open(limit, 'fwdsync.yaml', ['--api-version', 'v3'], (url) => ({
      api: '',
      env: { FWDSYNC_API_URL: url, FWDSYNC_API_KEY: KEY },
    })),
} as const;

async function open(
  limit: number | undefined,
  file: string,
  flags: readonly string[],
  settings: (url: string) => { readonly api: string; readonly env: Readonly<Record<string, string>> },
): Promise<Place> {
  const notReady = { forwarding_ready: false, send_ready: false, dns: 'missing' } as const;
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: {
      account: { email: OWNER, ...(limit === undefined ? {} : { plan: { aliases_limit: limit } }) },
      domains: [
        { domain: 'acme.example', ...notReady },
        { domain: 'old.example' },
        { domain: 'other.example' },
      ],
    },
  });
  onTestFinished(() => emulator.close());
  const directory = await temporaryDirectory();
  const { api, env } = settings(emulator.urls.v4);
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, 'the key'), KEY, { mode: 0o600 });
  const write = (sales?: string): Promise<void> => writeFile(join(directory, file), manifestOf(api, sales));
  await write();
  return {
    directory,
    env: { PASSWORD: 'correct horse', HOME: directory, ...env },
    flags,
    write,
    isHere: file === 'fwdsync.yaml',
  };
}

/** Returns the command and its flags, without their values. */
function shapeOf(line: string): string {
  const [, name = ''] = /fwdsync (\w+)/.exec(line) ?? [];
  return [name, ...new Set(line.match(/(?<= )--?[a-z][\w-]*/g))].join(' ');
}

const isUndo = (line: string): boolean => line.includes('fwdsync undo ');

/** Expects that every text that looks like a command is complete and works in another directory. */
async function expectToWork(
  outputs: readonly string[],
  { env, directory, isHere }: Pick<Place, 'env'> & Partial<Place>,
  least: readonly string[],
): Promise<void> {
  expect(outputs.flatMap(strayCommands)).toEqual([]);
  const all = outputs.flatMap(printedCommands);
  // One of several commands with the same flags is enough.
  const unique = [...new Map(all.map((line) => [shapeOf(line), line])).values()];
  // Undo comes last, because it removes the changes that the other commands need.
  const commands = unique.toSorted((a, b) => Number(isUndo(a)) - Number(isUndo(b)));
  const names = new Set(commands.map((line) => /fwdsync (\w+)/.exec(line)?.[1]));
  expect([...names], commands.join('\n')).toEqual(expect.arrayContaining([...least]));
  const elsewhere = await temporaryDirectory();
  for (const line of commands) {
    const cwd = isHere === true && /^fwdsync apply (?!.*-f )/.test(line) ? directory : elsewhere;
    const { code, output } = await runPrinted(line, { cwd: cwd ?? elsewhere, env });
    expect([0, 2, 3, 4, 6], `${line}\n${output}`).toContain(code);
    expect(output).not.toMatch(/not found|no such|does not exist/i);
  }
}

test.each(everyNth(5, Object.keys(PLACES) as readonly (keyof typeof PLACES)[]))(
  'commands that are printed work in another directory: %s',
  async (name) => {
    const place = await PLACES[name]();
    const { directory: cwd, flags, env, write } = place;
    const outputs: string[] = [];
    const run = async (args: readonly string[], own: readonly string[] = flags): Promise<void> => {
      const { stdout, stderr } = await fwdsync([...args, ...own], { cwd, env });
      outputs.push(stdout, stderr);
    };
    const about = flags.filter((flag, index) => flag === '--state-dir' || flags[index - 1] === '--state-dir');
    const many = flags.includes('--accounts') ? ['--accounts', 'many', ...about] : about;
    await run(
      ['validate'],
      flags.filter((flag) => flag !== '--api-version' && flag !== 'v3'),
    );
    await run(['plan', '--summary', ...ALLOWED]);
    await run(['plan', '--format', 'json', ...ALLOWED]);
    await run(['plan', '--format', 'markdown']);
    await run(['plan', '--format', 'github']);
    await run(['apply', '--yes', ...ALLOWED]);
    await write('dan@corp.example');
    await run(['apply', '--yes', '--format', 'json']);
    await run(['history', 'nosuchrun'], many);
    await run(['undo', 'nosuchrun', '--yes'], many);
    await run(['undo', '--yes'], many);
    await run(['undo'], many);
    await run(['run', '--once', '--log-format', 'json']);
    await run(['run', '--once', '--delivery']);
    await run(['why', 'sales@acme.example']);
    if (!flags.includes('--accounts')) {
      await run(['delivery', 'other.example']);
      await run(['delivery', 'sales@acme.example']);
    }
    await expectToWork(outputs, place, ['apply', 'history', 'undo', 'validate', 'verify']);
  },
  60_000,
);

const LIMITED = [
  'a directory of accounts',
  'flags, and a manifest that names address and key',
  'a key in a file',
] as const;

test.each(everyNth(2, LIMITED))(
  'commands that a plan prints about limits work in another directory: %s',
  async (name) => {
    const place = await PLACES[name](3);
    const { directory: cwd, env } = place;
    const { stdout, stderr } = await fwdsync(['plan', ...ALLOWED, ...place.flags], { cwd, env });
    await expectToWork([stdout.replace(/^Apply with: .*$/m, ''), stderr], place, ['account']);
  },
);

test('commands that are printed without a manifest work in another directory', async () => {
  const { directory: cwd, env } = await PLACES['the environment, with relative paths']();
  const { FWDSYNC_FILE: _, ...own } = env;
  const outputs: string[] = [];
  for (const args of [['plan'], ['logs', 'acme.example', '--id', 'nosuch'], ['plan', 'our mail/acme.yaml']]) {
    const { stdout, stderr } = await fwdsync(args, { cwd, env: own });
    outputs.push(stdout, stderr);
  }
  await expectToWork(outputs, { env: own }, ['export', 'logs', 'plan']);
});

/** The pages of a daemon, its status and its log. */
async function outputOf(process: Process): Promise<readonly string[]> {
  const { port } = await process.event('status.listening');
  const { run } = await process.event('run.finished');
  const paths = ['/', '/?state=withheld', '/?route=nobody%40acme.example', `/runs/${String(run)}`, '/status'];
  const pages: string[] = [];
  for (const path of paths) pages.push(await (await fetch(`http://127.0.0.1:${String(port)}${path}`)).text());
  await process.end();
  return [...pages, await process.output];
}

const DAEMONS = [
  'the environment, and the manifest that lies here',
  'a directory of accounts',
  'flags, and a manifest that names address and key',
  'the environment, with relative paths',
] as const;

test.each(everyNth(4, DAEMONS))(
  'commands that a daemon prints work in another directory: %s',
  async (name) => {
    const place = await PLACES[name]();
    const outputs: string[] = [];
    for (const mode of everyNth(2, ['apply', 'observe'])) {
      const own = daemon(place, [...place.flags, '--mode', mode, '--log-format', 'json'], place.env);
      outputs.push(...(await outputOf(own)));
      await place.write('dan@corp.example');
    }
    await expectToWork(outputs, place, ['apply', 'undo', 'route']);
  },
  60_000,
);

let server: TestDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

test.runIf(IS_FULL)(
  'commands that a worker and `status` print work in another directory',
  async () => {
    const fleet = await openFleet(server, ['a', 'b']);
    const { FWDSYNC_STORE: store = '', FWDSYNC_API_URL: url = '', ...env } = fleet.env;
    const cwd = await temporaryDirectory();
    const outputs: string[] = [];
    const run = async (...args: readonly string[]): Promise<void> => {
      const { stdout, stderr } = await fwdsync(args, { cwd, env });
      outputs.push(stdout, stderr);
    };
    await run('status', '--store', store);
    const tombstone = '  old.example: { state: absent }\n';
    for (const forward of ['ana@corp.example', 'ben@corp.example']) {
      for (const name of ['a', 'b']) {
        const text = `version: 1
api: { account: ${name}@fleet.example, key: { env: KEY_${name.toUpperCase()} } }
domains:
  ${name}.example: { verify: true, aliases: { sales: ${forward} } }
${name === 'a' ? tombstone : ''}`;
        await fleet.publish(name, { text });
      }
      await run('run', '--once', '--store', store, '--api-url', url, '--log-format', 'json');
    }
    await fleet.database.query(
      `UPDATE fwdsync.revisions SET manifest = '\\x00' FROM fwdsync.accounts WHERE id = account AND email LIKE 'b@%' AND revision = 2`,
    );
    await run('run', '--once', '--store', store, '--api-url', url, '--log-format', 'json');
    await run('status', '--store', store);
    await run('plan', '--store', store, '--api-url', url, '-f', 'store:manifest/a@fleet.example');
    await run('plan', '--store', store, '--api-url', url, '-f', 'store:manifest/b@fleet.example');
    await expectToWork(outputs, { env }, ['publish', 'run', 'undo']);
  },
  120_000,
);

test('the flags that complete a command are flags of that command', () => {
  const program = createProgram(processContext(), [], { finish: () => {}, execute });
  for (const [name, flags] of Object.entries(REACHING_FLAGS)) {
    const declared = program.commands.find((command) => command.name() === name);
    expect(
      declared?.options.map((option) => option.attributeName()),
      name,
    ).toEqual(expect.arrayContaining([...flags]));
  }
});

/** Examples of the help, names of reports, and commands for other programs. */
const NAMED =
  /example\(|\$ fwdsync|testsuite name|title(?::| =)|### fwdsync|completion words|THIS-FILE|--help`|a run of fwdsync/;

test('no text of the program names a command but by what completes it', async () => {
  const root = join(import.meta.dirname, '../../src');
  const files = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const names = Object.keys(REACHING_FLAGS).join('|');
  const command = new RegExp(`['"\`(].*\\bfwdsync (?:${names})\\b`);
  const found: string[] = [];
  for (const path of files) {
    const lines = (await readFile(join(root, path), 'utf8')).split('\n');
    for (const line of lines) {
      const isComment = /^\s*(?:\/?\*|\/\/)/.test(line);
      if (command.test(line) && !isComment && !NAMED.test(line)) found.push(`${path}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});
