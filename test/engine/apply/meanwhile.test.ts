import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { EmulatorStore } from '../../../src/emulator/account/store.ts';
import { openScene, type Scene } from './support/harness.ts';

const ID = '00000000-0000-4000-8000-00000000000';

const seed: Seed = {
  domains: [
    {
      domain: 'acme.example',
      aliases: ['a', 'b', 'c'].map((alias) => ({ alias, forward: 'old@corp.example' })),
      rules: ['1', '2', '3'].map((name) => ({
        id: `${ID}${name}`,
        type: 'alias',
        config: { alias: name, forward: 'old@corp.example' },
      })),
      credentials: [{ username: 'dan', password: 'long enough' }],
    },
    { domain: 'gone.example' },
  ],
};

const rules = (names: readonly string[], forward: string): string =>
  names
    .map((name) => `{ id: ${ID}${name}, name: r${name}, alias: "${name}", forward: ${forward} }`)
    .join(', ');

/** Another user deletes the item of a request just before the request arrives. */
async function deletedBefore(scene: Scene, method: string, path: string, deletes: readonly string[]) {
  return scene.run({
    company: 'others',
    beforeApply: () =>
      scene.account.emulator.faults.push(
        ...deletes.map(
          (gone) =>
            ({
              match: { method, path },
              do: { kind: 'edit', request: { method: 'DELETE', path: `/v4${gone}` } },
            }) as const,
        ),
      ),
  });
}

describe('another user deletes what', () => {
  test.each([
    ['one alias', 'aliases: { a: new@corp.example }', 'aliases', '/domains/acme.example/aliases/1'],
    [
      'several aliases',
      'aliases: { a: new@corp.example, b: new@corp.example }',
      'aliases',
      '/domains/acme.example/aliases/1',
    ],
    [
      'one rule',
      `rules: [${rules(['1'], 'new@corp.example')}]`,
      'rules',
      `/domains/acme.example/rules/${ID}1`,
    ],
    [
      'several rules',
      `rules: [${rules(['1', '2'], 'new@corp.example')}]`,
      'rules',
      `/domains/acme.example/rules/${ID}1`,
    ],
  ])('is to be updated, %s: it is made again in the next round', async (_, section, path, gone) => {
    const scene = await openScene({ manifest: `domains:\n  acme.example:\n    ${section}`, seed });
    const { report, writes } = await deletedBefore(scene, 'PUT', path, [gone]);
    expect([report.failed, report.outcome]).toEqual([[], 'converged']);
    expect(writes.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test.each([
    ['one alias', 'aliases: { a: { state: absent } }', 'aliases', '/domains/acme.example/aliases/1'],
    [
      'several aliases',
      'aliases: { a: { state: absent }, b: { state: absent } }',
      'aliases',
      '/domains/acme.example/aliases/1',
    ],
    ['one rule', `rules: [{ id: ${ID}1, state: absent }]`, 'rules', `/domains/acme.example/rules/${ID}1`],
    [
      'several rules',
      `rules: [{ id: ${ID}1, state: absent }, { id: ${ID}2, state: absent }]`,
      'rules',
      `/domains/acme.example/rules/${ID}1`,
    ],
    [
      'a credential',
      'credentials: { dan: { state: absent } }',
      'credentials',
      '/domains/acme.example/credentials/dan',
    ],
  ])('is to be deleted, %s: it is as it shall be', async (_, section, path, gone) => {
    const scene = await openScene({ manifest: `domains:\n  acme.example:\n    ${section}`, seed });
    const { report } = await deletedBefore(scene, 'DELETE', path, [gone]);
    expect([report.failed, report.skipped, report.outcome]).toEqual([[], [], 'converged']);
  });

  test('is a domain that is to be deleted', async () => {
    const scene = await openScene({ manifest: 'domains:\n  gone.example: { state: absent }', seed });
    const { report } = await deletedBefore(scene, 'DELETE', 'gone', ['/domains/gone.example']);
    expect(report.outcome).toBe('converged');
  });
});

describe('another user adds an item that the run adds', () => {
  test.each([
    ['just so', 'new@corp.example', 0],
    ['otherwise', 'other@corp.example', 1],
  ])('an alias, %s', async (_, forward, puts) => {
    const scene = await openScene({
      manifest: 'domains:\n  acme.example:\n    aliases: { fresh: new@corp.example }',
      seed,
    });
    const { report, writes } = await scene.run({
      company: 'others',
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'POST' },
          do: {
            kind: 'edit',
            request: {
              method: 'POST',
              path: '/v4/domains/acme.example/aliases',
              body: { alias: 'fresh', forward },
            },
          },
        }),
    });
    expect(report.outcome).toBe('converged');
    expect(writes.filter(({ method }) => method === 'PUT')).toHaveLength(puts);
  });

  test('a domain: what belongs to it is made in the next round', async () => {
    const scene = await openScene({
      manifest: 'domains:\n  new.example:\n    aliases: { fresh: new@corp.example }',
      seed,
    });
    const { report } = await scene.run({
      company: 'others',
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'POST', path: '^/domains$' },
          do: {
            kind: 'edit',
            request: { method: 'POST', path: '/v4/domains', body: { domain: 'new.example' } },
          },
        }),
    });
    expect(report.outcome).toBe('converged');
    expect(report.applied.map(({ kind }) => kind)).toEqual(['alias']);
    expect(report.notes.join()).toContain('is in the desired state now');
  });
});

test('a destination whose host is not found is a refusal, not a missing alias', async () => {
  const scene = await openScene({
    manifest:
      'domains:\n  acme.example:\n    aliases: { a: new@corp.example, b: { state: absent }, c: new@corp.example }',
    seed,
  });
  const { report, writes } = await scene.run({
    beforeApply: () =>
      scene.account.emulator.faults.push({
        match: { method: 'PUT' },
        do: {
          kind: 'fail-items',
          items: [{ index: 0, message: 'Invalid forward: the host corp.example was not found' }],
        },
      }),
  });
  expect(report.failed).toMatchObject([{ name: 'a', status: 207 }]);
  expect(report.skipped).toMatchObject([{ name: 'b' }]);
  expect(writes).toHaveLength(1);
});

test('an unmanaged item that comes up in the middle is not touched', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    aliases: { a: new@corp.example }',
    seed,
  });
  const { report, end } = await scene.run({
    company: 'others',
    beforeApply: () =>
      scene.account.emulator.faults.push({ match: { method: 'PUT' }, do: { kind: 'edit', run: addForeign } }),
  });
  expect(report.outcome).toBe('converged');
  expect(end.domains[0]).toMatchObject({ notification_email: 'foreign@corp.example' });
});

function addForeign({ state }: EmulatorStore): void {
  Object.assign(state.domains.get('acme.example')?.fields ?? {}, {
    notification_email: 'foreign@corp.example',
  });
}

describe('a domain that another user deletes during the run', () => {
  const manifest = `
domains:
  acme.example:
    notification_email: ops@corp.example
    aliases: { a: new@corp.example, d: new@corp.example }
  gone.example:
    aliases: { a: new@corp.example }`;

  test.each([
    ['left', ['gone.example']],
    ['taken-up', ['acme.example', 'gone.example']],
  ] as const)('is made again unless the plan was approved as it is: %s', async (newcomers, end) => {
    const scene = await openScene({ manifest, seed, switches: { catchAllOnCreate: 'none' } });
    const result = await scene.run({
      company: 'others',
      newcomers,
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', path: String.raw`^/domains\?` },
          do: { kind: 'edit', request: { method: 'DELETE', path: '/v4/domains/acme.example' } },
        }),
    });
    expect(result.report.outcome).toBe('partial');
    expect(result.end.domains.map(({ domain }) => domain)).toEqual(end);
    if (newcomers === 'taken-up') return;
    expect(result.writes.map(({ method, path }) => `${method} ${path}`)).not.toContain('POST /domains');
    const told = [...result.report.failed, ...result.report.skipped].map(({ name }) => name);
    expect(told).toContain('acme.example');
    expect(result.report.skipped.map(({ reason }) => reason).join()).toContain('the next plan shows it');
  });
});
