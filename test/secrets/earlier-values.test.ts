import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandScene, type CommandScene } from '../cli/support/scene.ts';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import { byHand } from '../support/by-hand.ts';
import { filesBelow, searchIn, type Found } from '../support/search.ts';
import { everyNth } from '../support/share.ts';

const BOSS = 'Th3.boss+private@secret-corp.example';
const HOOK = 'https://hooks.secret-corp.example/in?token=s3cret';
const BEHIND = 'destinations: { boss: { env: BOSS } }\n';
const MANIFEST = 'domains: { acme.example: { aliases: { sales: boss, info: [boss, ana@corp.example] } } }\n';
const LITERAL = 'destinations: { boss: new@corp.example }\n';

/** An account to which a run brought the value of a reference. */
async function appliedScene(): Promise<CommandScene> {
  const scene = await commandScene({ manifest: BEHIND + MANIFEST });
  expect((await scene.run(['apply', '--yes'], { env: { BOSS } })).code).toBe(0);
  return scene;
}

/** Places of the value in the output and files of plan, in every format. */
async function findInPlans(
  scene: CommandScene,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const found: Found[] = [];
  for (const format of everyNth(3, ['text', 'json', 'markdown', 'github'])) {
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

/** Another user writes the value in another letter case in the dashboard. */
async function writeInCapitals({ emulator }: CommandScene): Promise<void> {
  const [alias] = emulator.store.dump().domains[0]?.aliases.filter(({ alias }) => alias === 'sales') ?? [];
  await byHand(emulator, 'PUT', `/v4/domains/acme.example/aliases/${alias?.id}`, {
    forward: BOSS.toUpperCase(),
  });
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

test('a manifest that is not valid ends what shows the account with 5: its references are not known', async () => {
  const scene = await appliedScene();
  await scene.manifest(BEHIND + MANIFEST.replace('aliases', 'alias'));
  const before = scene.requests().length;
  for (const args of [['logs', 'acme.example'], ['route', 'sales@acme.example', '--live'], ['export']]) {
    const { code, stdout, stderr } = await scene.run(args, { env: { BOSS } });
    expect([args, code, stdout]).toEqual([args, 5, '']);
    expect(stderr).toContain('fwdsync.yaml:3:28: error: the key "alias" is not known here');
  }
  const json = await scene.run(['logs', 'acme.example', '--format', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'fwdsync/problems@1', summary: { errors: 1 } });
  expect(scene.requests()).toHaveLength(before);
});

describe('the email logs show it as the reference', () => {
  const TEXTS = [
    `550 5.1.1 <${BOSS}>: no such user`,
    `for=${BOSS.toUpperCase()}. Ask postmaster@secret-corp.example`,
    `POST to ${HOOK}: 500`,
  ];

  /** An account to which runs brought two values of references, of which the manifest names none any more. */
  async function loggedScene(version: 'v4' | 'v3'): Promise<CommandScene> {
    const logs = TEXTS.map((message, index) => ({
      sender: { email: 'ana@corp.example', name: `On behalf of ${BOSS}` },
      recipient: 'sales@acme.example',
      forward: BOSS.replace('secret-corp', 'Secret-Corp'),
      subject: `"Fwd: ${BOSS}" ${index}`,
      events: ['QUEUED', { status: 'HARD-BOUNCE', code: 550, message }] as const,
    }));
    const scene = await commandScene({
      version,
      seed: { domains: [{ domain: 'acme.example', logs }] },
      manifest: BEHIND + MANIFEST.replace('sales:', 'hook: { env: HOOK }, sales:'),
    });
    expect((await scene.run(['apply', '--yes'], { env: { BOSS, HOOK } })).code).toBe(0);
    await scene.manifest(LITERAL + MANIFEST);
    return scene;
  }

  test.each(everyNth(2, ['v4', 'v3']))(
    'in lists and single entries, as text and as JSON, of %s',
    async (version) => {
      const scene = await loggedScene(version);
      const list = await scene.run(['logs', 'acme.example']);
      expect(list.stdout).toContain('550 5.1.1 <{ env: BOSS }>: no such user');
      expect(list.stdout).toContain('for={ env: BOSS }. Ask postmaster@secret-corp.example');
      expect(list.stdout).toContain('POST to { env: HOOK }: 500');
      const id = list.stdout.trimEnd().split('  ').at(-1) ?? '';
      const between = ['--after', '2020-01-01', '--before', '2030-01-01'];
      for (const args of [[], ['--id', id], ['--search', 'Fwd', ...between], ['--mask']]) {
        for (const format of ['text', 'json']) {
          const { code, stdout, stderr } = await scene.run([
            'logs',
            'acme.example',
            '--format',
            format,
            ...args,
          ]);
          expect([code, stdout]).toEqual([0, expect.stringContaining('{ env: BOSS }')]);
          expect(searchIn({ where: args.join(' '), text: stdout + stderr }, { BOSS, HOOK })).toEqual([]);
        }
      }
    },
  );

  test('followed, from fingerprints that are read once', async () => {
    const scene = await loggedScene('v4');
    const stop = new AbortController();
    let looks = 0;
    scene.emulator.onRequest(({ phase, path }) => {
      if (phase !== 'after' || !path.includes('logs')) return;
      // The values from the start are enough: the files are gone.
      rmSync(join(scene.directory, 'state'), { recursive: true, force: true });
      const mail = { from: 'ana@corp.example', to: 'sales@acme.example', subject: BOSS };
      looks += 1;
      if (looks < 4) deliverMessage(scene.emulator.store.state, mail);
      else stop.abort('SIGINT');
    });
    const { stdout } = await scene.run(['logs', 'acme.example', '--follow'], { signal: stop.signal });
    expect(stdout).toContain('-> sales@acme.example -> { env: BOSS }  QUEUED > DELIVERED  "{ env: BOSS }"');
    expect(searchIn({ where: 'follow', text: stdout }, { BOSS, HOOK })).toEqual([]);
  });

  test('from the directory of --state-dir', async () => {
    const scene = await loggedScene('v4');
    const env = { FWDSYNC_STATE_DIR: join(scene.directory, 'none') };
    const { stdout } = await scene.run(['logs', 'acme.example', '--state-dir', 'state'], { env });
    expect(searchIn({ where: 'logs', text: stdout }, { BOSS, HOOK })).toEqual([]);
    const other = await scene.run(['logs', 'acme.example'], { env });
    expect(searchIn({ where: 'logs', text: other.stdout }, { BOSS })).not.toEqual([]);
  });
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

  test('by a fingerprint that does not reveal it', async () => {
    const scene = await appliedScene();
    const files = await filesBelow(join(scene.directory, 'state'), []);
    expect(
      files.some(({ where, text }) => where.endsWith('references.json') && text.includes('{ env: BOSS }')),
    ).toBe(true);
    expect(files.flatMap((file) => searchIn(file, { BOSS }))).toEqual([]);
  });
});

test('without a record of an earlier run, a notice recommends --mask', async () => {
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
