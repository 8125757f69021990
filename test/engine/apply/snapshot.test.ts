import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import type { StateFs } from '../../../src/engine/state/own-files.ts';
import type { Dump } from '../../../src/emulator/account/dump.ts';
import type { SeedRule } from '../../../src/emulator/account/seed.ts';
import { EMAIL } from '../../support/account.ts';
import { openScene, type Scene } from './support/harness.ts';

const rule = (name: string, rank: number, more: Partial<SeedRule> = {}): SeedRule => ({
  id: `00000000-0000-4000-8000-00000000000${name}`,
  type: 'alias',
  config: { alias: `${name}*`, forward: `${name}@corp.example` },
  rank,
  ...more,
});

const ALIASES = [
  { alias: 'keep', forward: 'k@corp.example' },
  { alias: 'sales', forward: 'old@corp.example, second@corp.example' },
  { alias: 'gone', forward: 'g@corp.example' },
  { alias: '*', forward: 'null' },
  { alias: '007', forward: 'bond@corp.example' },
  { alias: '(contact|support)', forward: 'x@corp.example' },
];
const RULES = [rule('1', 1), rule('2', 2), rule('3', 3), rule('4', 4, { active: false })];

/** Changes of a run, which undo must reverse. */
const RUNS: readonly (readonly [string, string])[] = [
  ['adds of aliases', 'aliases: { new: n@corp.example, "008": n@corp.example }'],
  [
    'updates of aliases',
    'aliases: { sales: new@corp.example, "*": all@corp.example, "007": [a@corp.example, b@corp.example] }',
  ],
  ['deletes of aliases', 'prune: { aliases: true }\n    aliases: { keep: k@corp.example }'],
  ['adds of rules', 'rules: [{ name: new, alias: new, forward: n@corp.example }]'],
  [
    'deletes of rules',
    `rules: [{ id: ${RULES[1]?.id}, state: absent }, { id: ${RULES[3]?.id}, state: absent }]`,
  ],
  [
    'moves of rules',
    `rules:\n${['3', '1', '2'].map((name) => `      - { id: 00000000-0000-4000-8000-00000000000${name}, name: r${name}, alias: "${name}*", forward: ${name}@corp.example }`).join('\n')}`,
  ],
  [
    'updates of rules',
    `rules:\n      - { id: ${RULES[0]?.id}, name: r1, alias: other, forward: 1@corp.example }\n      - { id: ${RULES[1]?.id}, name: r2, alias: "2*", forward: new@corp.example, active: false }\n      - { id: ${RULES[3]?.id}, name: r4, alias: "4*", forward: 4@corp.example }`,
  ],
  [
    'all rules pruned and others added',
    'prune: { rules: true }\n    rules: [{ name: new, regex: ".*x.*", scopes: [subject], forward: n@corp.example }]',
  ],
  ['settings', 'notification_email: none\n    whitelabel: other.partner.example'],
  [
    'everything at once',
    `notification_email: new@corp.example\n    prune: true\n    aliases: { keep: new@corp.example, new: n@corp.example }\n    rules: [{ id: ${RULES[2]?.id}, name: r3, alias: "3*", forward: new@corp.example }, { name: new, alias: new, forward: n@corp.example }]`,
  ],
];

function setup(body: string) {
  return {
    manifest: `domains:\n  acme.example:\n    ${body}`,
    seed: {
      whitelabels: ['mail.partner.example', 'other.partner.example'],
      domains: [
        {
          domain: 'acme.example',
          notification_email: 'ops@corp.example',
          whitelabel: 'mail.partner.example',
          aliases: ALIASES,
          rules: RULES,
        },
        { domain: 'other.example', aliases: ALIASES },
      ],
    },
  };
}

/** The routing state: names, destinations, conditions, order and settings, without ids, times and rank numbers. */
function routes({ domains }: Dump) {
  return domains.map(({ domain, notification_email, whitelabel, webhook, aliases, rules }) => ({
    domain,
    notification_email,
    whitelabel,
    webhook,
    aliases: aliases.map(({ alias, forward }) => `${alias} ${forward.split(/,\s*/).sort().join()}`),
    rules: rules.map(({ type, config, active }) => ({ type, config, active })),
  }));
}

async function undo(scene: Scene, snapshot: string | null): Promise<void> {
  const text = await readFile(snapshot ?? '', 'utf8');
  const { report } = await scene.run({ manifest: text.replace(/^version: 1\n/m, '') });
  expect([report.failed, report.skipped]).toEqual([[], []]);
  expect(report.outcome).toBe('converged');
}

test.each(RUNS)('applying the snapshot undoes %s', async (_, body) => {
  const scene = await openScene(setup(body));
  const before = routes(scene.account.emulator.store.dump());
  const { report, plan } = await scene.run();
  expect(plan.changes.length).toBeGreaterThan(0);
  expect(report.outcome).toBe('converged');
  expect(routes(scene.account.emulator.store.dump())).not.toEqual(before);
  await undo(scene, report.snapshot);
  expect(routes(scene.account.emulator.store.dump())).toEqual(before);
});

test.each(['v4', 'v3'] as const)(
  'applying the snapshot brings a deleted domain back, its credentials apart (%s)',
  async (version) => {
    const { manifest, seed } = setup('state: absent');
    const webhook = version === 'v3' ? { webhook: 'https://hooks.corp.example/mail' } : {};
    const [acme, other] = seed.domains;
    const domains = [
      { ...acme, domain: 'acme.example', ...webhook },
      { domain: 'other.example', ...other },
    ];
    const rules = version === 'v3' ? { rules: [] } : {};
    const scene = await openScene({
      manifest,
      seed: { ...seed, domains: domains.map((domain) => ({ ...domain, ...rules })) },
      version,
    });
    const before = routes(scene.account.emulator.store.dump());
    const { report } = await scene.run();
    expect(report.outcome).toBe('converged');
    await undo(scene, report.snapshot);
    expect(routes(scene.account.emulator.store.dump())).toEqual(before);
  },
);

test('items that no manifest can hold are named in the snapshot, and the rest is undone', async () => {
  const scene = await openScene({
    manifest: `domains:\n  acme.example:\n    ${RUNS[5]?.[1]}`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          rules: [
            ...RULES,
            {
              id: '00000000-0000-4000-8000-00000000000f',
              type: 'regex',
              config: { regex: '(?<=a)b', scopes: ['subject'], forward: 'x@corp.example' },
              rank: 9,
            },
          ],
        },
      ],
    },
  });
  const before = routes(scene.account.emulator.store.dump());
  const { report } = await scene.run();
  expect(await readFile(report.snapshot ?? '', 'utf8')).toContain(
    '# rule 00000000-0000-4000-8000-00000000000f is not managed',
  );
  await undo(scene, report.snapshot);
  expect(routes(scene.account.emulator.store.dump())).toEqual(before);
});

test('a run that was stopped in the middle is undone as well', async () => {
  const scene = await openScene(setup(RUNS.at(-1)?.[1] ?? ''));
  const before = routes(scene.account.emulator.store.dump());
  const controller = new AbortController();
  let writes = 0;
  const stop = scene.account.emulator.onRequest(({ phase, method }) => {
    if (phase === 'after' && method !== 'GET') writes += 1;
    if (writes === 4) controller.abort();
  });
  const { report } = await scene.run({ ports: { signal: controller.signal } });
  stop();
  expect(report).toMatchObject({ outcome: 'partial', stopped: { kind: 'interrupted' } });
  await undo(scene, report.snapshot);
  expect(routes(scene.account.emulator.store.dump())).toEqual(before);
});

test('a snapshot is for the owner alone, says how it is used, and holds no value behind a reference', async () => {
  const scene = await openScene({
    manifest: `
destinations: { boss: { env: BOSS } }
domains:
  acme.example:
    aliases: { sales: [boss, second@corp.example], gone: new@corp.example }`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: 'sales', forward: 'old@corp.example' },
            { alias: 'gone', forward: 'boss@corp.example, second@corp.example' },
          ],
        },
      ],
    },
  });
  const { report } = await scene.run();
  const { mode } = await stat(report.snapshot ?? '');
  expect(mode & 0o777).toBe(0o600);
  expect(await readFile(report.snapshot ?? '', 'utf8')).toContain('fwdsync apply -f');
  const text = await readFile(report.snapshot ?? '', 'utf8');
  expect(text).not.toContain('boss@corp.example');
  await undo(scene, report.snapshot);
  expect(scene.account.emulator.store.dump().domains[0]?.aliases.map(({ forward }) => forward)).toEqual([
    'boss@corp.example,second@corp.example',
    'old@corp.example',
  ]);
});

describe('no snapshot, no write', () => {
  const failing = (code: string): StateFs => ({
    ...fs,
    open: () => Promise.reject(Object.assign(new Error(`${code}: it does not work`), { code })),
  });

  test.each(['ENOSPC', 'EROFS', 'EACCES'])('%s', async (code) => {
    const scene = await openScene(setup('aliases: { new: n@corp.example }'));
    const state = openStateDirectory({
      directory: scene.account.stateDirectory,
      account: EMAIL,
      apiUrl: scene.account.emulator.urls.v4,
      fs: failing(code),
      clock: scene.account.clock,
      processes: systemProcesses(fs, 'test'),
    });
    const before = JSON.stringify(scene.account.emulator.store.dump());
    const result = await scene.attempt({ ports: { state } });
    expect(result).toMatchObject({ ok: false, error: { kind: 'no-snapshot' } });
    if (!result.ok && result.error.kind === 'no-snapshot') expect(result.error.message).toContain(code);
    expect(scene.account.writes()).toEqual([]);
    expect(JSON.stringify(scene.account.emulator.store.dump())).toBe(before);
  });

  test('a directory that is a file', async () => {
    const scene = await openScene(setup('aliases: { new: n@corp.example }'));
    const snapshots = join(scene.account.state().place, 'snapshots');
    await mkdir(dirname(snapshots), { recursive: true });
    await writeFile(snapshots, 'in the way');
    expect(await scene.attempt()).toMatchObject({ ok: false, error: { kind: 'no-snapshot' } });
    expect(scene.account.writes()).toEqual([]);
  });

  test('a plan without changes needs none', async () => {
    const scene = await openScene(setup('aliases: { keep: k@corp.example }'));
    await chmod(scene.account.stateDirectory, 0o500);
    const { report } = await scene.run();
    await chmod(scene.account.stateDirectory, 0o700);
    expect(report).toMatchObject({ outcome: 'unchanged', snapshot: null });
  });
});

test('a password that is not set or too short: its credential alone is skipped, and it is a problem of the manifest', async () => {
  const scene = await openScene(
    setup(
      'aliases: { new: n@corp.example }\n    credentials: { carol: { password: { env: UNSET } }, dan: { password: { env: SHORT } } }',
    ),
  );
  const result = await scene.attempt({
    ports: { resolvePassword: ({ shown }) => (shown.includes('SHORT') ? 'short' : null) },
  });
  expect(result).toMatchObject({
    ok: true,
    value: {
      outcome: 'partial',
      applied: [{ kind: 'alias', name: 'new' }],
      skipped: [
        { kind: 'credential', name: 'carol' },
        { kind: 'credential', name: 'dan' },
      ],
      problems: [{ code: 'reference-not-set', source: { line: 5 } }, { code: 'short-password' }],
    },
  });
  expect(JSON.stringify(result)).not.toContain('"short"');
  expect(scene.account.writes().map(({ path }) => path)).toEqual(['/domains/acme.example/aliases']);
});

test('snapshots and reports are kept in bounded number, the newest', async () => {
  const scene = await openScene({ ...setup('aliases: { new: n@corp.example }') });
  const state = scene.account.state();
  for (let run = 0; run < 50; run += 1) {
    scene.account.clock.advance(1_000);
    await state.saveSnapshot('version: 1\n');
    await state.saveReport('{}');
  }
  scene.account.clock.advance(1_000);
  await scene.run();
  for (const directory of ['snapshots', 'reports']) {
    const names = (await readdir(join(state.place, directory))).sort();
    expect([directory, names.length]).toEqual([directory, 50]);
    const { mode } = await stat(join(state.place, directory, names[0] ?? ''));
    expect(mode & 0o777).toBe(0o600);
  }
  const names = (await readdir(join(state.place, 'reports'))).sort();
  const report: unknown = JSON.parse(
    await readFile(join(state.place, 'reports', names.at(-1) ?? ''), 'utf8'),
  );
  expect(report).toMatchObject({ kind: 'fwdsync/report@1', outcome: 'converged' });
});
