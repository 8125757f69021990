import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import { everyNth } from '../../support/share.ts';
import { openScene, runScene, type RunResult } from './support/harness.ts';

/** Refuses all requests with this path and method. */
function refuse(method: string, path: string): Fault {
  return {
    match: { method, path, times: 'always' },
    do: { kind: 'status', code: 400, body: { message: 'refused', errors: {} } },
  };
}

function told({ report }: RunResult) {
  const brief = (
    list: readonly { readonly action: string; readonly domain: string; readonly name: string }[],
  ) => list.map(({ action, domain, name }) => `${action} ${name}@${domain}`).sort();
  return { applied: brief(report.applied), failed: brief(report.failed), skipped: brief(report.skipped) };
}

const live = (domain: string, forward = 'old@corp.example') => ({
  domain,
  aliases: [
    { alias: 'old', forward },
    { alias: 'keep', forward: 'x@corp.example' },
  ],
  credentials: [{ username: 'dan', password: 'long enough' }],
});

describe('within a domain', () => {
  test('a rejected add beside deletes: nothing is deleted, credentials apart', async () => {
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { keep: x@corp.example, new: refused@corp.example }
    credentials: { dan: { state: absent } }`,
      seed: { domains: [live('acme.example')] },
      faults: [refuse('POST', 'aliases')],
    });
    expect(told(result)).toEqual({
      applied: ['delete dan@acme.example'],
      failed: ['add new@acme.example'],
      skipped: ['delete old@acme.example'],
    });
    expect(result.report.skipped[0]?.reason).toBe('an earlier change in this domain failed');
    expect(result.report.outcome).toBe('partial');
  });

  test('a credential that fails holds no route back, but the deletes of credentials', async () => {
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    aliases: { old: { state: absent } }
    credentials: { dan: { state: absent }, eve: { password: { env: PASSWORD } } }`,
      seed: { domains: [live('acme.example')] },
      faults: [refuse('POST', 'credentials')],
    });
    expect(told(result)).toEqual({
      applied: ['delete old@acme.example'],
      failed: ['add eve@acme.example'],
      skipped: ['delete dan@acme.example'],
    });
  });

  test('a rule that is refused keeps the alias that it was to replace', async () => {
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    aliases: { old: { state: absent } }
    rules: [{ name: old, alias: old, forward: refused@corp.example }]`,
      seed: { domains: [live('acme.example')] },
      faults: [refuse('POST', 'rules')],
    });
    expect(told(result)).toEqual({
      applied: [],
      failed: ['add old@acme.example'],
      skipped: ['delete old@acme.example'],
    });
  });

  test('a delete that fails holds no other delete back', async () => {
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    aliases: { old: { state: absent } }
    rules: [{ id: 00000000-0000-4000-8000-000000000001, state: absent }]`,
      seed: {
        domains: [
          {
            ...live('acme.example'),
            rules: [
              {
                id: '00000000-0000-4000-8000-000000000001',
                type: 'alias',
                config: { alias: 'a', forward: 'b@corp.example' },
              },
            ],
          },
        ],
      },
      faults: [refuse('DELETE', 'rules')],
    });
    expect(told(result)).toEqual({
      applied: ['delete old@acme.example'],
      failed: ['delete 00000000-0000-4000-8000-000000000001@acme.example'],
      skipped: [],
    });
    expect(result.report.outcome).toBe('partial');
  });

  test('a narrowing that fails keeps what comes after it', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    aliases: { old: { state: absent } }
    rules: [{ id: ${id}, name: vip, alias: vip2, forward: b@corp.example }]`,
      seed: {
        domains: [
          {
            ...live('acme.example'),
            rules: [{ id, type: 'alias', config: { alias: 'vip', forward: 'b@corp.example' } }],
          },
        ],
      },
      faults: [refuse('PUT', 'rules')],
    });
    expect(told(result)).toEqual({
      applied: [],
      failed: ['update vip@acme.example'],
      skipped: ['delete old@acme.example'],
    });
  });
});

describe('across domains', () => {
  const manifest = `
domains:
  a.example:
    aliases: { sales: desk@corp.example }
  b.example:
    aliases: { desk: { state: absent }, other: { state: absent } }
  c.example:
    aliases: { free: { state: absent } }`;
  const seed = {
    domains: [
      { domain: 'a.example', aliases: [{ alias: 'sales', forward: 'desk+label@b.example' }] },
      {
        domain: 'b.example',
        aliases: [
          { alias: 'desk', forward: 'x@corp.example' },
          { alias: 'other', forward: 'x@corp.example' },
        ],
      },
      { domain: 'c.example', aliases: [{ alias: 'free', forward: 'x@corp.example' }] },
    ],
  };

  test('an address stays while a domain whose update failed forwards to it', async () => {
    const result = await runScene({ manifest, seed, faults: [refuse('PUT', 'a.example')] });
    expect(told(result)).toEqual({
      applied: ['delete free@c.example', 'delete other@b.example'],
      failed: ['update sales@a.example'],
      skipped: ['delete desk@b.example'],
    });
    expect(result.report.skipped[0]?.reason).toBe('a.example may still forward there');
  });

  test('a delete never overtakes the update of another domain', async () => {
    const { report, writes } = await runScene({ manifest, seed });
    expect(report.outcome).toBe('converged');
    expect(writes[0]).toMatchObject({ method: 'PUT', path: '/domains/a.example/aliases/1' });
  });

  test('an address that is a destination again during the run stays until that is corrected', async () => {
    const scene = await openScene({ manifest, seed });
    const { report, writes, requests } = await scene.run({
      company: 'others',
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', path: '^/domains/a\\.example/aliases' },
          do: {
            kind: 'edit',
            request: {
              method: 'PUT',
              path: '/v4/domains/a.example/aliases/1',
              body: { forward: 'desk@b.example' },
            },
          },
        }),
    });
    expect(report.outcome).toBe('converged');
    expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /domains/a.example/aliases/1',
      'DELETE /domains/b.example/aliases/3',
      'DELETE /domains/c.example/aliases/4',
      'PUT /domains/a.example/aliases/1',
      'DELETE /domains/b.example/aliases/2',
    ]);
    // It is read before its earlier destination is deleted, and not again after that. Twice in each of two rounds would be four.
    const reads = requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/domains/a.'));
    expect(reads).toHaveLength(2);
  });

  test('also when the update is lost and the domain can no longer be read', async () => {
    const scene = await openScene({ manifest, seed });
    const { report, end } = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push(
          {
            match: { method: 'PUT', path: 'a.example', times: 'always' },
            do: { kind: 'drop', when: 'before' },
          },
          {
            match: { method: 'GET', path: 'a.example', times: 'always' },
            do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
          },
        ),
    });
    expect(report.outcome).toBe('partial');
    expect(report.notes.join()).toContain('a.example could not be read again');
    expect(
      end.domains.find(({ domain }) => domain === 'b.example')?.aliases.map(({ alias }) => alias),
    ).toEqual(['desk']);
    expect(report.skipped).toMatchObject([{ name: 'desk', reason: 'a.example may still forward there' }]);
  });

  test('a domain that is to be deleted stays while another that failed forwards to it', async () => {
    const result = await runScene({
      manifest: `
domains:
  a.example: { aliases: { sales: desk@corp.example } }
  b.example: { state: absent }`,
      seed,
      faults: [refuse('PUT', 'a.example')],
    });
    expect(told(result)).toEqual({
      applied: [],
      failed: ['update sales@a.example'],
      skipped: ['delete b.example@b.example'],
    });
  });

  test('a withheld entry keeps its destination', async () => {
    const result = await runScene(
      {
        manifest: `
domains:
  a.example:
    prune: { aliases: true }
    aliases: { keep: x@corp.example }
  b.example:
    aliases: { desk: { state: absent } }`,
        seed: {
          domains: [
            {
              domain: 'a.example',
              aliases: ['keep', 's1', 's2', 's3', 's4'].map((alias) => ({
                alias,
                forward: alias === 'keep' ? 'x@corp.example' : 'desk@b.example',
              })),
            },
            {
              domain: 'b.example',
              aliases: ['desk', 'd1', 'd2'].map((alias) => ({ alias, forward: 'x@corp.example' })),
            },
          ],
        },
      },
      { refusals: 'withheld' },
    );
    expect(result.writes).toEqual([]);
    expect(result.report.outcome).toBe('refused');
    expect(result.report.withheld.map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
  });
});

describe('mail that is led to another domain', () => {
  const a = { domain: 'a.example', aliases: [{ alias: 'sales', forward: 'x@corp.example' }] };
  const z = { domain: 'z.example', aliases: [{ alias: 'info', forward: 'x@corp.example' }] };
  const leading = (rest: string): string =>
    `domains:\n  a.example: { aliases: { sales: desk+a@z.example } }\n  ${rest}`;
  const desk = 'z.example: { aliases: { desk: d@corp.example } }';

  test.each([
    ['a new domain', leading(desk), [a]],
    ['a new alias', leading(desk), [a, z]],
    [
      'an alias that forwards elsewhere from now on',
      leading(desk),
      [a, { ...z, aliases: [{ alias: 'desk', forward: 'gone@z.example' }] }],
    ],
    ['a new pattern', leading('z.example: { aliases: { "*": d@corp.example } }'), [a, z]],
    [
      'a new rule',
      leading('z.example: { rules: [{ name: desk, alias: desk, forward: d@corp.example }] }'),
      [a, { ...z, routing_engine: 'rules' as const, rules_fallback_email: null }],
    ],
    [
      'an alias that leads to a third',
      `domains:\n  a.example: { aliases: { sales: hub@b.example } }\n  b.example: { aliases: { hub: desk@z.example } }\n  ${desk}`,
      [a, { domain: 'b.example', aliases: [{ alias: '*', forward: 'b@corp.example' }] }, z],
    ],
  ])('waits for %s there', async (_, manifest, domains) => {
    const { report, writes } = await runScene({ manifest, seed: { domains } });
    expect(report.outcome).toBe('converged');
    expect(writes.at(-1)).toMatchObject({ method: 'PUT', path: '/domains/a.example/aliases/1' });
    const last = domains.at(-1)?.domain === 'z.example' ? /z\.example/ : /domains$/;
    expect(writes[0]?.path).toMatch(last);
  });

  test.each([
    ['added', 'POST', 'aliases', z, 'add'],
    [
      'updated',
      'PUT',
      'z.example/aliases/2',
      { ...z, aliases: [{ alias: 'desk', forward: 'gone@z.example' }] },
      'update',
    ],
  ] as const)(
    'stays where it is as long as what it is led to was not %s',
    async (word, method, path, there, action) => {
      const result = await runScene({
        manifest: leading(desk),
        seed: { domains: [a, there] },
        faults: [refuse(method, path)],
      });
      expect(told(result)).toEqual({
        applied: [],
        failed: [`${action} desk@z.example`],
        skipped: ['update sales@a.example'],
      });
      expect(result.report.skipped[0]?.reason).toBe(
        `desk of z.example, to which its mail goes then, was not ${word}`,
      );
    },
  );

  test('in a circle waits for nothing', async () => {
    const { report } = await runScene({
      manifest:
        'domains:\n  a.example: { aliases: { one: two@z.example, four: x@corp.example } }\n  z.example: { aliases: { two: x@corp.example, three: four@a.example } }',
      seed: { domains: [a, z] },
    });
    expect(report.outcome).toBe('converged');
  });
});

describe('late listings', () => {
  const acme = { seed: { domains: [live('acme.example')] } };
  const two = {
    seed: {
      domains: [
        live('a.example', 'desk@b.example'),
        { domain: 'b.example', aliases: [{ alias: 'desk', forward: 'x@corp.example' }] },
      ],
    },
  };
  const prune = 'prune: { aliases: true }';
  const cases = {
    'an alias replaces another': {
      ...acme,
      manifest: `{ ${prune}, aliases: { keep: x@corp.example, new: a@corp.example } }`,
    },
    'an update stands before a delete': {
      ...acme,
      manifest: `{ ${prune}, aliases: { keep: y@corp.example } }`,
    },
    'a rule replaces an alias': {
      ...acme,
      manifest:
        '{ aliases: { old: { state: absent } }, rules: [{ name: old, alias: old, forward: a@corp.example }] }',
    },
    'another domain is led away from what goes': {
      ...two,
      manifest: '{ aliases: { old: a@corp.example } }\n  b.example: { aliases: { desk: { state: absent } } }',
    },
    'what another domain deletes led to what goes': {
      ...two,
      manifest:
        '{ aliases: { old: { state: absent } } }\n  b.example: { aliases: { desk: { state: absent } } }',
    },
    'another domain is led away from a domain that goes': {
      ...two,
      manifest: '{ aliases: { old: a@corp.example } }\n  b.example: { state: absent }',
    },
  };

  test.each(
    everyNth(
      5,
      Object.entries(cases).flatMap(([name, setup]) =>
        (['v4', 'v3'] as const).flatMap((version) =>
          [1, 2].map((lag) => [name, version, lag, setup] as const),
        ),
      ),
    ),
  )('%s: one run converges (%s, late by %i reads)', async (_name, version, listingLag, setup) => {
    const domain = setup.seed.domains[0]?.domain ?? '';
    const { report } = await runScene({
      seed: setup.seed,
      version,
      switches: { listingLag },
      manifest: `domains:\n  ${domain}: ${setup.manifest}`,
    });
    expect(report).toMatchObject({ outcome: 'converged', failed: [], skipped: [], notKept: [] });
  });

  test('a replacement of an alias that never appears: the alias stays', async () => {
    const scene = await openScene({
      ...acme,
      manifest: `domains:\n  acme.example: ${cases['an alias replaces another'].manifest}`,
    });
    const { report, end } = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', times: 'always' },
          do: {
            kind: 'edit',
            request: { method: 'DELETE', path: '/v4/domains/acme.example/aliases/3' },
          },
        }),
    });
    expect(told({ report } as RunResult).skipped).toEqual(['delete old@acme.example']);
    expect(report).toMatchObject({ outcome: 'partial', notKept: [{ name: 'new' }] });
    expect(end.domains[0]?.aliases.map(({ alias }) => alias)).toEqual(['keep', 'old']);
  });

  test('a change that appears only in a later pass of verification continues in the next pass', async () => {
    const { writes, end } = await runScene({
      ...acme,
      manifest: `domains:\n  acme.example: ${cases['an alias replaces another'].manifest}`,
      switches: { listingLag: 4 },
    });
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(end.domains[0]?.aliases.map(({ alias }) => alias)).toEqual(['keep', 'new']);
  });

  test('edits by other users meanwhile are not waited for', async () => {
    const scene = await openScene({
      ...acme,
      manifest: `domains:\n  acme.example: ${cases['an update stands before a delete'].manifest}`,
    });
    const { report } = await scene.run({
      company: 'others',
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', path: 'aliases' },
          do: {
            kind: 'edit',
            request: {
              method: 'PUT',
              path: '/v4/domains/acme.example/aliases/2',
              body: { forward: 'z@corp.example' },
            },
          },
        }),
    });
    expect(report.outcome).toBe('converged');
    expect(scene.account.clock.sleeps).toEqual([2_000]);
  });
});
