import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import schema from '../../schemas/emulator-state.v1.schema.json' with { type: 'json' };
import { problemsOf } from '../../src/emulator/http/schemas.ts';
import { DEFAULT_SWITCHES } from '../../src/emulator/account/switches.ts';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { everyNth } from '../support/share.ts';

const document = readFileSync(join(import.meta.dirname, '../../docs/emulator.md'), 'utf8');

test('docs/emulator.md names every switch with its default', () => {
  const rows = document.match(/^\|.*\|$/gm) ?? [];
  for (const [name, value] of Object.entries(DEFAULT_SWITCHES)) {
    expect(rows.filter((row) => row.includes(`| \`${name}\` | \`${value}\``))).toHaveLength(1);
  }
});

test('the schema has every switch with its default', () => {
  const { properties } = schema.$defs.switches;
  expect(Object.entries(properties).map(([name, { default: value }]) => [name, value])).toEqual(
    Object.entries(DEFAULT_SWITCHES),
  );
  expect(Object.values(properties).filter(({ description }) => description === '')).toEqual([]);
});

test('every switch is in a test', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'documentation.test.ts')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('');
  expect(Object.keys(DEFAULT_SWITCHES).filter((name) => !tests.includes(name))).toEqual([]);
});

test('the accounts, the state and the faults that it shows are valid', () => {
  const examples = [...document.matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  );
  const subjects = ['accounts', 'state', 'faults'] as const;
  expect(subjects.map((subject, index) => problemsOf(subject, examples[index]))).toEqual([[], [], []]);
  expect(examples).toHaveLength(3);
});

test.each(everyNth(3, ['## Try v4', '## Try v3', '## The control interface']))(
  'each curl of "%s" succeeds',
  async (heading) => {
    const [, commands = ''] =
      /```sh\n(\w+=http.*?)```/s.exec(document.slice(document.indexOf(`${heading}\n`))) ?? [];
    const emulator = await startEmulator({
      apiKey: 'emulator',
      plan: 'paid',
      control: true,
      now: () => Date.now(),
      sleep: () => Promise.resolve(),
      randomId: randomUUID,
      state: { account: { email: 'ops@acme.example' }, domains: heading.includes('Try') ? [] : [DOMAIN] },
    });
    onTestFinished(() => emulator.close());
    const origin = new URL(emulator.urls.v4).origin;
    const script = `set -e; curl() { command curl -sSf "$@"; }\n${commands.replaceAll('http://127.0.0.1:8025', origin)}`;
    const child = spawn('bash', ['-c', script], { cwd: await temporaryDirectory() });
    const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([child.exitCode, errors]).toEqual([0, '']);
  },
);

const DOMAIN = { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example' }] };
