import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliverMessage } from '../src/emulator/delivery.ts';
import type { Fault } from '../src/emulator/faults.ts';
import { commandScene, OWNER, type CommandScene } from './cli/scene.ts';

/** With characters that every encoding writes in another way. */
const PLANTED = {
  key: 'k3y-of-"the"\\acc0unt/+&=%',
  password: 'p4ss "word"\\ with + & / ümläut',
  changed: 'an0ther "p4ss"\\ with + & / ümläut',
  short: 'sh"0rt+',
  fromFile: 'fr0m-a-f1le/with+"odd"\\signs',
  destination: 'th3.boss+private@secret-corp.example',
};

const ENCODINGS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 of api:KEY': (value) => Buffer.from(`api:${value}`).toString('base64'),
  'URL-encoded': encodeURIComponent,
  'JSON-escaped': (value) => JSON.stringify(value).slice(1, -1),
  hex: (value) => Buffer.from(value).toString('hex'),
};

const MANIFEST = `api: { account: ${OWNER} }
destinations:
  boss: { env: BOSS }
domains:
  acme.example:
    verify: true
    aliases:
      sales: boss
      info: [boss, ana@corp.example]
    rules:
      - { name: vip, alias: vip, forward: boss }
    credentials:
      carol: { password: { env: CAROL } }
      dan: { password: { file: secret.txt } }
`;

const SEED = {
  domains: [
    {
      domain: 'acme.example',
      routing_engine: 'rules' as const,
      forwarding_ready: false,
      aliases: [{ alias: 'old', forward: PLANTED.destination }],
    },
  ],
};

interface Search {
  readonly scene: CommandScene;
  /** Runs a command and remembers all that it printed. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<number>;
  /** Where a planted value was found; empty: nowhere. */
  readonly findings: () => Promise<readonly string[]>;
}

async function open(version: 'v4' | 'v3'): Promise<Search> {
  const scene = await commandScene({
    version,
    seed: SEED,
    manifest: MANIFEST,
    server: { apiKey: PLANTED.key },
  });
  await writeFile(join(scene.directory, 'secret.txt'), `${PLANTED.fromFile}\n`);
  const printed: { readonly where: string; readonly text: string }[] = [];
  const values = { FWDSYNC_API_KEY: PLANTED.key, CAROL: PLANTED.password, BOSS: PLANTED.destination };
  return {
    scene,
    async run(args, env = {}) {
      const { code, stdout, stderr } = await scene.run(args, { env: { ...values, ...env } });
      printed.push({ where: `standard output of ${args.join(' ')}`, text: stdout });
      printed.push({ where: `standard error of ${args.join(' ')}`, text: stderr });
      return code;
    },
    async findings() {
      const files = await filesOf(scene.directory);
      return [...printed, ...files].flatMap(({ where, text }) => searchIn(where, text));
    },
  };
}

async function filesOf(directory: string): Promise<{ readonly where: string; readonly text: string }[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'secret.txt');
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { where: path, text: await readFile(path, 'utf8') };
    }),
  );
}

function searchIn(where: string, text: string): readonly string[] {
  const lower = text.toLowerCase();
  return Object.entries(PLANTED).flatMap(([name, value]) =>
    Object.entries(ENCODINGS)
      .filter(([, encode]) => lower.includes(encode(value).toLowerCase()))
      .map(([encoding]) => `${name} (${encoding}) in ${where}`),
  );
}

/** A service that repeats what it was sent. */
function echo(code: number, match: Fault['match'], value: string): Fault {
  const message = `refused: ${value}`;
  const body = { message, errors: { password: [message, value] } };
  return { match: { times: 'always', ...match }, do: { kind: 'status', code, body } };
}

const CREDENTIALS = { method: 'POST', endpoint: '/domains/:domain/credentials' };
const ALIASES = { method: 'POST', endpoint: '/domains/:domain/aliases/batch' };

describe.each(['v4', 'v3'] as const)(
  'no planted value is in any output, file or log, through %s',
  (version) => {
    test('of a run of all commands', { timeout: 60_000 }, async () => {
      const { scene, run, findings } = await open(version);
      const { store } = scene.emulator;
      expect(await run(['validate'])).toBe(0);
      for (const format of ['text', 'json', 'markdown', 'github']) {
        expect(await run(['plan', '--format', format])).toBe(0);
      }
      expect(await run(['plan', '--out', 'plan.json'])).toBe(0);
      expect(await run(['show', 'plan.json'])).toBe(0);
      expect(await run(['apply', '--yes', '--log-level', 'trace'])).toBe(0);
      expect(store.dump().domains[0]?.credentials.map(({ password }) => password)).toEqual([
        PLANTED.password,
        PLANTED.fromFile,
      ]);
      expect(await run(['apply', '--yes', '--format', 'json'], { CAROL: PLANTED.changed })).toBe(0);
      expect(await run(['apply', '--yes', '--rotate', 'dan@acme.example'])).toBe(0);
      expect(await run(['run', '--once', '--log-level', 'trace'])).toBe(0);
      deliverMessage(store.state, { to: 'vip@acme.example', from: PLANTED.destination, subject: 'hello' });
      deliverMessage(store.state, { to: 'sales@acme.example', from: 'x@corp.example', outcome: 'BOUNCED' });
      for (const format of ['text', 'json']) {
        expect(await run(['logs', 'acme.example', '--format', format])).toBe(0);
        expect(await run(['route', 'sales@acme.example', '--format', format])).toBe(0);
        expect(await run(['route', 'vip@acme.example', '--live', '--format', format])).toBe(0);
        expect(await run(['verify', '--format', format])).toBe(2);
        expect(await run(['account', '--format', format])).toBe(0);
      }
      expect(await run(['export'])).toBe(0);
      expect(await run(['export', '--out-dir', 'exported'])).toBe(0);
      expect(await findings()).toEqual([]);
    });

    test('of commands that fail', { timeout: 60_000 }, async () => {
      const { scene, run, findings } = await open(version);
      const { faults } = scene.emulator;
      // Of one credential alone: a service cannot repeat a password that it was not sent yet.
      await scene.manifest(MANIFEST.replace(/ +dan: .*\n/, ''));
      const fail = async (
        scripted: readonly Fault[],
        code: number,
        args: readonly string[],
        env = {},
      ): Promise<void> => {
        faults.clear();
        for (const fault of scripted) faults.push(fault);
        expect([args, await run(args, env)]).toEqual([args, code]);
      };
      const apply = ['apply', '--yes'];
      const basic = Buffer.from(`api:${PLANTED.key}`).toString('base64');
      await fail([echo(401, { method: 'GET' }, PLANTED.key)], 1, ['plan']);
      await fail([echo(403, { method: 'GET' }, `Authorization: Basic ${basic}`)], 1, [
        'logs',
        'acme.example',
      ]);
      await fail([], 1, ['account'], { FWDSYNC_API_KEY: `${PLANTED.key}x` });
      await fail([], 1, ['account'], { FWDSYNC_API_KEY: `${PLANTED.key}\nx` });
      await fail([], 1, ['plan'], { FWDSYNC_API_URL: `http://127.0.0.1:1/${version}` });
      await fail([], 64, ['plan'], { FWDSYNC_API_URL: 'http://api.example/v4' });
      await fail([], 5, apply, { CAROL: PLANTED.short });
      await fail([], 5, ['plan'], { BOSS: `${PLANTED.destination} ${PLANTED.destination}` });
      for (const code of [400, 500]) {
        const repeated = [
          echo(code, CREDENTIALS, PLANTED.password),
          echo(code, ALIASES, PLANTED.destination.toUpperCase()),
        ];
        await fail(repeated, 3, apply);
      }
      await fail([], 64, ['plan'], { FWDSYNC_ACCOUNT: 'other@account.example' });
      await fail([], 0, ['plan', '--out', 'plan.json']);
      await scene.manifest(MANIFEST.replace('sales: boss', 'sales: [boss, ana@corp.example]'));
      await fail([], 6, ['apply', 'plan.json', '--yes']);
      expect(await findings()).toEqual([]);
    });
  },
);

test('the search finds each value in each encoding', () => {
  for (const [name, value] of Object.entries(PLANTED)) {
    for (const [encoding, encode] of Object.entries(ENCODINGS)) {
      expect(searchIn('here', `<${encode(value)}>`)).toContain(`${name} (${encoding}) in here`);
    }
  }
});
