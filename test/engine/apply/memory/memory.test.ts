import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openScene, type Scene } from '../support/harness.ts';

const manifest = `
domains:
  acme.example:
    aliases: { sales: new@corp.example, info: a@corp.example, none: { state: absent } }
    rules:
      - { name: vip, alias: vip, forward: v@corp.example }
    credentials: { carol: { password: { env: PASSWORD } } }
  other.example:
    aliases: { a: a@corp.example }`;

const seed = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'sales', forward: 'old@corp.example' },
        { alias: 'none', forward: 'n@corp.example' },
        { alias: 'unmanaged', forward: 'u@corp.example' },
      ],
      rules: [
        {
          id: '00000000-0000-4000-8000-000000000001',
          type: 'alias',
          config: { alias: 'vip', forward: 'v@corp.example' },
        },
      ],
    },
    { domain: 'other.example' },
  ],
} as const;

async function remembered(scene: Scene) {
  return (await scene.account.state().prior()).prior;
}

test('after a run the state directory has what was seen and applied', async () => {
  const scene = await openScene({ manifest, seed });
  await scene.run();
  const prior = await remembered(scene);
  const acme = [...prior.domains.values()][0];
  expect([...prior.domains.keys()]).toEqual(['acme.example', 'other.example']);
  expect(acme?.live).toEqual({ aliases: 3, rules: 1, credentials: 1 });
  expect([...(acme?.applied.keys() ?? [])].sort()).toEqual([
    'alias:info',
    'alias:sales',
    'credential:carol',
    'domain:acme.example',
    'rule:vip',
  ]);
  expect([...(acme?.ruleIds ?? [])]).toEqual([['vip', '00000000-0000-4000-8000-000000000001']]);
  expect([...(acme?.passwords.keys() ?? [])]).toEqual(['carol']);
  expect(JSON.stringify([...(acme?.passwords.values() ?? [])])).not.toContain('correct horse');
  // Without prune, a shorter manifest deletes nothing.
  expect(prior.manifests).toEqual([]);
});

test('a difference from an applied entry is drift, from a new entry it is the manifest', async () => {
  const scene = await openScene({ manifest, seed });
  await scene.run();
  const [domain] = scene.account.emulator.store.state.domains.values();
  const sales = [...(domain?.aliases.values() ?? [])].find(({ alias }) => alias === 'sales');
  if (sales === undefined) throw new Error('no alias');
  sales.forward = 'somebody@corp.example';
  const { changes } = await scene.plan({
    manifest: manifest.replace('info:', 'extra: e@corp.example, info:'),
  });
  expect(changes.map(({ name, reason }) => [name, reason])).toEqual([
    ['extra', 'manifest'],
    ['sales', 'drift'],
  ]);
});

test('failed, skipped and unchecked items are not remembered as applied', async () => {
  const scene = await openScene({
    manifest,
    seed,
    faults: [
      { match: { method: 'PUT' }, do: { kind: 'status', code: 400, body: { message: 'no', errors: {} } } },
    ],
  });
  await scene.run();
  const acme = [...(await remembered(scene)).domains.values()][0];
  expect([...(acme?.applied.keys() ?? [])].sort()).toEqual([
    'alias:info',
    'credential:carol',
    'domain:acme.example',
    'rule:vip',
  ]);
  expect((await remembered(scene)).manifests).toEqual([]);
});

test('a domain that could not be understood keeps what was known of it', async () => {
  const scene = await openScene({ manifest, seed, switches: { aliasNameCase: 'sensitive' } });
  await scene.run();
  const before = await remembered(scene);
  const twin = { alias: 'SALES', forward: 'x@corp.example' };
  scene.account.emulator.faults.push({
    match: { method: 'GET' },
    do: { kind: 'edit', request: { method: 'POST', path: '/v4/domains/acme.example/aliases', body: twin } },
  });
  const { report, plan } = await scene.run({
    manifest: manifest.replace('a: a@corp', 'a: b@corp'),
    company: 'others',
  });
  expect(plan.withheld).toMatchObject([{ domain: 'acme.example', cause: 'unproven' }]);
  expect(report.outcome).toBe('partial');
  expect([...(await remembered(scene)).domains.values()][0]).toEqual([...before.domains.values()][0]);
});

test('deleting the state directory loses no route, and the next run works', async () => {
  const scene = await openScene({ manifest, seed });
  await scene.run();
  const before = JSON.stringify(scene.account.emulator.store.dump());
  await rm(scene.account.stateDirectory, { recursive: true });
  const { report, writes } = await scene.run();
  expect([report.outcome, writes]).toEqual(['unchanged', []]);
  expect(JSON.stringify(scene.account.emulator.store.dump())).toBe(before);
  // The memory is restored, except for facts that only sending a password shows.
  const acme = [...(await remembered(scene)).domains.values()][0];
  expect(acme?.applied.size).toBe(5);
  expect(acme?.passwords.size).toBe(0);
});

test('a domain that is gone is forgotten', async () => {
  const scene = await openScene({ manifest, seed });
  await scene.run();
  await scene.run({
    manifest: 'domains:\n  acme.example: { aliases: {} }\n  other.example: { state: absent }',
  });
  expect([...(await remembered(scene)).domains.keys()]).toEqual(['acme.example']);
});

test('a state directory that breaks in the middle of a run costs nothing but memory', async () => {
  const scene = await openScene({ manifest, seed });
  const state = scene.account.state();
  const broken = () => Promise.resolve({ ok: false, error: { message: 'the disk is full' } } as const);
  const { report, after } = await scene.run({
    ports: { state: { ...state, remember: broken, saveReport: broken } },
  });
  expect(report.outcome).toBe('converged');
  expect(report.notes).toEqual([
    expect.stringContaining('acme.example has its first SMTP credential'),
    'the result of this run could not be recorded: the disk is full',
    'the report could not be saved: the disk is full',
  ]);
  expect(after.changes).toEqual([]);
});

test('a rule that the service gave an id of its own is remembered by that id', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    rules: [{ name: vip, alias: vip, forward: v@corp.example }]',
    seed: {
      domains: [
        { domain: 'acme.example' },
        {
          domain: 'other.example',
          rules: [
            { id: await derivedId(), type: 'alias', config: { alias: 'x', forward: 'y@corp.example' } },
          ],
        },
      ],
    },
    switches: { existingRuleId: 'second', ruleIdScope: 'account' },
  });
  const { report, writes, end } = await scene.run();
  expect([report.outcome, writes.length]).toEqual(['converged', 1]);
  const id = end.domains[0]?.rules[0]?.id ?? '';
  expect([...((await remembered(scene)).domains.values().next().value?.ruleIds ?? [])]).toEqual([
    [await derivedId(), id],
  ]);
  // From now on the name stands for that rule, even if its content changes.
  const second = await scene.run({
    manifest: 'domains:\n  acme.example:\n    rules: [{ name: vip, alias: vip, forward: new@corp.example }]',
  });
  expect(second.writes).toMatchObject([{ method: 'PUT' }]);
  expect(second.end.domains[0]?.rules).toHaveLength(1);
});

/** Returns the id with which the rule of the manifest above is made. */
async function derivedId(): Promise<string> {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    rules: [{ name: vip, alias: vip, forward: v@corp.example }]',
    seed: { domains: [{ domain: 'acme.example' }] },
  });
  return (await scene.plan()).changes[0]?.id ?? '';
}

test('a manifest that prunes is remembered by its domains, wherever it lies; what undoes a run is another one', async () => {
  const pruning = manifest.replace('    aliases: { a:', '    prune: { aliases: true }\n    aliases: { a:');
  const scene = await openScene({ manifest: pruning, seed });
  await scene.run();
  const size = { domains: new Set(['acme.example', 'other.example']), entries: 6 };
  expect((await remembered(scene)).manifests).toEqual([size]);
  const undo = `
domains:
  acme.example: { aliases: { info: { state: absent }, sales: old@corp.example } }
  other.example: { aliases: { a: { state: absent } } }`;
  expect((await scene.run({ manifest: undo })).report.outcome).toBe('converged');
  expect((await remembered(scene)).manifests).toEqual([size]);
});

test('a part of a manifest says nothing of its size', async () => {
  const pruning = manifest.replace('    aliases: { a:', '    prune: { aliases: true }\n    aliases: { a:');
  const scene = await openScene({ manifest: pruning, seed });
  await scene.run({ size: { domains: new Set(), entries: 6 } });
  await scene.run({ size: { domains: new Set(['acme.example', 'other.example']) as never, entries: 7 } });
  expect((await remembered(scene)).manifests).toEqual([]);
});
