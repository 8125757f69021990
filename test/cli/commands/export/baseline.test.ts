import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import blameSchema from '../../../../schemas/blame.v1.schema.json' with { type: 'json' };
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import { systemProcesses } from '../../../../src/engine/state/processes.ts';
import { sharedPostgres } from '../../../support/shared-postgres.ts';
import { ACME, aliasesOf, apply, byHand, editAlias } from '../../support/applied.ts';
import { commandScene, OWNER, type CommandScene } from '../../support/scene.ts';
import { expectSchema } from '../../support/schema.ts';

const RECORDED = 'recorded 1 domain as the baseline';
const WAYS: readonly (readonly [way: string, args: readonly string[], file: string])[] = [
  ['--out', ['--out', 'fwdsync.yaml'], 'fwdsync.yaml'],
  ['--out-dir', ['--out-dir', 'manifests'], 'manifests'],
  ['--update', ['--update', 'fwdsync.yaml'], 'fwdsync.yaml'],
];

async function open(version: 'v4' | 'v3' = 'v4'): Promise<CommandScene> {
  return commandScene({ seed: { domains: [ACME] }, version });
}

describe.each(WAYS)('export %s takes the account over', (way, args, file) => {
  test.each(['v4', 'v3'] as const)(
    'drift, blame and no-longer-managed work from then on (%s)',
    async (version) => {
      const scene = await open(version);
      const aliases = 'aliases: { sales: x@corp.example, info: x@corp.example, old: x@corp.example }';
      if (way === '--update') await scene.manifest(`domains: { acme.example: { ${aliases} } }\n`);
      const exported = await scene.run(['export', ...args]);
      expect(exported.code, exported.stderr).toBe(0);
      expect(exported.stderr).toContain(RECORDED);
      const plan = ['plan', '-f', file, '--format', 'json', '--api-version', version];
      const quick = await scene.run([...plan, '--quick']);
      expect(JSON.parse(quick.stdout)).toMatchObject({ changes: [], options: { domains: [] } });

      const [acme] = scene.emulator.store.dump().domains;
      const alias = acme?.aliases.find((one) => one.alias === 'sales');
      const path = `/domains/acme.example/aliases/${version === 'v3' ? 'sales' : alias?.id}`;
      await byHand(scene, 'PUT', path, { forward: 'eve@elsewhere.example' }, version);
      const drift = await scene.run(plan);
      expect(JSON.parse(drift.stdout)).toMatchObject({ changes: [{ name: 'sales', reason: 'drift' }] });

      const blamed = await scene.run(['blame', 'sales@acme.example', '--format', 'json']);
      expect(expectSchema(blameSchema, blamed.stdout)).toMatchObject({
        entries: [],
        takenOver: [{ account: OWNER, at: expect.stringMatching(/^2026-09-01T/) }],
      });
      const text = await scene.run(['blame', 'acme.example']);
      expect(text.stdout).toContain('taken over on 2026-09-01 by export, as it was');

      const left = join(scene.directory, file === 'manifests' ? 'manifests/acme.example.yaml' : file);
      const written = await fs.readFile(left, 'utf8');
      await fs.writeFile(left, written.replace(/^ *old: .*\n/m, '').replace(', old: dan@corp.example', ''));
      const warned = await scene.run(plan);
      expect(JSON.parse(warned.stdout)).toMatchObject({
        warnings: expect.arrayContaining([expect.objectContaining({ code: 'no-longer-managed' })]),
      });
    },
  );
});

test('existing state of a domain stays, without a message', async () => {
  const scene = await open();
  await scene.manifest('domains: { acme.example: { aliases: { sales: bob@corp.example } } }\n');
  await apply(scene);
  const { code, stderr } = await scene.run(['export', '--out', 'all.yaml']);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('baseline')]);
  await editAlias(scene, 'info', 'eve@elsewhere.example');
  // No run has applied it: a difference is no drift.
  const plan = await scene.run(['plan', '-f', 'all.yaml', '--format', 'json']);
  expect(JSON.parse(plan.stdout)).toMatchObject({ changes: [{ name: 'info', reason: 'manifest' }] });
});

test('a domain that could not be read is not taken over, and to standard output nothing is', async () => {
  const scene = await commandScene({ seed: { domains: [ACME, { domain: 'beta.example' }] } });
  const printed = await scene.run(['export']);
  expect(printed.stderr).toBe('');
  await expect(fs.readdir(join(scene.directory, 'state'))).rejects.toThrow('ENOENT');
  scene.emulator.faults.push({
    match: { method: 'GET', path: '^/domains/acme\\.example/aliases', times: 'always' },
    do: { kind: 'listing', empty: true },
  });
  const { code, stderr } = await scene.run(['export', '--out', 'all.yaml']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(RECORDED)]);
  const blamed = await Promise.all(['acme', 'beta'].map((name) => scene.run(['blame', `${name}.example`])));
  expect(blamed.map(({ stdout }) => stdout.includes('taken over'))).toEqual([false, true]);
});

test('the state is busy: a warning, and the file is written', async () => {
  const scene = await open();
  const held = await openStateDirectory({
    directory: join(scene.directory, 'state'),
    account: OWNER,
    apiUrl: scene.emulator.urls.v4,
    fs,
    clock: scene.clock,
    processes: systemProcesses(fs, 'apply'),
  }).lock();
  expect(held.ok).toBe(true);
  const { code, stderr } = await scene.run(['export', '--out', 'fwdsync.yaml']);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^wrote fwdsync\.yaml: .*\nwarning: no baseline was recorded: the state in .* is locked by process/,
  );
  expect(await fs.readFile(join(scene.directory, 'fwdsync.yaml'), 'utf8')).toContain('sales:');
});

test('in a store, and what is found outside fwdsync later is named by blame', async () => {
  const server = await sharedPostgres();
  const scene = await open();
  const env = { FWDSYNC_STORE: await server.createDatabase(), FWDSYNC_STATE_DIR: '' };
  const exported = await scene.run(['export', '--out', 'fwdsync.yaml'], { env });
  expect(exported.stderr).toContain(RECORDED);
  await editAlias(scene, 'sales', 'eve@elsewhere.example');
  const applied = await scene.run(['apply', '--yes'], { env });
  expect(applied.code, applied.stdout).toBe(0);
  expect(aliasesOf(scene)).toMatchObject({ sales: 'ana@corp.example' });
  const blamed = await scene.run(['blame', 'sales@acme.example', '--format', 'json'], { env });
  expect(JSON.parse(blamed.stdout)).toMatchObject({
    entries: [{ action: 'update', account: OWNER }],
    takenOver: [{ account: OWNER }],
  });
});

describe('a CI job whose state ends with it', () => {
  const manifest = 'domains: { acme.example: { aliases: { sales: bob@corp.example } } }\n';
  const job = { CI: 'true', FWDSYNC_STATE_DIR: '' };

  test.each<[name: string, env: Readonly<Record<string, string>>, args: readonly string[], undo: boolean]>([
    ['no state is named', job, [], false],
    ['--state-dir', job, ['--state-dir', 'kept'], true],
    ['FWDSYNC_STATE_DIR', { CI: 'true' }, [], true],
    ['CI is false', { CI: 'false', FWDSYNC_STATE_DIR: '' }, [], true],
  ])('%s', async (_, env, args, undo) => {
    const scene = await open();
    await scene.manifest(manifest);
    const home = { ...env, HOME: scene.directory };
    const text = await scene.run(['apply', '--yes', ...args], { env: home });
    expect(text.code, text.stdout).toBe(0);
    expect(/^undo: /m.test(text.stdout)).toBe(undo);
    expect(/^note: this run cannot be undone later: CI is set/m.test(text.stdout)).toBe(!undo);
    await editAlias(scene, 'sales', 'eve@elsewhere.example');
    const json = await scene.run(['apply', '--yes', '--format', 'json', ...args], { env: home });
    const report = JSON.parse(json.stdout) as { readonly undo: string | null };
    expect(report.undo === null).toBe(!undo);
    await editAlias(scene, 'sales', 'eve@elsewhere.example');
    const once = await scene.run(['run', '--once', ...args], { env: home });
    expect(once.code, once.stdout).toBe(0);
    expect(aliasesOf(scene)).toMatchObject({ sales: 'bob@corp.example' });
    expect([once.stdout.includes('undo with: '), once.stdout.includes('cannot be undone later')]).toEqual([
      undo,
      !undo,
    ]);
  });
});
