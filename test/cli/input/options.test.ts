import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandScene, OWNER } from '../support/scene.ts';

const MANIFEST = 'domains:\n  acme.example:\n    aliases: { sales: carol@corp.example }\n';
const SEED = { domains: [{ domain: 'acme.example' }] };

describe('the log of a command', () => {
  const COMMANDS = [
    ['validate'],
    ['plan'],
    ['apply', '--yes'],
    ['run', '--once'],
    ['export'],
    ['account'],
    ['verify'],
    ['route', 'sales@acme.example'],
    ['logs', 'acme.example'],
    ['delivery'],
    ['show', 'plan.json'],
    ['demo'],
  ];

  test.each(COMMANDS)('64: a level or format that does not exist, in %s', async (...args) => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const level = await scene.run([...args, '--log-level', 'loud']);
    expect([level.code, level.stdout]).toEqual([64, '']);
    expect(level.stderr).toContain('there is no log level "loud"');
    const format = await scene.run(args, { env: { FWDSYNC_LOG_FORMAT: 'xml' } });
    expect([format.code, format.stdout]).toEqual([64, '']);
    expect(format.stderr).toContain('there is no log format "xml"');
    expect(scene.requests()).toEqual([]);
  });

  test('with level debug each request and the end are lines on standard error', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout, stderr } = await scene.run(['plan', '--format', 'json', '--log-level', 'debug']);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'fwdsync/plan@1' });
    const lines = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ event }) => event === 'request');
    expect(requests.map(({ endpoint }) => endpoint)).toEqual(
      scene.requests().map(({ method, endpoint }) => `${method} ${endpoint}`),
    );
    expect(lines.at(-1)).toMatchObject({ event: 'command.finished', command: 'plan', exit: 0 });
  });

  test('pretty, where that is asked for; nothing without a level', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const pretty = await scene.run(['validate', '--log-level', 'debug', '--log-format', 'pretty']);
    expect(pretty.stderr).toContain('validate finished');
    expect(pretty.stderr).not.toContain('{"');
    expect((await scene.run(['validate'])).stderr).not.toContain('finished');
  });
});

describe('--allow-unrouted', () => {
  const guarded = {
    seed: {
      account: { email: OWNER },
      domains: [
        {
          domain: 'xn--mnchen-3ya.example',
          aliases: [
            { alias: '*', forward: 'a@corp.example', created_at: '2026-02-01T00:00:00Z' },
            { alias: 'b', forward: 'b@corp.example' },
          ],
        },
      ],
    },
    manifest: 'domains:\n  münchen.example:\n    aliases: { "*": { state: absent }, b: b@corp.example }\n',
  };

  test('takes a domain as people write it', async () => {
    const scene = await commandScene(guarded);
    expect((await scene.run(['plan'])).code).toBe(4);
    const { code } = await scene.run(['plan', '--allow-unrouted', '*@München.example']);
    expect(code).toBe(0);
  });

  test.each([
    'sales',
    '@acme.example',
    'a b@acme.example',
    'a@acme',
    'a@b@acme.example',
    'a,b@acme.example',
    '',
  ])('64: %j is not an address', async (address) => {
    const scene = await commandScene(guarded);
    const { code, stderr } = await scene.run(['plan', '--allow-unrouted', address]);
    expect(code).toBe(64);
    expect(stderr).toContain('--allow-unrouted');
    expect(scene.requests()).toEqual([]);
  });
});

test.each(['999ms', '0.5s', '0s'])('64: --interval %s, which is under a second', async (interval) => {
  const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
  const { code, stderr } = await scene.run(['run', '--interval', interval]);
  expect([code, stderr]).toEqual([
    64,
    `error: --interval ${interval} is too short\n  try: give at least 1s\n`,
  ]);
});

describe('an invalid manifest with --format json prints the problems document', () => {
  const INVALID = 'domains:\n  acme.example:\n    alias: {}\n';
  const DOCUMENT = {
    kind: 'fwdsync/problems@1',
    problems: [expect.objectContaining({ severity: 'error', code: 'unknown-key' })],
    summary: expect.objectContaining({ errors: 1, files: 1 }) as unknown,
  };

  test.each([['plan'], ['apply', '--yes'], ['run', '--once'], ['route', 'sales@acme.example']])(
    '%s',
    async (...args) => {
      const scene = await commandScene({ seed: SEED, manifest: INVALID });
      const { code, stdout } = await scene.run([...args, '--format', 'json']);
      expect([code, JSON.parse(stdout)]).toEqual([5, DOCUMENT]);
      const byEnvironment = await scene.run(args, { env: { FWDSYNC_FORMAT: 'json' } });
      expect([byEnvironment.code, JSON.parse(byEnvironment.stdout)]).toEqual([5, DOCUMENT]);
      expect(scene.requests()).toEqual([]);
    },
  );

  test('apply, where only the account shows it', async () => {
    const rule = '64cffc51-580c-56bc-b6a5-d741eea021e1';
    const scene = await commandScene({
      seed: {
        domains: [
          {
            domain: 'acme.example',
            rules: [{ id: rule, type: 'alias', config: { alias: 'jobs', forward: 'a@corp.example' } }],
          },
        ],
      },
      manifest: `domains:
  acme.example:
    rules:
      - { name: vip, id: ${rule}, regex: x, scopes: [subject], forward: a@corp.example }
    credentials: { carol: { password: { env: CAROL } } }
`,
    });
    const { code, stdout } = await scene.run(['apply', '--yes', '--format', 'json']);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'rule-type-fixed' }] });
    await scene.manifest(
      'domains:\n  acme.example:\n    credentials: { carol: { password: { env: CAROL } } }\n',
    );
    const unset = await scene.run(['apply', '--yes', '--format', 'json']);
    expect([unset.code, scene.writes()]).toEqual([5, []]);
    expect(JSON.parse(unset.stdout)).toMatchObject({ problems: [{ code: 'reference-not-set' }] });
  });

  test('two accounts with one domain', async () => {
    const scene = await commandScene({ seed: SEED });
    await mkdir(join(scene.directory, 'accounts'));
    for (const name of ['a', 'b']) {
      await writeFile(
        join(scene.directory, 'accounts', `${name}.yaml`),
        `version: 1\napi: { account: ${name}@x.example, key: { env: K } }\n${MANIFEST}`,
      );
    }
    const { code, stdout } = await scene.run(['plan', '--accounts', 'accounts', '--format', 'json']);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { errors: 2, files: 2, domains: 2 } });
  });
});
