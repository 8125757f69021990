import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { commandScene, OWNER, type CommandScene } from '../../support/scene.ts';

const rule = (name: string, rank: number): NonNullable<SeedDomain['rules']>[number] => ({
  type: 'alias',
  config: { alias: name, forward: `${name}@corp.example` },
  rank,
});
const RULES = [rule('visitors', 1), rule('parcels', 2)];
const HOOK = { alias: 'hook', forward: 'http://hooks.corp.example/in' };
const SEED: readonly SeedDomain[] = [
  { domain: 'acme.example', aliases: [HOOK], rules: RULES },
  { domain: 'acmes.example', aliases: [] },
];
const MANIFEST = `api: { account: ${OWNER} }
domains:
  acme.example:
    notification_email: ops@corp.example
    prune: { rules: true }
    aliases: { hook: ana@corp.example }
    rules: [{ name: visitors, alias: visitors, forward: visitors@corp.example }]
  acmes.example: { state: absent }
`;
const FLAGS = ['--allow-domain-delete', 'acmes.example', '--allow-empty', 'acmes.example/aliases'];

/** Makes the snapshot of a run. After the run another user has made the domain's rules again, in another order. */
async function snapshotScene(): Promise<CommandScene & { readonly snapshot: string }> {
  const scene = await commandScene({ seed: { domains: SEED }, manifest: MANIFEST });
  const applied = await scene.run(['apply', '--yes', ...FLAGS]);
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  const snapshot = await snapshotOf(scene);
  scene.emulator.store.replace({
    account: { email: OWNER },
    domains: [
      {
        domain: 'acme.example',
        aliases: [HOOK],
        rules: [rule('first', 1), rule('visitors', 2), rule('parcels', 3)],
      },
    ],
  });
  return { ...scene, snapshot };
}

async function snapshotOf({ directory }: CommandScene): Promise<string> {
  const files = await readdir(join(directory, 'state'), { recursive: true });
  return join(directory, 'state', files.find((name) => /snapshots.*\.yaml$/.test(name)) ?? '');
}

const warningsOf = ({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): readonly string[] =>
  [...(stdout + stderr).matchAll(/warning: [^[]*\[(.*)\]/g)].map(([, code]) => code ?? '');

test('a snapshot is warned about only for what it changes', async () => {
  const scene = await snapshotScene();
  const { snapshot } = scene;
  // acme.example gets its rules back and acmes.example everything. Its name was near another one before the run, too.
  const planned = await scene.run(['plan', '-f', snapshot]);
  expect(warningsOf(planned)).toEqual(['rules-not-active']);
  expect(planned.stdout).toContain('+ domain');
  const undone = await scene.run(['apply', '--yes', '-f', snapshot]);
  expect([undone.code, warningsOf(undone)]).toEqual([0, ['rules-not-active']]);
  // Now there is nothing to do, and so no warning.
  expect(warningsOf(await scene.run(['plan', '-f', snapshot]))).toEqual([]);
  const json = await scene.run(['plan', '-f', snapshot, '--format', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ changes: [], warnings: [] });
});

test('the same text elsewhere is a manifest like any other', async () => {
  const scene = await snapshotScene();
  const copy = join(scene.directory, 'copy.yaml');
  await writeFile(copy, await readFile(scene.snapshot));
  expect(new Set(warningsOf(await scene.run(['plan', '-f', copy])))).toEqual(
    new Set(['rules-not-active', 'similar-domain', 'unmanaged-rule-first', 'plain-http']),
  );
});

test('its changes of the account still give warnings', async () => {
  const scene = await commandScene({
    seed: { domains: [{ domain: 'acme.example', whitelabel: 'mail.partner.example' }] },
    version: 'v3',
    manifest: `api: { account: ${OWNER} }\ndomains: { acme.example: { webhook: "https://x.example/in" } }\n`,
  });
  expect((await scene.run(['apply', '--yes'])).code).toBe(0);
  expect(warningsOf(await scene.run(['plan', '-f', await snapshotOf(scene)]))).toEqual(['may-not-clear']);
});

test('one that an earlier version wrote is applied as well, held by the guards', async () => {
  const seed = { domains: [{ domain: 'acme.example', aliases: [HOOK] }] };
  const manifest = `api: { account: ${OWNER} }
destinations: { boss: { env: BOSS } }
domains: { acme.example: { aliases: { hook: boss, one: boss, two: boss, three: boss } } }
`;
  const scene = await commandScene({ seed, manifest });
  const env = { BOSS: 'boss@private.example' };
  expect((await scene.run(['apply', '--yes'], { env })).code).toBe(0);
  const snapshot = await snapshotOf(scene);
  await writeFile(
    snapshot,
    `# yaml-language-server: $schema=https://unpkg.com/fwdsync/schemas/manifest.v1.schema.json
# Undoes the run of 2026-01-15T12:00:00.000Z: fwdsync apply -f THIS-FILE
# What the run added counts as a delete, and a domain that it added needs --allow-domain-delete.
version: 1
api:
  account: ${OWNER}
destinations:
  reference-1:
    env: BOSS
domains:
  acme.example:
    aliases:
      hook: ${HOOK.forward}
      one:
        state: absent
      three:
        state: absent
      two:
        state: absent
`,
  );
  const refused = await scene.run(['apply', '--yes', '-f', snapshot], { env });
  expect([refused.code, warningsOf(refused)]).toEqual([4, []]);
  expect(refused.stdout).toContain('--allow-deletes 3');
  const applied = await scene.run(['apply', '--yes', '-f', snapshot, '--allow-deletes', '3'], { env });
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  expect(scene.emulator.store.dump().domains[0]?.aliases).toMatchObject([HOOK]);
  expect(refused.stdout + applied.stdout).not.toContain('private.example');
});
