import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandScene, KEY, type CommandScene } from '../cli/support/scene.ts';
import { filesBelow, searchIn, type Found } from '../support/search.ts';

const BOSS = 'Th3.boss+private@secret-corp.example';
const BEHIND = 'destinations: { boss: { env: BOSS } }\n';
const MANIFEST = 'domains: { acme.example: { aliases: { sales: boss, info: [boss, ana@corp.example] } } }\n';
const LITERAL = 'destinations: { boss: new@corp.example }\n';

/** An account to which a run brought the value of a reference. */
async function appliedScene(): Promise<CommandScene> {
  const scene = await commandScene({ manifest: BEHIND + MANIFEST });
  expect((await scene.run(['apply', '--yes'], { env: { BOSS } })).code).toBe(0);
  return scene;
}

/** Where the value is in what plan prints and saves, in every format. */
async function findInPlans(
  scene: CommandScene,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const found: Found[] = [];
  for (const format of ['text', 'json', 'markdown', 'github']) {
    const { code, stdout, stderr } = await scene.run(['plan', '--out', 'plan.json', '--format', format], {
      env,
    });
    expect(code).toBe(0);
    found.push({ where: format, text: stdout + stderr });
  }
  found.push({ where: 'plan.json', text: await readFile(join(scene.directory, 'plan.json'), 'utf8') });
  expect(found.at(-1)?.text).toContain('{ env: BOSS }');
  return found.flatMap((text) => searchIn(text, { BOSS }));
}

/** Somebody writes the value in other letters, in the dashboard. */
async function writeInCapitals({ env, emulator }: CommandScene): Promise<void> {
  const [alias] = emulator.store.dump().domains[0]?.aliases.filter(({ alias }) => alias === 'sales') ?? [];
  const authorization = `Basic ${Buffer.from(`api:${KEY}`).toString('base64')}`;
  const response = await fetch(`${env['FWDSYNC_API_URL']}/domains/acme.example/aliases/${alias?.id}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ forward: BOSS.toUpperCase() }),
  });
  expect(response.status).toBe(200);
}

test('route shows it as the reference where the account has it', async () => {
  const scene = await appliedScene();
  await scene.manifest(LITERAL + MANIFEST);
  for (const format of ['text', 'json']) {
    const { code, stdout } = await scene.run(['route', 'sales@acme.example', '--live', '--format', format]);
    expect(code).toBe(0);
    expect(stdout).toContain('{ env: BOSS }');
    expect(searchIn({ where: format, text: stdout }, { BOSS })).toEqual([]);
  }
});

test('a run of the daemon logs it as the reference, too', async () => {
  const scene = await appliedScene();
  await scene.manifest(LITERAL + MANIFEST);
  for (const mode of ['observe', 'apply']) {
    const { stdout, stderr } = await scene.run(['run', '--once', '--mode', mode, '--log-level', 'trace']);
    expect(stdout).toContain('run.finished');
    expect(searchIn({ where: mode, text: stdout + stderr }, { BOSS })).toEqual([]);
  }
});

describe('a value that was once behind a reference is shown as the reference', () => {
  test('when the manifest writes out another one', async () => {
    const scene = await appliedScene();
    await scene.manifest(LITERAL + MANIFEST);
    expect(await findInPlans(scene, {})).toEqual([]);
    const { code, stdout, stderr } = await scene.run(['apply', '--yes', '--log-level', 'debug']);
    expect(code).toBe(0);
    expect(searchIn({ where: 'apply', text: stdout + stderr }, { BOSS })).toEqual([]);
  });

  test('when it is written out itself', async () => {
    const scene = await appliedScene();
    await scene.manifest(
      MANIFEST.replace('sales:', 'new: [ana@corp.example, boss], sales:').replaceAll('boss', BOSS),
    );
    expect(await findInPlans(scene, {})).toEqual([]);
  });

  test('when the reference has another value, and the plan says that it is another', async () => {
    const scene = await appliedScene();
    const env = { BOSS: 'new@corp.example' };
    expect(await findInPlans(scene, env)).toEqual([]);
    const { stdout } = await scene.run(['plan'], { env });
    expect(stdout).toContain('{ env: BOSS } (another value)');
  });

  test('in other letters, with the state directory and without', async () => {
    const scene = await appliedScene();
    await writeInCapitals(scene);
    expect(await findInPlans(scene, { BOSS })).toEqual([]);
    expect(await findInPlans(scene, { BOSS, FWDSYNC_STATE_DIR: join(scene.directory, 'none') })).toEqual([]);
    await scene.manifest(LITERAL + MANIFEST);
    expect(await findInPlans(scene, {})).toEqual([]);
  });

  test('in the plan that undoes a run, which brings the old value back', async () => {
    const scene = await appliedScene();
    await scene.manifest(LITERAL + MANIFEST);
    await scene.run(['apply', '--yes']);
    const files = await filesBelow(join(scene.directory, 'state'), []);
    const snapshot =
      files.find(({ where, text }) => where.includes('snapshots') && text.includes(BOSS))?.where ?? '';
    const { code, stdout, stderr } = await scene.run(['apply', '--yes', '-f', snapshot]);
    expect(code).toBe(0);
    expect(searchIn({ where: 'apply', text: stdout + stderr }, { BOSS })).toEqual([]);
    expect(scene.emulator.store.dump().domains[0]?.aliases.map(({ forward }) => forward)).toContain(BOSS);
  });

  test('by a fingerprint that does not say what it is', async () => {
    const scene = await appliedScene();
    const files = await filesBelow(join(scene.directory, 'state'), []);
    expect(
      files.some(({ where, text }) => where.endsWith('references.json') && text.includes('{ env: BOSS }')),
    ).toBe(true);
    expect(files.flatMap((file) => searchIn(file, { BOSS }))).toEqual([]);
  });
});

test('where no earlier run is remembered, a notice recommends --mask', async () => {
  const scene = await appliedScene();
  await scene.manifest(LITERAL + MANIFEST.replace('sales:', 'new: { env: OTHER }, sales:'));
  const env = { OTHER: 'other@corp.example', FWDSYNC_STATE_DIR: join(scene.directory, 'none') };
  expect((await scene.run(['plan'], { env })).stderr).toContain('use --mask to hide their local parts');
  for (const [args, where] of [
    [['plan', '--mask'], env],
    [['plan'], { OTHER: 'other@corp.example' }],
  ] as const) {
    expect((await scene.run(args, { env: where })).stderr).not.toContain('--mask');
  }
});
