import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import accountsSchema from '../../../../schemas/accounts.v1.schema.json' with { type: 'json' };
import { startEmulator, type Emulator } from '../../../../src/emulator/http/server.ts';
import { fwdsync, type CommandResult } from '../../../support/command.ts';

const ACME = `version: 1
api: { account: owner@acme.example, key: { env: ACME_KEY } }
domains:
  acme.example: { aliases: { sales: carol@corp.example } }
`;
const BETA = `version: 1
api: { account: owner@beta.example, key: { env: BETA_KEY } }
domains:
  beta.example: { aliases: { info: dan@corp.example } }
`;

let emulator: Emulator;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fwdsync-accounts-'));
  emulator = await startEmulator({
    apiKey: 'key-of-acme',
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: { account: { email: 'owner@acme.example' }, domains: [{ domain: 'acme.example' }] },
  });
  await mkdir(join(directory, 'good', 'beta'), { recursive: true });
  await writeFile(join(directory, 'good', 'acme.yaml'), ACME);
  await writeFile(join(directory, 'good', 'beta', 'all.yaml'), BETA);
  await mkdir(join(directory, 'one'));
  await writeFile(join(directory, 'one', 'acme.yaml'), ACME);
  await mkdir(join(directory, 'twice'));
  await writeFile(join(directory, 'twice', 'acme.yaml'), ACME);
  await writeFile(join(directory, 'twice', 'other.yml'), BETA.replace('beta.example:', 'acme.example:'));
});

afterAll(async () => {
  await emulator.close();
  await rm(directory, { recursive: true });
});

function run(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const common = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_STATE_DIR: join(directory, 'state'),
    ACME_KEY: 'key-of-acme',
  };
  return fwdsync(args, { cwd: directory, env: { ...common, ...env } });
}

function entriesOf({ stdout }: CommandResult): readonly Record<string, unknown>[] {
  const document = JSON.parse(stdout) as { accounts: Record<string, unknown>[] };
  const validate = new Ajv2020({ validateFormats: false }).compile(accountsSchema);
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  return document.accounts;
}

test('validate checks every account, and one document holds theirs', async () => {
  const result = await run(['validate', '--accounts', 'good', '--format', 'json']);
  expect(entriesOf(result)).toMatchObject([
    { name: 'acme', exitCode: 0, document: { kind: 'fwdsync/problems@1', summary: { domains: 1 } } },
    { name: 'beta', exitCode: 0, document: { kind: 'fwdsync/problems@1' } },
  ]);
  expect(result.code).toBe(0);
});

test('an account that cannot be reached leaves the others alone, and decides the exit code', async () => {
  const result = await run(['plan', '--accounts', 'good', '--format', 'json', '--out', 'plans.json']);
  expect(entriesOf(result)).toMatchObject([
    { name: 'acme', exitCode: 0, document: { kind: 'fwdsync/plan@1', summary: { add: 1 } }, error: null },
    { name: 'beta', exitCode: 1, document: null, error: { hint: 'set one of them' } },
  ]);
  expect(result.code).toBe(1);
});

test('a saved plan of many accounts is applied to each', async () => {
  await run(['plan', '--accounts', 'one', '--out', 'saved.json']);
  const result = await run(['apply', 'saved.json', '--accounts', 'one']);
  expect(result.stdout).toContain('==> acme <==\n');
  expect(result.stdout).toContain('converged');
  expect(result.code).toBe(0);
});

test('the same domain in two of them: 5, both places, and nothing is requested', async () => {
  emulator.journal.clear();
  const { code, stderr } = await run(['plan', '--accounts', 'twice']);
  expect(stderr).toContain('twice/acme.yaml:4:3');
  expect(stderr).toContain('twice/other.yml:4:3');
  expect(stderr).toContain('[domain-twice]');
  expect(emulator.journal.entries()).toEqual([]);
  expect(code).toBe(5);
});

test.each([
  ['-f beside --accounts', ['plan', '--accounts', 'good', '-f', 'good/acme.yaml'], 64],
  ['a domain that none of them names', ['plan', '--accounts', 'good', '--domain', 'other.example'], 64],
  ['a directory that is not there', ['plan', '--accounts', 'missing'], 1],
])('%s', async (_, args, code) => {
  expect((await run(args)).code).toBe(code);
});

test('run --once serves each account', async () => {
  const result = await run(['run', '--once', '--accounts', 'good'], { BETA_KEY: 'wrong-key' });
  expect(result.stderr).toContain('401');
  expect(result.code).toBe(1);
});
