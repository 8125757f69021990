import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { processContext } from '../../src/cli/context.ts';
import { execute } from '../../src/cli/execute.ts';
import { createProgram } from '../../src/cli/program.ts';
import { axe } from '../service/status/support/axe.ts';
import { openBrowser } from '../service/status/support/browser.ts';
import { openPage } from '../service/status/support/open-page.ts';
import { BUILD } from '../support/build.ts';
import { INSTALLED } from '../support/package.ts';
import { executeIn } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { everyNth, IS_FULL } from '../support/share.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const executeInstalled = executeIn(join(INSTALLED, 'lib/node_modules/fwdsync/dist'));

/** Runs lines in a folder outside the checkout, without this process's environment. */
const cwd = mkdtempSync(join(tmpdir(), 'fwdsync-installed-'));
const env: Record<string, string> = {
  PATH: [join(INSTALLED, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
  HOME: cwd,
  FWDSYNC_API_KEY: 'key-of-the-installed',
  FWDSYNC_STORE_KEY: Buffer.alloc(32, 7).toString('base64'),
};

function begin(line: string) {
  return spawn('sh', ['-c', `exec ${line}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(line: string): Promise<{ readonly code: unknown; readonly printed: string }> {
  const child = begin(line);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, printed: stdout + stderr };
}

/** Runs a line in this process, with the installed files. */
async function runInProcess(line: string): ReturnType<typeof run> {
  const words = line.replaceAll(/\$(\w+)/g, (_, name: string) => env[name] ?? '').split(' ');
  const { code, stdout, stderr } = await runHere(executeInstalled, words.slice(1), { cwd, env });
  return { code, printed: stdout + stderr };
}

/** Starts a line that serves. Returns its output up to the first line that contains `word`. */
async function serve(line: string, word: string) {
  const child = begin(line);
  child.stderr.pipe(process.stderr);
  const end = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    return child.exitCode ?? (await once(child, 'exit'))[0];
  };
  const before: string[] = [];
  for await (const printed of createInterface(child.stdout)) {
    if (printed.includes(word)) return { printed, before, end };
    before.push(printed);
  }
  throw new Error(`${line} ended`);
}

function manifestOf(...aliases: readonly string[]): string {
  return `version: 1
api: { account: owner@acme.example, key: { env: FWDSYNC_API_KEY } }
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { ${aliases.map((name) => `${name}: ana@corp.example`).join(', ')} }
    expect: [{ to: info@acme.example, forward: ana@corp.example }]
`;
}

const ALIASES = ['info', 'sales', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

const FILES = {
  'faults.json': JSON.stringify([
    { match: { method: 'PUT', path: 'aliases', times: 'always' }, do: { kind: 'status', code: 400 } },
  ]),
  'before.yaml': manifestOf(...ALIASES).replace('sales', 'old'),
  'fwdsync.yaml': manifestOf(...ALIASES),
  'other.yaml': manifestOf(...ALIASES, 'shop'),
  'few.yaml': manifestOf('info'),
  'partial.yaml': manifestOf(...ALIASES, 'shop')
    .replace('info: ana@', 'info: bea@')
    .replace('expect', '# expect'),
  'forwards.csv':
    'email,forwardTo\ninfo@acme.example,"ana@corp.example"\nsales@acme.example,ben@corp.example\n',
  'invalid.yaml': manifestOf('info').replaceAll('ana@corp.example', 'oncal'),
};

interface Addresses {
  readonly v4: string;
  readonly control: string;
  readonly smtp: string;
}

let addresses: Addresses;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(cwd, name), content);
  const account = '--from before.yaml --account owner@acme.example --api-key key-of-the-installed';
  const emulator = await serve(
    `fwdsync emulator --port 0 --smtp 0 --control --plan paid --faults faults.json ${account}`,
    '"v4"',
  );
  stop = emulator.end;
  addresses = JSON.parse(emulator.printed) as Addresses;
  env['FWDSYNC_API_URL'] = addresses.v4;
  const server = await sharedPostgres();
  env['STORE'] = await server.createDatabase();
  env['EMPTY_STORE'] = await server.createDatabase();
});

afterAll(async () => {
  expect(await stop()).toBe(0);
  rmSync(cwd, { recursive: true });
});

const VERSION = pkg.version;
const COMMIT = BUILD.SOURCE_COMMIT;
const DATE = new Date(Number(BUILD.SOURCE_DATE_EPOCH) * 1000).toISOString().replace('.000', '');

/** Lines in order, each with its exit code and output. */
const LINES: readonly (readonly [string, number, string])[] = [
  ['fwdsync --version', 0, `${VERSION}\n`],
  [
    'fwdsync --version --verbose',
    0,
    `commit   ${COMMIT}\nbuilt    ${DATE}\nnode     ${process.versions.node}\n`,
  ],
  ['fwdsync --help', 0, 'Usage: fwdsync'],
  ['fwdsync completion bash', 0, 'complete'],
  ['fwdsync explain unknown-destination', 0, 'code unknown-destination'],
  ['fwdsync demo', 0, 'The account matches the manifest'],
  ['fwdsync validate', 0, 'valid: 1 domain'],
  ['fwdsync validate -f invalid.yaml', 5, 'invalid.yaml:6:'],
  ['fwdsync init', 64, 'fwdsync.yaml exists'],
  ['fwdsync account', 0, 'owner@acme.example'],
  ['fwdsync route sales@acme.example', 0, 'ana@corp.example'],
  ['fwdsync test', 0, 'info@acme.example'],
  ['fwdsync plan --out plan.json', 0, '- alias  old'],
  ['fwdsync show plan.json', 0, '+ alias  sales'],
  ['fwdsync apply plan.json -f other.yaml', 6, 'stale'],
  ['fwdsync apply plan.json', 0, 'converged'],
  ['fwdsync apply --yes -f few.yaml', 4, 'max-deletes'],
  ['fwdsync plan --detailed-exitcode', 0, 'Nothing to change'],
  ['fwdsync history', 0, 'apply'],
  ['fwdsync blame sales@acme.example', 0, 'sales'],
  ['fwdsync export --out live.yaml', 0, 'live.yaml'],
  ['fwdsync validate -f live.yaml', 0, 'valid: 1 domain'],
  ['fwdsync import table:forwards.csv --out imported.yaml', 0, 'wrote imported.yaml: 1 domain, 2 aliases'],
  ['fwdsync verify acme.example', 0, 'acme.example'],
  ['fwdsync logs acme.example', 0, ''],
  ['fwdsync delivery', 0, ''],
  ['fwdsync who ana@corp.example', 0, 'sales@acme.example'],
  ['fwdsync why sales@acme.example', 0, 'NOT-SEEN'],
  ['fwdsync move acme.example --resolver 127.0.0.77:9', 2, 'blocked    switch'],
  [
    'fwdsync replace ana@corp.example bea@corp.example -f few.yaml',
    0,
    '-    aliases: { info: ana@corp.example }',
  ],
  ['fwdsync publish --store $STORE', 0, 'owner@acme.example'],
  ['fwdsync run --once --store $STORE', 0, 'owner@acme.example'],
  ['fwdsync status --store $STORE', 0, '1 in-sync'],
  ['fwdsync state import $HOME/.local/state/fwdsync --store $EMPTY_STORE', 0, 'owner@acme.example'],
  ['fwdsync run --once --mode observe -f other.yaml', 2, '"add":1,'],
  ['fwdsync apply --yes -f partial.yaml', 3, 'alias acme.example/info'],
];

describe('the installed program', () => {
  const started = new Set(everyNth(18, LINES).map(([line]) => line));

  test.each(LINES)('%s ends with %i', async (line, code, words) => {
    const ended = await (started.has(line) ? run : runInProcess)(line);
    expect(ended.code, ended.printed).toBe(code);
    expect(ended.printed).toContain(words);
    expect(ended.printed).not.toMatch(/internal error|\n {4}at /);
  });

  test('undo takes back what was applied', async () => {
    const { printed } = await runInProcess('fwdsync history --format json');
    const { runs } = JSON.parse(printed) as { readonly runs: readonly { readonly id: string }[] };
    const undone = await runInProcess(`fwdsync undo --yes ${runs[0]?.id ?? ''}`);
    expect([undone.code, undone.printed]).toEqual([0, expect.stringContaining('converged')]);
  });

  test('export names a schema that is there', () => {
    const [line = ''] = readFileSync(join(cwd, 'live.yaml'), 'utf8').split('\n');
    const { title } = JSON.parse(readFileSync(new URL(line.split('$schema=')[1] ?? ''), 'utf8')) as {
      readonly title: string;
    };
    expect([line, title]).toEqual([expect.stringContaining(INSTALLED), 'fwdsync manifest, version 1']);
  });

  test('runs every command', () => {
    const own = readFileSync(import.meta.filename, 'utf8');
    const program = createProgram(processContext(), [], { finish: () => {}, execute });
    const missing = program.commands
      .map((command) => command.name())
      .filter((name) => !own.includes(`fwdsync ${name}`));
    expect(missing).toEqual([]);
  });

  test('its emulator receives a mail by SMTP and forwards it', async () => {
    const [host, port] = addresses.smtp.split(':');
    const transport = createTransport({ host, port: Number(port), tls: { rejectUnauthorized: false } });
    const mail = { from: 'eve@x.example', to: 'info@acme.example', subject: 'Through the installed program' };
    await transport.sendMail({ ...mail, text: 'hello' });
    const kept = await fetch(`${addresses.control}/mailboxes/ana@corp.example?wait=10`);
    expect(await kept.text()).toContain(mail.subject);
  });

  test('its manual page has every command and option, and renders without a warning', async () => {
    const { printed } = await run('man --warnings fwdsync');
    const words = printed.replaceAll('\u2010\n', '').replaceAll(/\s+/g, ' ');
    const { commands } = createProgram(processContext(), [], { finish: () => {}, execute });
    for (const command of commands) {
      expect(words).toContain(` fwdsync ${command.name()} `);
      for (const { long, hidden } of command.options) if (!hidden) expect(words).toContain(` ${long ?? ''} `);
    }
    expect(words).toContain('EXIT CODES 0 done 1 could not be done');
    expect(printed).not.toContain('warning:');
  });

  /** Starts the daemon with its page. */
  async function serveDaemon() {
    const line = 'fwdsync run --listen 127.0.0.1:0 --log-format json';
    const daemon = await serve(line, '"event":"status.listening"');
    const { host, port } = JSON.parse(daemon.printed) as { readonly host: string; readonly port: number };
    return { ...daemon, url: `http://${host}:${port}` };
  }

  test('its daemon says which program it is, serves its page, and ends with 0', async () => {
    const daemon = await serveDaemon();
    const program = { version: VERSION, commit: COMMIT, node: process.versions.node };
    const started = daemon.before.map((line) => JSON.parse(line) as object);
    expect(started[0]).toMatchObject({ event: 'started', ...program, built_at: DATE });
    const status = await (await fetch(`${daemon.url}/status`)).json();
    expect(status).toMatchObject({ kind: 'fwdsync/status@1', program: { ...program, builtAt: DATE } });
    const page = await (await fetch(daemon.url)).text();
    expect(page).toContain(' · fwdsync</title>');
    expect(page).not.toMatch(/[\u00c2\u00e2\ufffd]/);
    expect(await daemon.end()).toBe(0);
  });

  test.runIf(IS_FULL)('its page shows each character as it is', async () => {
    const daemon = await serveDaemon();
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { page, faults } = await openPage(browser);
    await page.goto(`${daemon.url}/`);
    expect(await page.title()).toMatch(/ · fwdsync$/);
    // Each view in one size; test/service/status/page/ checks all sizes.
    const views = [
      ['/', 'light', 320],
      ['/?to=ana%40corp.example', 'light', 320],
      ['/domains/acme.example', 'dark', 1280],
      ['/?view=wall', 'light', 1920],
    ] as const;
    for (const [view, colorScheme, width] of views) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${daemon.url}${view}`);
      await page.getByText('In sync').first().waitFor();
      expect(await page.locator('body').innerText()).not.toMatch(/[\u00c2\u00e2\ufffd]/);
      expect([view, await axe(page)]).toEqual([view, []]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await page.goto(`${daemon.url}/domains/acme.example`);
    expect(await page.locator('#forwards tbody tr').count()).toBe(11);
    await page.goto(`${daemon.url}/?to=ana%40corp.example`);
    expect(await page.locator('#senders li').count()).toBe(11);
    expect(faults).toEqual([]);
    expect(await daemon.end()).toBe(0);
  });
});
