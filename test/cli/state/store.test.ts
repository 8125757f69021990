import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabases } from '../../support/postgres.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { commandScene, type CommandScene } from '../support/scene.ts';

const KEY = randomBytes(32).toString('base64');
const PASSWORD = 'hunter2';
const MANIFEST = 'domains:\n  acme.example:\n    aliases:\n      sales: ana@corp.example\n';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

/** A scene with its state in a separate store. */
async function storeScene(): Promise<CommandScene & { readonly store: Readonly<Record<string, string>> }> {
  const url = (await server.createDatabase()).replace('postgres@', `postgres:${PASSWORD}@`);
  const seed = { domains: [{ domain: 'acme.example' }] };
  const scene = await commandScene({ seed, manifest: MANIFEST });
  return { ...scene, store: { FWDSYNC_STORE: url, FWDSYNC_STORE_KEY: KEY } };
}

test('if the state cannot be read, nothing is written, because the guards have nothing to compare with', async () => {
  const scene = await storeScene();
  const { store: env, emulator } = scene;
  const url = env['FWDSYNC_STORE'] ?? '';
  await scene.run(['apply', '--yes'], { env });
  await scene.manifest(MANIFEST.replace('ana@', 'bea@'));
  const before = emulator.store.dump();
  await server.run(url, 'ALTER TABLE fwdsync.domains RENAME TO moved');
  const refused = await scene.run(['apply', '--yes'], { env });
  expect([refused.code, emulator.store.dump()]).toEqual([1, before]);
  expect(refused.stderr).toContain('in the store cannot be read: relation "fwdsync.domains" does not exist');
  await server.run(url, 'ALTER TABLE fwdsync.moved RENAME TO domains');
  expect((await scene.run(['apply', '--yes'], { env })).code).toBe(0);
});

describe('the state of a command is in the store', () => {
  test('apply keeps it there, plan --quick finds it, and its snapshot undoes it', async () => {
    const scene = await storeScene();
    const { store: env, directory, emulator } = scene;
    const applied = await scene.run(['apply', '--yes'], { env });
    expect(applied.code).toBe(0);
    expect(applied.stdout).toMatch(/^snapshot: fwdsync apply -f store:snapshot\/1$/m);
    expect(existsSync(join(directory, 'state'))).toBe(false);
    const quick = await scene.run(['plan', '--quick', '--format', 'json'], { env });
    expect(JSON.parse(quick.stdout)).toMatchObject({ changes: [], options: { domains: [] } });
    const line = ['apply', '-f', 'store:snapshot/1', '--allow-empty', 'acme.example/aliases', '--yes'];
    const undone = await scene.run(line, { env });
    expect(undone.code).toBe(0);
    expect(emulator.store.dump().domains[0]?.aliases).toEqual([]);
  });

  test('history, blame and undo find there what apply recorded', async () => {
    const scene = await storeScene();
    const { store: env } = scene;
    await scene.run(['apply', '--yes'], { env });
    const history = await scene.run(['history', '--format', 'json'], { env });
    expect(JSON.parse(history.stdout)).toMatchObject({ runs: [{ command: 'apply', outcome: 'converged' }] });
    const blame = await scene.run(['blame', 'sales@acme.example', '--format', 'json'], { env });
    expect(JSON.parse(blame.stdout)).toMatchObject({
      entries: [{ action: 'add', to: { forward: 'ana@corp.example' } }],
    });
    const other = { ...env, FWDSYNC_ACCOUNT: 'other@account.example' };
    expect(
      JSON.parse((await scene.run(['history', '--format', 'json'], { env: other })).stdout),
    ).toMatchObject({
      runs: [],
    });
    expect((await scene.run(['history', 'none'], { env })).code).toBe(64);
    const { runs } = JSON.parse(history.stdout) as { readonly runs: readonly [{ readonly id: string }] };
    const undone = await scene.run(['undo', '--yes', runs[0].id], { env });
    expect(undone.code, undone.stdout).toBe(0);
    expect(scene.emulator.store.dump().domains[0]?.aliases).toEqual([]);
  });

  test.runIf(IS_FULL)('undo reverses what the store recorded of the last run', async () => {
    const scene = await storeScene();
    const { store: env } = scene;
    await scene.run(['apply', '--yes'], { env });
    const [run] = (
      JSON.parse((await scene.run(['history', '--format', 'json'], { env })).stdout) as {
        readonly runs: readonly { readonly id: string }[];
      }
    ).runs;
    const allowed = ['--allow-unrouted', 'sales@acme.example'];
    const undone = await scene.run(['undo', run?.id ?? '', '--yes', ...allowed], { env });
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(scene.emulator.store.dump().domains[0]?.aliases).toEqual([]);
  });

  test('run --once keeps it there too, and the URL may come from a file', async () => {
    const scene = await storeScene();
    const { store, directory } = scene;
    await writeFile(join(directory, 'url'), `${store['FWDSYNC_STORE']}\n`);
    const env = { FWDSYNC_STORE_FILE: 'url', FWDSYNC_STORE_KEY: KEY };
    const once = await scene.run(['run', '--once', '-f', 'fwdsync.yaml'], { env });
    expect(once.code).toBe(0);
    expect(once.stdout).not.toContain(PASSWORD);
    expect(existsSync(join(directory, 'state'))).toBe(false);
    const rows = await server.run(
      store['FWDSYNC_STORE'] ?? '',
      'SELECT kind FROM fwdsync.documents ORDER BY id',
    );
    expect(rows).toEqual([{ kind: 'snapshot' }, { kind: 'report' }]);
  });

  test('earlier values behind references are hidden by their fingerprints in the store', async () => {
    const scene = await storeScene();
    const { store } = scene;
    await scene.manifest(MANIFEST.replace('ana@corp.example', '{ env: BOSS }'));
    const env = { ...store, BOSS: 'boss@home.example' };
    expect((await scene.run(['apply', '--yes'], { env })).code).toBe(0);
    const shown = await scene.run(['route', 'sales@acme.example', '--live'], { env: store });
    expect(shown.stdout).not.toContain('boss@home');
    expect(shown.stdout).toContain('{ env: BOSS }');
  });
});

describe('what is refused', () => {
  const cases: readonly (readonly [
    string,
    number,
    readonly string[],
    Readonly<Record<string, string>>,
    string,
  ])[] = [
    [
      'a password in the flag',
      64,
      ['--store', `postgres://ops:${PASSWORD}@127.0.0.1/x`],
      {},
      'FWDSYNC_STORE',
    ],
    ['what is no URL', 64, [], { FWDSYNC_STORE: PASSWORD }, 'postgres://USER@HOST:5432/DATABASE'],
    [
      'another machine without TLS',
      64,
      ['--store', 'postgres://ops@10.0.0.7/x?sslmode=disable'],
      {},
      'verify-full',
    ],
    ['a directory as well', 64, ['--state-dir', 'state'], {}, 'cannot be used together'],
    ['a key that is none', 64, [], { FWDSYNC_STORE_KEY: 'c2hvcnQ=' }, 'openssl rand -base64 32'],
    [
      'another key',
      64,
      [],
      { FWDSYNC_STORE_KEY: randomBytes(32).toString('base64') },
      'not the key of this store',
    ],
    ['no key', 64, [], { FWDSYNC_STORE_KEY: '' }, 'FWDSYNC_STORE_KEY is not set'],
    ['a database that is not there', 1, ['--store', 'postgres://ops@127.0.0.1:1/x'], {}, 'ECONNREFUSED'],
    ['a file that is not there', 1, [], { FWDSYNC_STORE: '', FWDSYNC_STORE_FILE: 'none' }, 'cannot be read'],
    ['a snapshot that is not there', 1, ['-f', 'store:snapshot/99'], {}, 'has no store:snapshot/99'],
    ['a snapshot beside a file', 64, ['-f', 'store:snapshot/9', '-f', 'fwdsync.yaml'], {}, 'give it alone'],
  ];

  test('says what and why, sends nothing, and shows neither URL nor password', async () => {
    const scene = await storeScene();
    const { store } = scene;
    expect((await scene.run(['plan'], { env: store })).code).toBe(0);
    const before = scene.requests().length;
    for (const [what, code, args, env, said] of everyNth(2, cases)) {
      const ended = await scene.run(['plan', ...args], { env: { ...store, ...env } });
      expect([what, ended.code, ended.stdout]).toEqual([what, code, '']);
      expect(ended.stderr).toContain(said);
      expect(ended.stderr).not.toContain(PASSWORD);
      expect(ended.stderr).not.toContain('postgres://ops');
    }
    expect(scene.requests()).toHaveLength(before);
    const unnamed = await scene.run(['plan', '-f', 'store:snapshot/1']);
    expect(unnamed).toMatchObject({ code: 64, stderr: expect.stringContaining('give --store') });
  });

  test('a reference whose value is the URL or the key of the store', async () => {
    const scene = await storeScene();
    const { store } = scene;
    for (const name of ['FWDSYNC_STORE', 'FWDSYNC_STORE_KEY']) {
      await scene.manifest(MANIFEST.replace('ana@corp.example', `{ env: ${name} }`));
      const ended = await scene.run(['plan'], { env: store });
      expect(ended.code).toBe(5);
      expect(ended.stderr).not.toContain(PASSWORD);
    }
  });
});

test('without a key a command warns that the store is readable', async () => {
  const scene = await storeScene();
  const { store } = scene;
  const ended = await scene.run(['plan'], { env: { ...store, FWDSYNC_STORE_KEY: '' } });
  expect(ended.stderr).toContain('the store keeps addresses in clear');
  expect(ended.code).toBe(0);
});
