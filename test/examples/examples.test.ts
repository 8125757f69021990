import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator, type Emulator } from '../../src/emulator/http/server.ts';
import { loadManifest } from '../../src/core/manifest/load.ts';
import type { Desired } from '../../src/core/model/desired.ts';
import { runCommand, type CommandResult, type Terminal } from '../golden/support/cli.ts';
import { virtualClock } from '../support/clock.ts';
import { restorable, runPrinted } from '../golden/support/undo.ts';
import { unmanagedPart } from '../golden/support/unmanaged.ts';
import { ACCOUNTS, ENVIRONMENT } from './support/accounts.ts';
import { everyNth } from '../support/share.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Files that are not manifests; each has its own test. */
const OTHERS = ['ci', 'hooks', 'library.ts'];
const EXAMPLES = readdirSync(join(ROOT, 'examples')).filter((name) => !OTHERS.includes(name));
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'minimal.yaml': ['--account', 'me@acme.example'],
  acme: ['--allow-domain-delete', 'acme-2019.example'],
};

test('every example has an account to be tried on', () => {
  expect(Object.keys(ACCOUNTS).sort()).toEqual([...EXAMPLES].sort());
});

test('every file names the schema, from where it lies', () => {
  for (const file of EXAMPLES.flatMap(filesOf)) {
    const first = readFileSync(join(ROOT, file), 'utf8').split('\n', 1)[0] ?? '';
    const schema = relative(dirname(file), 'schemas/manifest.v1.schema.json');
    expect(first, file).toBe(`# yaml-language-server: $schema=${schema}`);
  }
});

test('the documented command lines are the ones that are tried here', () => {
  const readme = readFileSync(join(ROOT, 'examples/acme/README.md'), 'utf8');
  expect(readme).toContain(`fwdsync plan -f examples/acme ${FLAGS['acme']?.join(' ')}\n`);
  expect(readme).toContain(`fwdsync apply -f examples/acme ${FLAGS['acme']?.join(' ')}\n`);
});

describe.each(everyNth(2, EXAMPLES))('examples/%s', (example) => {
  const flags = ['-f', `examples/${example}`];
  const changing = [...flags, ...(FLAGS[example] ?? [])];
  const state = mkdtempSync(join(tmpdir(), 'fwdsync-examples-'));
  let emulator: Emulator;
  let terminal: Terminal;

  beforeAll(async () => {
    const clock = virtualClock();
    emulator = await startEmulator({
      apiKey: 'examples-key',
      plan: 'paid',
      state: ACCOUNTS[example],
      now: () => clock.now(),
      sleep: (milliseconds) => clock.sleep(milliseconds),
      randomId: () => crypto.randomUUID(),
    });
    const env = { ...ENVIRONMENT, FWDSYNC_API_URL: emulator.urls.v4, FWDSYNC_STATE_DIR: state };
    terminal = { cwd: ROOT, clock, env };
  });

  afterAll(async () => {
    await emulator.close();
    rmSync(state, { recursive: true, force: true });
  });

  test('has no problems, not even a warning, once its references are set', async () => {
    const { stdout, stderr, exitCode } = await runCommand(['validate', ...flags], terminal);
    expect(exitCode, stderr).toBe(0);
    expect(stdout + stderr).not.toMatch(/warning:|error:/);
  });

  test('is planned and applied; then its plan and that of the export are empty, the rest is as it was, and all can be undone', async () => {
    const start = emulator.store.dump();
    const planned = await runCommand(['plan', ...changing, '--detailed-exitcode'], terminal);
    expect(planned.exitCode, show(planned)).toBe(2);
    expect(emulator.store.dump()).toEqual(start);

    const applied = await runCommand(['apply', ...changing, '--yes'], terminal);
    expect(applied.exitCode, show(applied)).toBe(0);
    for (const url of Object.values(emulator.urls)) {
      const env = { ...terminal.env, FWDSYNC_API_URL: url };
      const after = await runCommand(['plan', ...flags, '--detailed-exitcode'], { ...terminal, env });
      expect(after.exitCode, url + show(after)).toBe(0);
    }

    const names = new Set(start.domains.map(({ domain }) => domain));
    const desired = load(example);
    const end = emulator.store.dump();
    const left = { ...end, domains: end.domains.filter(({ domain }) => names.has(domain)) };
    expect(unmanagedPart(left, desired, new Set())).toEqual(unmanagedPart(start, desired, new Set()));

    const exported = join(state, 'exported.yaml');
    expect((await runCommand(['export', '--out', exported], terminal)).exitCode).toBe(0);
    const again = await runCommand(['plan', '-f', exported, '--detailed-exitcode'], terminal);
    expect(again.exitCode, show(again)).toBe(0);

    const { result, account } = await runPrinted(emulator, { run: applied, word: 'undo' }, terminal);
    expect(result.exitCode, show(result)).toBe(0);
    expect(restorable(account, [])).toEqual(restorable(start, []));
  });
});

function filesOf(example: string): readonly string[] {
  const path = `examples/${example}`;
  if (example.endsWith('.yaml')) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => `${path}/${name}`);
}

function load(example: string): Desired {
  const texts = filesOf(example).map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const resolveEnv = (reference: { readonly shown: string }): string | null =>
    ENVIRONMENT[/env: (\w+)/.exec(reference.shown)?.[1] ?? ''] ?? null;
  const { desired, problems } = loadManifest(texts, {
    references: 'required',
    resolve: resolveEnv,
    apiVersion: 'v4',
  });
  if (desired === null) throw new Error(JSON.stringify(problems));
  return desired;
}

function show({ stdout, stderr }: CommandResult): string {
  return `${stdout}${stderr}`;
}
