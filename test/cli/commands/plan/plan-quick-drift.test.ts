import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { startEmulator } from '../../../../src/emulator/http/server.ts';
import { byHand } from '../../../support/by-hand.ts';
import { commandScene, KEY, type CommandScene } from '../../support/scene.ts';

const MANIFEST = `lint: { off: [no-postmaster, no-abuse] }
domains:
  acme.example:
    aliases: { sales: carol@corp.example }
    rules: [{ name: jobs, alias: jobs, forward: carol@corp.example }]
  other.example:
    notification_email: ana@corp.example
    prune: { aliases: true }
    aliases: { info: ana@corp.example }
`;
const SEED = [{ domain: 'acme.example' }, { domain: 'other.example' }];

/** Both domains match the manifest, and the state directory has a record of it. */
async function settledScene(
  manifest = MANIFEST,
  domains: readonly SeedDomain[] = SEED,
): Promise<CommandScene> {
  const scene = await commandScene({ seed: { domains }, manifest });
  const { code, stdout, stderr } = await scene.run(['apply', '--yes']);
  expect(code, `${stdout}${stderr}`).toBe(0);
  return scene;
}

interface Quick {
  readonly code: number;
  /** Domains that requests addressed by name. */
  readonly read: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

async function quickly(scene: CommandScene, ...more: readonly string[]): Promise<Quick> {
  scene.emulator.journal.clear();
  const output = await scene.run(['plan', '--quick', '--drift-url', scene.emulator.urls.v3, ...more]);
  expect(scene.writes()).toEqual([]);
  const named = scene.requests().flatMap(({ path }) => /\/domains\/([^/?]+)/.exec(path)?.[1] ?? []);
  return { ...output, read: [...new Set(named)] };
}

/** Changes the account as another user does. */
test('one request tells that no domain has drifted', async () => {
  const scene = await settledScene();
  const { code, read, stderr } = await quickly(scene);
  expect({ code, read }).toEqual({ code: 0, read: [] });
  expect(scene.requests().map(({ version, path }) => `${version} ${path.split('?')[0]}`)).toEqual([
    'v4 /account',
    'v3 /account',
    'v3 /domains',
  ]);
  expect(stderr).toBe(
    '2 domains skipped: unchanged since the last apply, and with the wanted aliases and settings\n',
  );
});

describe('a domain that drifted is read and planned, the other is not', () => {
  test('an alias that was added', async () => {
    const scene = await settledScene();
    await byHand(scene.emulator, 'POST', '/v4/domains/other.example/aliases', {
      alias: 'x',
      forward: 'eve@x.example',
    });
    const { read, stdout, stderr } = await quickly(scene);
    // The other domain is read for forwards to the deleted address.
    expect(read).toEqual(['other.example', 'acme.example']);
    expect(stdout).toMatch(/- alias +x/);
    expect(stderr).toMatch(/^1 domain skipped/m);
  });

  test('a setting', async () => {
    const scene = await settledScene();
    await byHand(scene.emulator, 'PUT', '/v4/domains/other.example', { notification_email: 'eve@x.example' });
    const { read, stdout } = await quickly(scene);
    expect(read).toEqual(['other.example']);
    expect(stdout).toContain('ana@corp.example');
  });

  test('a domain that is gone', async () => {
    const scene = await settledScene();
    await byHand(scene.emulator, 'DELETE', '/v4/domains/acme.example');
    const { read, stdout } = await quickly(scene);
    expect(read).toEqual(['acme.example']);
    expect(stdout).toMatch(/\+ domain/);
  });
});

test('a domain that embeds an alias without an id is read in full, and hides no drift of another', async () => {
  const scene = await settledScene();
  await byHand(scene.emulator, 'DELETE', '/v4/domains/other.example');
  const alias = { alias: 'sales', forward: 'carol@corp.example', created: 1 };
  const domains = [{ domain: 'acme.example', aliases: [alias], notification_email: null, whitelabel: null }];
  scene.emulator.faults.push({
    match: { version: 'v3', endpoint: '/domains' },
    do: {
      kind: 'body',
      body: JSON.stringify({ domains, total: 1, limit: 50, page: 1, success: true }),
      contentType: 'application/json',
    },
  });
  const { code, read, stdout } = await quickly(scene);
  expect(read).toEqual(['acme.example', 'other.example']);
  expect(stdout).toMatch(/\+ domain/);
  expect(code).toBe(0);
});

test('an unmanaged alias is no drift, and rules are not checked', async () => {
  const scene = await settledScene();
  await byHand(scene.emulator, 'POST', '/v4/domains/acme.example/aliases', {
    alias: 'x',
    forward: 'eve@x.example',
  });
  await byHand(scene.emulator, 'POST', '/v4/domains/acme.example/rules', {
    type: 'alias',
    config: { alias: 'y', forward: 'eve@x.example' },
  });
  expect((await quickly(scene)).read).toEqual([]);
});

test('a domain with 200 aliases is read in full, one with 199 is not', async () => {
  const names = (count: number): string =>
    Array.from({ length: count }, (_, index) => `a${index}: ana@corp.example`).join(', ');
  const scene = await settledScene(
    `domains:
  less.example: { aliases: { ${names(199)} } }
  more.example: { aliases: { ${names(200)} } }`,
    [{ domain: 'less.example' }, { domain: 'more.example' }],
  );
  const { read, stdout } = await quickly(scene);
  expect(read).toEqual(['more.example']);
  expect(stdout).toContain('Nothing to change');
});

test('changes are never planned from a listing: the read of the domain decides', async () => {
  const scene = await settledScene();
  scene.emulator.faults.push({
    match: { version: 'v3', endpoint: '/domains' },
    do: { kind: 'body', body: JSON.stringify({ success: true, domains: [], total: 0, limit: 100, page: 1 }) },
  });
  const { code, read, stdout } = await quickly(scene);
  expect(code).toBe(0);
  expect(read).toEqual(['acme.example', 'other.example']);
  expect(stdout).toContain('Nothing to change');
});

test('if the list cannot be proven, no domain is skipped', async () => {
  const scene = await settledScene();
  scene.emulator.faults.push({
    match: { version: 'v3', endpoint: '/domains', times: 'always' },
    do: { kind: 'listing', missing: 0 },
  });
  const { code, read, stderr } = await quickly(scene);
  expect(code).toBe(0);
  expect(read).toEqual(['acme.example', 'other.example']);
  expect(stderr).toMatch(
    /^drift cannot be checked at http.*v3, so no domain is skipped: .*could not be proven/m,
  );
});

test('another account at that address ends with 1', async () => {
  const scene = await settledScene();
  const other = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    randomId: randomUUID,
    state: { account: { email: 'somebody@else.example' } },
    now: () => scene.clock.now(),
    sleep: (milliseconds) => scene.clock.sleep(milliseconds),
    journalSize: 1000,
  });
  onTestFinished(() => other.close());
  const { code, stdout, stderr } = await quickly(scene, '--drift-url', other.urls.v3);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('is somebody@else.example, but the account to plan is owner@account.example');
});

test('the variable is the same as the option, and nothing to other plans', async () => {
  const scene = await settledScene();
  await byHand(scene.emulator, 'PUT', '/v4/domains/other.example', { notification_email: 'eve@x.example' });
  const env = { FWDSYNC_DRIFT_URL: scene.emulator.urls.v3 };
  expect((await scene.run(['plan', '--quick'], { env })).stdout).toContain('ana@corp.example');
  scene.emulator.journal.clear();
  expect((await scene.run(['plan'], { env })).code).toBe(0);
  expect(scene.requests().filter(({ version }) => version === 'v3')).toEqual([]);
});

test.each([
  ['without --quick', ['plan', '--drift-url', 'https://api.improvmx.com/v3'], '--quick'],
  ['plain http elsewhere', ['plan', '--quick', '--drift-url', 'http://x.example/v3'], 'may get the key'],
  ['v4', ['plan', '--quick', '--drift-url', 'https://api.improvmx.com/v4'], 'does not end in /v3'],
])('wrong usage: %s', async (_, args, text) => {
  const scene = await commandScene({ manifest: MANIFEST });
  const { code, stderr } = await scene.run(args);
  expect(code).toBe(64);
  expect(stderr).toContain(text);
  expect(scene.requests()).toEqual([]);
});
