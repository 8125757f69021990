import { randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startDns } from '../../support/dns/dns-server.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { commandScene, OWNER, type CommandScene } from '../support/scene.ts';

const MANIFEST = 'domains:\n  acme.example:\n    aliases:\n      sales: { env: BOSS }\n';
const BOSS = 'boss@home.example';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

/** An account that was applied with a state directory, and an empty store. */
async function appliedScene(): Promise<{ scene: CommandScene; store: Readonly<Record<string, string>> }> {
  const seed = { domains: [{ domain: 'acme.example' }] };
  const scene = await commandScene({ seed, manifest: MANIFEST });
  expect((await scene.run(['apply', '--yes'], { env: { BOSS } })).code).toBe(0);
  const key = randomBytes(32).toString('base64');
  return { scene, store: { FWDSYNC_STORE: await server.createDatabase(), FWDSYNC_STORE_KEY: key, BOSS } };
}

test('the content of a directory is in the store afterwards, and works there', async () => {
  const { scene, store: env } = await appliedScene();
  const imported = await scene.run(['state', 'import', 'state'], { env });
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  expect(imported.stdout).toBe(`${OWNER}: imported 1 domain, 1 snapshot, 1 report, 4 lines of history\n`);
  const documents = async (more: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const lines = [['history'], ['blame', 'sales@acme.example'], ['plan', '--quick']];
    const printed: unknown[] = [];
    for (const line of lines) {
      const { stdout } = await scene.run([...line, '--format', 'json'], { env: { BOSS, ...more } });
      printed.push({ ...(JSON.parse(stdout) as object), createdAt: null, seal: null, checksum: null });
    }
    return printed;
  };
  expect(await documents(env)).toEqual(await documents({}));
  const shown = await scene.run(['route', 'sales@acme.example', '--live'], { env: { ...env, BOSS: '' } });
  expect(shown.stdout).toContain('{ env: BOSS }');
  expect((await scene.run(['apply', '-f', 'store:snapshot/1', '--yes'], { env })).code).toBe(4);
});

test('a move goes on in the store', async () => {
  const { scene, store: env } = await appliedScene();
  const dns = await startDns(['acme.example']);
  const move = (more: Readonly<Record<string, string>>) =>
    scene.run(['move', 'acme.example', '--resolver', dns.resolver], { env: { BOSS, ...more } });
  dns.put('acme.example', 'MX', ['10 mail.acme.example'], { ttl: 7200 });
  expect((await move({})).stdout).toContain('do: lower the TTL of the MX records to 300');
  expect((await scene.run(['state', 'import', 'state'], { env })).code).toBe(0);
  dns.put('acme.example', 'MX', ['10 mail.acme.example'], { ttl: 300 });
  expect((await move(env)).stdout).toContain('resolvers may still keep the longer TTL');
});

test('an account with data in the store is refused, and so is an unknown account', async () => {
  const { scene, store: env } = await appliedScene();
  expect((await scene.run(['state', 'import', 'state'], { env })).code).toBe(0);
  await mkdir(join(scene.directory, 'state', 'unknown'), { mode: 0o700 });
  const again = await scene.run(['state', 'import', 'state'], { env });
  expect(again.code).toBe(1);
  expect(again.stdout).toBe(
    `${OWNER}: not imported: the store already has state of this account; use that, or import into an empty database\n` +
      'unknown: not imported: neither its name nor its history names the account\n',
  );
  expect((await scene.run(['state', 'import', 'none'], { env })).code).toBe(1);
  expect((await scene.run(['state', 'import', 'state'])).code).toBe(64);
});

test('the history comes in the order of writing, also where a clock was years ahead', async () => {
  const scene = await commandScene({ seed: { domains: [{ domain: 'acme.example' }] } });
  const YEARS = 60 * 365 * 86_400_000;
  for (const [index, skew] of [0, YEARS, 0, 0].entries()) {
    scene.clock.advance(skew);
    await scene.manifest(`domains: { acme.example: { aliases: { sales: n${index}@corp.example } } }`);
    expect((await scene.run(['apply', '--yes'])).code).toBe(0);
    scene.clock.advance(86_400_000 - skew);
  }
  const env = { FWDSYNC_STORE: await server.createDatabase() };
  expect((await scene.run(['state', 'import', 'state'], { env })).code).toBe(0);
  const [inStore, inDirectory] = [
    await scene.run(['blame', 'sales@acme.example'], { env }),
    await scene.run(['blame', 'sales@acme.example']),
  ];
  expect(inStore.stdout.match(/n\d@/g)).toEqual(['n2@', 'n3@', 'n1@', 'n2@', 'n0@', 'n1@', 'n0@']);
  expect(inStore.stdout).toBe(inDirectory.stdout);
});

test('a run that is at work in the directory is waited for', async () => {
  const { scene, store: env } = await appliedScene();
  await cp(join(scene.directory, 'state'), join(scene.directory, 'other'), { recursive: true });
  const [store] = await Promise.all([
    scene.run(['state', 'import', 'state'], { env }),
    scene.run(['state', 'import', 'other'], { env }),
  ]);
  const kept = await server.run(
    env['FWDSYNC_STORE'] ?? '',
    'SELECT count(*)::int AS count FROM fwdsync.domains',
  );
  expect([kept, store.stderr]).toEqual([[{ count: 1 }], '']);
});
