import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { commandScene, OWNER, type CommandScene, type Output } from '../support/scene.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

interface PublishScene {
  readonly scene: CommandScene;
  /** `fwdsync publish` with the store of the scene. */
  readonly publish: (...args: readonly string[]) => Promise<Output>;
  readonly env: Readonly<Record<string, string>>;
  /** Writes the manifest of an account below `accounts/`. */
  readonly write: (name: string, domains: readonly string[], more?: string) => Promise<void>;
  readonly url: string;
}

async function openScene(): Promise<PublishScene> {
  const scene = await commandScene({ seed: { domains: [{ domain: 'a.example' }] } });
  const url = await server.createDatabase();
  const env = { FWDSYNC_STORE: url, FWDSYNC_STORE_KEY: randomBytes(32).toString('base64') };
  await mkdir(join(scene.directory, 'accounts'));
  return {
    scene,
    env,
    url,
    publish: (...args) => scene.run(['publish', ...args], { env }),
    async write(name, domains, more = 'x: x@corp.example') {
      const lines = domains.map((domain) => `  ${domain}:\n    aliases:\n      ${more}\n`);
      const api = `api: { account: ${name}@agency.example, key: { env: KEY } }`;
      const text = `version: 1\n${api}\ndomains:\n${lines.join('')}`;
      await writeFile(join(scene.directory, 'accounts', `${name}.yaml`), text);
    },
  };
}

function documentIn({ stdout }: Output): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

describe('revisions', () => {
  test('count from 1 for each account; the same text again is none; others stay and are listed', async () => {
    const { write, publish, url } = await openScene();
    await write('one', ['a.example']);
    await write('two', ['b.example']);
    const first = await publish('--accounts', 'accounts', '--format', 'json');
    expect([first.code, documentIn(first)]).toMatchObject([
      0,
      {
        accounts: [
          { account: 'one@agency.example', revision: 1, changed: true, domains: { added: ['a.example'] } },
          { account: 'two@agency.example', revision: 1, changed: true },
        ],
        others: [],
      },
    ]);
    await write('two', ['b.example', 'c.example']);
    const second = await publish('--accounts', 'accounts');
    expect(second.stdout).toBe(
      'one@agency.example: no changes, revision 1\n' +
        'two@agency.example: published as revision 2: 1 domain added (c.example)\n',
    );
    await write('two', ['c.example'], 'y: y@corp.example');
    const third = await publish('-f', 'accounts/two.yaml');
    expect(third.stdout).toBe(
      'two@agency.example: published as revision 3: 1 domain changed (c.example), 1 domain removed (b.example)\n' +
        'one@agency.example: not named, stays at revision 1\n',
    );
    const rows = await server.run(url, 'SELECT * FROM fwdsync.revisions');
    expect(rows).toHaveLength(4);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('corp.example').toString('hex'));
  });

  test('an earlier one comes back as a new one; what is removed keeps its count', async () => {
    const { write, publish } = await openScene();
    for (const domain of ['a.example', 'b.example']) {
      await write('one', [domain]);
      await publish('-f', 'accounts/one.yaml');
    }
    const account = ['--account', 'one@agency.example'];
    const back = await publish(...account, '--rollback', '1', '--format', 'json');
    expect(documentIn(back)).toMatchObject({
      accounts: [{ revision: 3, changed: true, domains: { added: ['a.example'], removed: ['b.example'] } }],
    });
    expect((await publish(...account, '--rollback', '3')).stdout).toContain('no changes, revision 3');
    expect(await publish(...account, '--rollback', '9')).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('has no revision 9; revision 3 is published now') as unknown,
    });
    expect((await publish('--account', 'none@agency.example', '--rollback', '1')).code).toBe(64);
    const removed = await publish('--remove', 'ONE@agency.example', '--format', 'json');
    expect(documentIn(removed)).toMatchObject({ accounts: [{ revision: null, changed: true }], others: [] });
    expect((await publish('-f', 'accounts/one.yaml')).stdout).toContain('published as revision 4');
  });

  describe.each([
    ['bytes that do not open', '\\x00'],
    ['JSON that is no manifest', Buffer.from('{"texts":1}')],
  ])('a revision that is damaged: %s', (_, bytes) => {
    const ACCOUNT = ['--account', 'one@agency.example'];
    async function damagedScene(): Promise<PublishScene> {
      const scene = await openScene();
      for (const domain of ['a.example', 'b.example']) {
        await scene.write('one', [domain]);
        await scene.publish('-f', 'accounts/one.yaml');
      }
      const client = new pg.Client({ connectionString: scene.url });
      await client.connect();
      await client.query('UPDATE fwdsync.revisions SET manifest = $1 WHERE revision = 2', [bytes]);
      await client.end();
      return scene;
    }

    test('the others are published with it, and the same text repairs it', async () => {
      const { write, publish } = await damagedScene();
      await write('two', ['c.example']);
      const { code, stdout, stderr } = await publish('--accounts', 'accounts');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('one@agency.example: published as revision 3: 1 domain added (b.example)\n');
      expect(stdout).toContain('two@agency.example: published as revision 1');
    });

    test('an earlier one can be taken back to, itself not, and it can be removed', async () => {
      const { scene, env, publish } = await damagedScene();
      const plan = await scene.run(['plan', '-f', 'store:manifest/one@agency.example'], { env });
      expect(plan).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('revision 2 of one@agency.example is damaged') as unknown,
      });
      expect(await publish(...ACCOUNT, '--rollback', '2')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          'revision 2 of one@agency.example is damaged in the store',
        ) as unknown,
      });
      expect((await publish(...ACCOUNT, '--rollback', '1')).stdout).toContain('published as revision 3');
      expect((await publish('--remove', 'one@agency.example')).code).toBe(0);
    });
  });

  test('when many publish at once, each text becomes one revision', async () => {
    const { write, scene, env, url } = await openScene();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await write(name, [`${name}.example`]);
    await Promise.all(
      Array.from({ length: 3 }, () => scene.run(['publish', '--accounts', 'accounts'], { env })),
    );
    const rows = await server.run(
      url,
      'SELECT account::int, revision::int FROM fwdsync.revisions ORDER BY 1',
    );
    expect(rows.map(({ revision }) => revision)).toEqual([1, 1, 1, 1]);
  });

  test('plan and apply take what is published, and no file', async () => {
    const { scene, publish, env } = await openScene();
    await scene.manifest(
      `api: { account: ${OWNER} }\ndomains: { a.example: { aliases: { x: x@corp.example } } }\n`,
    );
    expect(await publish()).toMatchObject({ code: 0, stderr: '' });
    const line = ['apply', '-f', `store:manifest/${OWNER}`, '--yes'];
    expect((await scene.run(line, { env })).code).toBe(0);
    expect(scene.emulator.store.dump().domains[0]?.aliases).toMatchObject([{ alias: 'x' }]);
    const none = ['plan', '-f', 'store:manifest/none@agency.example'];
    expect(await scene.run(none, { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is published'),
    });
    expect((await scene.run(['run', ...line.slice(1, 3)], { env })).code).toBe(64);
  });
});

describe('what is refused', () => {
  test('one invalid account: 5, and nothing is stored of any', async () => {
    const { write, publish, url, scene } = await openScene();
    await write('one', ['a.example']);
    await write('two', ['b.example'], 'x: nobody');
    const refused = await publish('--accounts', 'accounts');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('accounts/two.yaml:6');
    await write('two', ['b.example'], 'x: { file: boss }');
    const relative = await publish('--accounts', 'accounts', '--format', 'json');
    expect(relative.code).toBe(5);
    expect(documentIn(relative)).toMatchObject({
      problems: [{ code: 'reference-refused', source: { file: 'accounts/two.yaml', line: 6 } }],
    });
    await write('two', ['a.example']);
    expect((await publish('--accounts', 'accounts')).code).toBe(5);
    expect(scene.requests()).toEqual([]);
    expect(await server.run(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'fwdsync'`)).toEqual([]);
  });

  test('a domain that another account has published: 5, with its place; moved in one publish it passes', async () => {
    const { write, publish, scene, env, url } = await openScene();
    await write('one', ['a.example', 'b.example']);
    await write('two', ['c.example']);
    await publish('--accounts', 'accounts');
    await write('two', ['b.example']);
    const refused = await publish('-f', 'accounts/two.yaml');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('accounts/two.yaml:4:3');
    expect(refused.stderr).toContain(
      'the domain b.example of two@agency.example is already published for another account, one@agency.example',
    );
    expect(refused.stderr).toContain('publish --remove one@agency.example');
    await write('one', ['a.example']);
    expect((await publish('--accounts', 'accounts')).code).toBe(0);
    const back = ['--account', 'one@agency.example', '--rollback', '1'];
    expect(await publish(...back)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('accounts/one.yaml:7:3'),
    });
    await publish('--remove', 'two@agency.example');
    expect((await publish(...back)).code).toBe(0);
    await write('three', ['new.example']);
    await write('four', ['new.example']);
    const codes = ['three', 'four'].map((name) =>
      scene.run(['publish', '-f', `accounts/${name}.yaml`], { env }),
    );
    expect(new Set((await Promise.all(codes)).map(({ code }) => code))).toEqual(new Set([0, 5]));
    expect(await server.run(url, 'SELECT count(*)::int FROM fwdsync.revisions')).toEqual([{ count: 6 }]);
  });

  describe('a reference that no worker would resolve', () => {
    const API_KEY = 'it is the API key of an account';

    test.each([
      [
        'a variable of fwdsync',
        'x: { env: FWDSYNC_STORE_KEY }',
        'it is a variable that fwdsync itself uses',
        '6:10',
      ],
      ['its own key', 'x: [a@b.example, { env: KEY }]', API_KEY, '6:24'],
      [
        'as a password',
        'x: a@corp.example\n    credentials: { x: { password: { env: KEY } } }',
        API_KEY,
        '7:35',
      ],
      [
        'in a template',
        'x: a@b.example\ntemplates: { t: { aliases: { y: { env: KEY } } } }',
        API_KEY,
        '7:33',
      ],
    ])('%s: 5, and nothing is stored', async (_, aliases, reason, place) => {
      const { write, publish, url, scene } = await openScene();
      await write('one', ['a.example']);
      await write('two', ['b.example'], aliases);
      const refused = await publish('--accounts', 'accounts');
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused.stderr).toContain(`accounts/two.yaml:${place}`);
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(`cannot be used: ${reason}`);
      expect(scene.requests()).toEqual([]);
      expect(await server.run(url, 'SELECT * FROM fwdsync.revisions')).toEqual([]);
    });

    test('the key of an account in the store: 5, for an earlier revision too', async () => {
      const { write, publish, scene, url } = await openScene();
      await write('two', ['b.example'], 'x: { env: OTHER }');
      expect((await publish('-f', 'accounts/two.yaml')).code).toBe(0);
      await write('two', ['b.example']);
      expect((await publish('-f', 'accounts/two.yaml')).code).toBe(0);
      await write('one', ['a.example']);
      const text = await readFile(join(scene.directory, 'accounts/one.yaml'), 'utf8');
      await writeFile(join(scene.directory, 'accounts/one.yaml'), text.replace('env: KEY', 'env: OTHER'));
      expect((await publish('-f', 'accounts/one.yaml')).code).toBe(0);
      await write('two', ['b.example'], 'x: { env: OTHER }');
      const account = ['--account', 'two@agency.example'];
      for (const args of [
        ['-f', 'accounts/two.yaml'],
        [...account, '--rollback', '1'],
      ]) {
        const refused = await publish(...args, '--format', 'json');
        expect(refused.code).toBe(5);
        expect(documentIn(refused)).toMatchObject({
          problems: [
            {
              code: 'reference-refused',
              message: `{ env: OTHER } cannot be used: ${API_KEY}`,
              source: { file: 'accounts/two.yaml', line: 6, column: 10 },
            },
          ],
        });
      }
      expect(await server.run(url, 'SELECT count(*)::int FROM fwdsync.revisions')).toEqual([{ count: 3 }]);
      await publish('--remove', 'one@agency.example');
      expect((await publish('-f', 'accounts/two.yaml')).code).toBe(0);
    });

    test('a relative file as a password: 5', async () => {
      const { write, publish } = await openScene();
      await write(
        'one',
        ['a.example'],
        'x: a@corp.example\n    credentials: { x: { password: { file: p } } }',
      );
      const refused = await publish('-f', 'accounts/one.yaml');
      expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('accounts/one.yaml:7:35') });
    });
  });

  test('values of references and keys are not in the store', async () => {
    const { write, scene, env, url } = await openScene();
    await write('one', ['a.example'], 'x: { env: BOSS }');
    const values = { ...env, FWDSYNC_STORE_KEY: '', BOSS: 'boss@home.example', KEY: 'key-of-one-account' };
    const published = await scene.run(['publish', '-f', 'accounts/one.yaml'], { env: values });
    expect(published.code).toBe(0);
    const [row] = await server.run(
      url,
      `SELECT convert_from(manifest, 'UTF8') AS text FROM fwdsync.revisions`,
    );
    expect(row?.['text']).toContain('{ env: BOSS }');
    expect(row?.['text']).not.toMatch(/boss@home|key-of-one/);
  });

  test.each([
    [[], {}, 'publish needs a store'],
    [['--rollback', '1'], { FWDSYNC_STORE: 'postgres://u@127.0.0.1:1/x' }, 'add --account EMAIL'],
    [
      ['--remove', 'a@b.example', '-f', 'x.yaml'],
      { FWDSYNC_STORE: 'postgres://u@127.0.0.1:1/x' },
      'give it alone',
    ],
    [
      ['--rollback', '0', '--account', 'a@b.example'],
      { FWDSYNC_STORE: 'postgres://u@127.0.0.1:1/x' },
      'a whole number, 1 or more',
    ],
  ])('%j: 64', async (args, env, said) => {
    const scene = await commandScene();
    const ended = await scene.run(['publish', ...args], { env });
    expect(ended).toMatchObject({ code: 64, stderr: expect.stringContaining(said) });
  });
});
