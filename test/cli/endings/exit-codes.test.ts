import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import planSchema from '../../../schemas/plan.v1.schema.json' with { type: 'json' };
import problemsSchema from '../../../schemas/problems.v1.schema.json' with { type: 'json' };
import { fwdsync } from '../../support/command.ts';

const KEY = 'key-for-exit-codes';
const ACCOUNT = 'owner@account.example';
const MANIFEST = `version: 1
domains:
  acme.example:
    prune: { aliases: true }
    aliases:
      sales: carol@corp.example
`;

let emulator: Emulator;
let directory: string;
let env: Record<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fwdsync-exit-'));
  const aliases = 'abcdefgh'.split('').map((alias) => ({ alias, forward: 'dan@corp.example' }));
  emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: {
      account: { email: ACCOUNT },
      domains: [
        { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'carol@corp.example' }] },
        { domain: 'full.example', aliases },
      ],
    },
  });
  env = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: KEY,
    FWDSYNC_STATE_DIR: join(directory, 'state'),
  };
  await writeFile(join(directory, 'fwdsync.yaml'), MANIFEST);
});

afterAll(async () => {
  await emulator.close();
  await rm(directory, { recursive: true });
});

const run = (args: readonly string[], stdin = '', extra: Record<string, string> = {}) =>
  fwdsync(args, { cwd: directory, env: { ...env, ...extra }, stdin });

describe('validate', () => {
  test('0: a valid manifest, found by its default name', async () => {
    const { code, stdout } = await run(['validate']);
    expect(stdout).toContain('valid: 1 domain, 1 alias, 0 rules in 1 file');
    expect(code).toBe(0);
  });

  test('5: an invalid manifest, with the place, the reason and the way out', async () => {
    const { code, stderr } = await run(
      ['validate', '-f', '-'],
      'version: 1\ndomains:\n  acme.example:\n    alias: {}\n',
    );
    expect(stderr).toContain('-:4:5: error:');
    expect(stderr).toContain('aliases');
    expect(code).toBe(5);
  });

  test('5: the document matches its schema', async () => {
    const { code, stdout } = await run(
      ['validate', '--format', 'json', '-f', '-'],
      'version: 1\ndomains: { x: 1 }\n',
    );
    const validate = new Ajv2020({ validateFormats: false }).compile(problemsSchema);
    expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
    expect(code).toBe(5);
  });

  test('1: a file that is not there', async () => {
    const { code, stderr } = await run(['validate', '-f', 'missing.yaml']);
    expect(stderr).toContain('missing.yaml');
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(1);
  });

  test.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown option', ['validate', '--frobnicate']],
    ['an unknown format', ['validate', '--format', 'xml']],
    ['a domain that the manifest does not name', ['validate', '--domain', 'other.example']],
  ])('64: %s', async (_, args) => {
    const { code, stderr } = await run(args);
    expect(stderr).not.toBe('');
    expect(code).toBe(64);
  });
});

describe('plan', () => {
  test('0: nothing to do, also with --detailed-exitcode', async () => {
    const { code, stdout } = await run(['plan', '--detailed-exitcode']);
    expect(stdout).toContain('Nothing to change');
    expect(code).toBe(0);
  });

  test('2: changes, with --detailed-exitcode; 0 without', async () => {
    const manifest = 'version: 1\ndomains:\n  acme.example:\n    aliases: { info: a@corp.example }\n';
    const detailed = await run(['plan', '-f', '-', '--detailed-exitcode'], manifest);
    expect(detailed.stdout).toContain('+ alias  info');
    expect(detailed.code).toBe(2);
    expect((await run(['plan', '-f', '-'], manifest)).code).toBe(0);
  });

  test('the document matches its schema', async () => {
    const { stdout } = await run(['plan', '--format', 'json']);
    const validate = new Ajv2020({ validateFormats: false }).compile(planSchema);
    expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
  });

  test('4: a guard refuses, and names the flag that allows it', async () => {
    const manifest =
      'version: 1\ndomains:\n  full.example:\n    prune: { aliases: true }\n    aliases: { a: dan@corp.example }\n';
    const refused = await run(['plan', '-f', '-'], manifest);
    expect(refused.stdout).toContain('--allow-deletes 7');
    expect(refused.code).toBe(4);
    expect((await run(['plan', '-f', '-', '--allow-deletes', '7'], manifest)).code).toBe(0);
  });

  test('5: the manifest is invalid, and nothing is requested', async () => {
    emulator.journal.clear();
    const { code } = await run(['plan', '-f', '-'], 'version: 1\ndomains: { acme.example: null }\n');
    expect(emulator.journal.entries()).toEqual([]);
    expect(code).toBe(5);
  });

  test('1: a wrong key, asked once and never shown', async () => {
    emulator.journal.clear();
    const { code, stderr, stdout } = await run(['plan'], '', { FWDSYNC_API_KEY: 'wrong-key-value' });
    expect(stderr).toContain('401');
    expect(stderr + stdout).not.toContain('wrong-key-value');
    expect(emulator.journal.entries().length).toBeLessThanOrEqual(2);
    expect(code).toBe(1);
  });

  test('1: no key names the variables', async () => {
    const { code, stderr } = await run(['plan'], '', { FWDSYNC_API_KEY: '' });
    expect(stderr).toContain('FWDSYNC_API_KEY_FILE');
    expect(code).toBe(1);
  });

  test('64: an http address off loopback, before anything is sent', async () => {
    const { code } = await run(['plan', '--api-url', 'http://api.example/v4']);
    expect(code).toBe(64);
  });

  test.each(['https://u:p@127.0.0.1:1/v4', 'https://127.0.0.1:1/v4?x=1', 'https://127.0.0.1:1/v4#x'])(
    '64: an address with more than host and path: %s',
    async (url) => {
      const { code, stderr } = await run(['plan', '--api-url', url]);
      expect(stderr).toContain('--api-url is not an address that may get the key');
      expect(stderr).not.toMatch(/\n {4}at /);
      expect(code).toBe(64);
    },
  );

  test.each([
    ['--api-url', ['--api-url', 'https://anna:s3cret@api.example/v4'], {}],
    ['--api-url', ['--api-url', 'https://anna@api.example/v4?t=s3cret'], {}],
    ['FWDSYNC_API_URL', [], { FWDSYNC_API_URL: 'https://anna:s3cret@api.example/v4' }],
  ])('64: a user and a password in an address are not repeated: %s', async (origin, args, env) => {
    const { code, stdout, stderr } = await run(['plan', ...args], '', env);
    expect([code, stdout, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      64,
      '',
      `error: ${origin} is not an address that may get the key: the API address contains a user name or password try: leave them out: the key is in FWDSYNC_API_KEY or FWDSYNC_API_KEY_FILE `,
    ]);
  });

  test('64: FWDSYNC_API_URL is held to the same', async () => {
    const { code } = await run(['plan'], '', { FWDSYNC_API_URL: 'https://u:p@127.0.0.1:1/v4' });
    expect(code).toBe(64);
  });

  test('sends nothing but GET', async () => {
    emulator.journal.clear();
    await run(
      ['plan', '-f', '-'],
      'version: 1\ndomains:\n  new.example:\n    aliases: { info: a@corp.example }\n',
    );
    expect(new Set(emulator.journal.entries().map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

describe('account', () => {
  test('0: shows the account and its limits', async () => {
    const { code, stdout } = await run(['account']);
    expect(stdout).toContain(ACCOUNT);
    expect(stdout).toContain('2 of');
    expect(code).toBe(0);
  });
});

describe('emulator', () => {
  test('prints its addresses when it listens, and ends with 0 on SIGTERM', async () => {
    const { code, stdout } = await fwdsync(['emulator', '--port', '0'], { signalWhenReady: 'SIGTERM' });
    expect(JSON.parse(stdout)).toEqual({
      v4: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v4$/) as unknown,
      v3: expect.stringMatching(/\/v3$/) as unknown,
    });
    expect(code).toBe(0);
  });
});
