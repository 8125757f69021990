import { describe, expect, test } from 'vitest';
import type { SeedRule } from '../../../src/emulator/account/seed.ts';
import { openScene, type Scene } from './support/harness.ts';

const aliases = `
domains:
  acme.example:
    aliases: { sales: [b@corp.example, a@corp.example], info: "Case@CORP.example" }`;

function edit(scene: Scene, method: string, path: string, body?: object): void {
  scene.account.emulator.faults.push({
    match: { method: 'GET' },
    do: {
      kind: 'edit',
      request: { method, path: `/v4${path}`, ...(body === undefined ? {} : { body: body as never }) },
    },
  });
}

test.each(['as-sent', 'compact', 'spaced', 'reversed'] as const)(
  'destinations that come back %s are the same destinations',
  async (forwardEcho) => {
    const scene = await openScene({
      manifest: aliases,
      seed: { domains: [{ domain: 'acme.example' }] },
      switches: { forwardEcho },
    });
    const { report, writes } = await scene.run();
    expect([report.outcome, writes.length]).toEqual(['converged', 1]);
    expect((await scene.run()).report.outcome).toBe('unchanged');
  },
);

test('changes by another user during verification are corrected in the next round', async () => {
  const scene = await openScene({
    manifest: aliases,
    seed: {
      domains: [{ domain: 'acme.example', aliases: [{ alias: 'info', forward: 'case@corp.example' }] }],
    },
  });
  const result = await scene.run({
    beforeApply: () =>
      edit(scene, 'PUT', '/domains/acme.example/aliases/1', { forward: 'drift@corp.example' }),
  });
  expect(result.report.outcome).toBe('converged');
  expect(result.progress.filter(({ kind }) => kind === 'verifying')).toHaveLength(2);
});

test('two live items for one name after the run: nothing is called converged', async () => {
  const scene = await openScene({
    manifest: aliases,
    seed: { domains: [{ domain: 'acme.example' }] },
    switches: { aliasNameCase: 'sensitive' },
  });
  const result = await scene.run({
    company: 'others',
    beforeApply: () =>
      edit(scene, 'POST', '/domains/acme.example/aliases', { alias: 'INFO', forward: 'x@corp.example' }),
  });
  expect(result.report.outcome).toBe('partial');
  expect(result.report.notes.join()).toContain('two live aliases have the name');
});

test('a domain that cannot be read again is no converged one', async () => {
  const scene = await openScene({ manifest: aliases, seed: { domains: [{ domain: 'acme.example' }] } });
  const { report } = await scene.run({
    beforeApply: () =>
      scene.account.emulator.faults.push({
        match: { method: 'GET', times: 'always' },
        do: { kind: 'listing', total: 1 },
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.notes.join()).toContain('acme.example could not be read again');
});

describe('ranks', () => {
  const rules = (names: readonly string[]): string =>
    `domains:\n  acme.example:\n    rules:\n${names.map((name) => `      - { name: ${name}, alias: "${name}*", forward: ${name}@corp.example }`).join('\n')}`;
  const seeded = (name: string, rank: number): SeedRule => ({
    type: 'alias',
    config: { alias: `${name}*`, forward: `${name}@corp.example` },
    rank,
  });

  test.each([0, 1, 3, 'all'] as const)(
    'with %s digits in the service end in the right order',
    async (rankDigits) => {
      const scene = await openScene({
        manifest: rules(['a', 'x', 'y', 'z', 'b', 'c']),
        seed: {
          domains: [{ domain: 'acme.example', rules: [seeded('a', 1), seeded('b', 2), seeded('c', 3)] }],
        },
        switches: { rankDigits },
      });
      const { report, end } = await scene.run();
      expect(report.outcome).toBe('converged');
      expect(end.domains[0]?.rules.map(({ config }) => config['alias'])).toEqual([
        'a*',
        'x*',
        'y*',
        'z*',
        'b*',
        'c*',
      ]);
      expect((await scene.run()).report.outcome).toBe('unchanged');
    },
  );

  test('that come back differently hold stage 2 back until the order is right', async () => {
    const scene = await openScene({
      manifest: `${rules(['a', 'x', 'b'])}\n    prune: { rules: true }`,
      seed: {
        domains: [{ domain: 'acme.example', rules: [seeded('a', 1), seeded('old', 1.2), seeded('b', 2)] }],
      },
      switches: { rankDigits: 0 },
    });
    const { report, writes } = await scene.run();
    expect(report.outcome).toBe('converged');
    expect(writes.at(-1)?.method).toBe('DELETE');
    expect(writes.length).toBeGreaterThan(2);
  });
});

test.each([
  ['refuse', 'failed', 1],
  // The rule is not there, although the service says so. The next run adds it again.
  ['success', 'partial', 1],
  ['overwrite', 'partial', 1],
  // The rule is there under another id, which the entry keeps from then on.
  ['second', 'converged', 0],
] as const)(
  'a rule whose id another domain has, answered with %s: %s, and %i requests of the next run',
  async (existingRuleId, outcome, again) => {
    const id = '00000000-0000-4000-8000-000000000001';
    const scene = await openScene({
      manifest: `domains:\n  acme.example:\n    rules: [{ id: ${id}, name: vip, alias: vip, forward: new@corp.example }]`,
      seed: {
        domains: [
          { domain: 'acme.example' },
          {
            domain: 'other.example',
            rules: [{ id, type: 'alias', config: { alias: 'vip', forward: 'old@corp.example' } }],
          },
        ],
      },
      switches: { existingRuleId, ruleIdScope: 'account' },
    });
    // The service overwrites a rule of another domain; a plan cannot foresee that.
    const first = await scene.run({ company: 'others' });
    expect([first.report.outcome, first.writes.length]).toEqual([outcome, 1]);
    expect(
      [...first.report.failed, ...first.report.notKept].map(({ action, name }) => [action, name]),
    ).toEqual(again === 0 ? [] : [['add', 'vip']]);
    const second = await scene.run({ company: 'others' });
    expect(second.writes).toHaveLength(again);
    expect(second.end.domains[0]?.rules).toHaveLength(existingRuleId === 'second' ? 1 : 0);
  },
);

describe('settings of one of many domains', () => {
  const manifest = 'domains: { d0.example: { notification_email: n@corp.example } }';
  const domains = Array.from({ length: 201 }, (_, index) => ({ domain: `d${index}.example` }));

  test('are verified without the list of all domains', async () => {
    const scene = await openScene({ manifest, seed: { domains } });
    const { report, requests } = await scene.run();
    expect(report.outcome).toBe('converged');
    const sent = requests.map(({ method, path }) => `${method} ${path}`);
    expect(sent).toEqual(['GET /domains/d0.example', 'PUT /domains/d0.example', 'GET /domains/d0.example']);
  });

  test('that another user changes or deletes meanwhile are noticed', async () => {
    for (const request of [
      { method: 'PUT', path: '/v4/domains/d0.example', body: { notification_email: null } },
      { method: 'DELETE', path: '/v4/domains/d0.example' },
    ]) {
      const scene = await openScene({ manifest, seed: { domains } });
      const { report, requests } = await scene.run({
        company: 'others',
        beforeApply: () =>
          scene.account.emulator.faults.push({
            match: { method: 'GET', path: '/domains/d0.example', nth: 2 },
            do: { kind: 'edit', request },
          }),
      });
      expect(report.outcome).toBe('converged');
      const writes = requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
      expect(writes).toEqual(request.method === 'PUT' ? ['PUT', 'PUT'] : ['PUT', 'POST']);
      const isListed = requests.some(({ method, endpoint }) => `${method} ${endpoint}` === 'GET /domains');
      expect(isListed).toBe(request.method === 'DELETE');
    }
  });
});
