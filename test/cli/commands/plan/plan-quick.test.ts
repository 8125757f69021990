import { expect, test } from 'vitest';
import { commandScene, type CommandScene } from '../../support/scene.ts';

const MANIFEST = `domains:
  acme.example:
    aliases: { sales: carol@corp.example }
    credentials: { scanner: { password: { env: SCANNER_PASSWORD } } }
  other.example:
    aliases: { info: ana@corp.example }
`;
const env = { SCANNER_PASSWORD: 'first-password' };

/** Both domains match the manifest, and the state directory has a record of it. */
async function settledScene(): Promise<CommandScene> {
  const scene = await commandScene({
    seed: {
      domains: [
        { domain: 'acme.example', aliases: [] },
        { domain: 'other.example', aliases: [] },
      ],
    },
    manifest: MANIFEST,
  });
  const { code, stdout } = await scene.run(['apply', '--yes'], { env });
  expect(code, stdout).toBe(0);
  return scene;
}

/** Makes a quick plan. Returns the domains that it read. */
async function quickly(
  scene: CommandScene,
  input = env,
): Promise<{ read: string[]; stdout: string; stderr: string }> {
  scene.emulator.journal.clear();
  const { stdout, stderr } = await scene.run(['plan', '--quick'], { env: input });
  const named = scene.requests().flatMap(({ path }) => /\/domains\/([^/?]+)/.exec(path)?.[1] ?? []);
  return { read: [...new Set(named)], stdout, stderr };
}

test('domains that are in place are not read', async () => {
  const scene = await settledScene();
  const { read, stdout, stderr } = await quickly(scene);
  expect(read).toEqual([]);
  expect(scene.requests().map(({ path }) => path)).toEqual(['/account']);
  expect(stdout).toMatch(
    /^owner@account\.example at [\d.:]+ \(v4\)\n\nNothing to change; 0 unchanged, 0 unmanaged\.\n$/,
  );
  expect(stderr).toBe('2 domains skipped: unchanged since the last apply\n');
});

test('the document states how many domains were skipped, and can be applied', async () => {
  const scene = await settledScene();
  const skipped = async (args: readonly string[]): Promise<unknown> => {
    const { stdout } = await scene.run(['plan', '--format', 'json', ...args], { env });
    return (JSON.parse(stdout) as { readonly skipped?: unknown }).skipped;
  };
  expect(await skipped(['--quick'])).toBe(2);
  expect(await skipped([])).toBe(undefined);
  await scene.manifest(MANIFEST.replace('ana@corp.example', 'bob@corp.example'));
  expect(await skipped(['--quick', '--out', 'plan.json'])).toBe(1);
  expect((await scene.run(['apply', 'plan.json'], { env })).code).toBe(0);
});

test.each([
  ['another destination', 'ana@corp.example', 'bob@corp.example'],
  ['another name', 'info:', 'hello:'],
  ['pruning', 'other.example:\n', 'other.example:\n    prune: true\n'],
])('a domain of which something else is wanted is read: %s', async (_, before, after) => {
  const scene = await settledScene();
  await scene.manifest(MANIFEST.replace(before, after));
  const { read, stderr } = await quickly(scene);
  expect(read).toEqual(['other.example']);
  expect(stderr).toMatch(/^1 domain skipped/m);
});

test('a domain whose password is another one is read', async () => {
  const scene = await settledScene();
  const { read, stdout } = await quickly(scene, { SCANNER_PASSWORD: 'second-password' });
  expect(read).toEqual(['acme.example']);
  expect(stdout).toMatch(/~ credential +scanner/);
});

test('a domain in which something was left open is read', async () => {
  const scene = await settledScene();
  const changed = MANIFEST.replace('ana@corp.example', 'bob@corp.example');
  await scene.manifest(changed);
  scene.emulator.faults.push({
    match: { method: 'PUT' },
    do: { kind: 'status', code: 400 },
  });
  expect((await scene.run(['apply', '--yes'], { env })).code).not.toBe(0);
  expect((await quickly(scene)).read).toEqual(['other.example']);
  await scene.run(['apply', '--yes'], { env });
  expect((await quickly(scene)).read).toEqual([]);
});

test('without a state directory everything is read', async () => {
  const scene = await settledScene();
  scene.emulator.journal.clear();
  await scene.run(['plan', '--quick', '--state-dir', 'elsewhere'], { env });
  expect(scene.requests().some(({ path }) => path.includes('/domains/other.example/'))).toBe(true);
});

test('a quick plan that is saved is about the domains that were read', async () => {
  const scene = await settledScene();
  await scene.manifest(MANIFEST.replace('ana@corp.example', 'bob@corp.example'));
  await scene.run(['plan', '--quick', '--out', 'plan.json'], { env });
  scene.emulator.journal.clear();
  const { code, stdout } = await scene.run(['apply', 'plan.json'], { env });
  expect(code, stdout).toBe(0);
  expect(scene.writes()).toHaveLength(1);
  expect(scene.requests().some(({ path }) => path.includes('/domains/acme.example'))).toBe(false);
});
