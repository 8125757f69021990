import { expect, test } from 'vitest';
import { openScene, type Scene } from './harness.ts';

const manifest = `
domains:
  acme.example:
    prune: { aliases: true, rules: true }
    aliases: { keep: k@corp.example, new: n@corp.example }
  other.example:
    aliases: { old: { state: absent } }`;

const seed = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'keep', forward: 'k@corp.example' },
        { alias: 'old1', forward: 'x@corp.example' },
        { alias: 'old2', forward: 'x@corp.example' },
      ],
    },
    { domain: 'other.example', aliases: [{ alias: 'old', forward: 'x@corp.example' }] },
  ],
};

/** Somebody else does something, and so much time passes, when the first alias is added. */
function afterStageOne(
  scene: Scene,
  {
    milliseconds,
    edits = [],
  }: { milliseconds: number; edits?: readonly (readonly [string, string, object?])[] },
) {
  const stop = scene.account.emulator.onRequest(async ({ phase, method }) => {
    if (phase !== 'after' || method !== 'POST') return;
    stop();
    scene.account.clock.advance(milliseconds);
    for (const [verb, path, body] of edits) {
      const response = await fetch(`${scene.account.emulator.urls.v4}${path}`, {
        method: verb,
        headers: {
          authorization: `Basic ${btoa('api:sk_test_0123456789')}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect(response.ok).toBe(true);
    }
  });
}

function namesOf(domain: string, scene: Scene): readonly string[] {
  const found = scene.account.emulator.store.dump().domains.find((entry) => entry.domain === domain);
  return found?.aliases.map(({ alias }) => alias) ?? [];
}

test('a listing of two minutes is not read again, an older one is, domain by domain', async () => {
  for (const [milliseconds, listings] of [
    [119_000, 1],
    [121_000, 2],
  ] as const) {
    const scene = await openScene({ manifest, seed });
    const { report, requests } = await scene.run({
      beforeApply: () => afterStageOne(scene, { milliseconds }),
    });
    expect(report.outcome).toBe('converged');
    for (const domain of ['acme.example', 'other.example']) {
      const reads = requests.filter(
        ({ method, path }) => method === 'GET' && path.startsWith(`/domains/${domain}/aliases`),
      );
      expect([domain, milliseconds, reads.length]).toEqual([domain, milliseconds, listings]);
    }
  }
});

test('what somebody deleted meanwhile is not deleted again, the rest is', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, { milliseconds: 200_000, edits: [['DELETE', '/domains/acme.example/aliases/2']] }),
  });
  expect(report.outcome).toBe('converged');
  expect(writes.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toContain(
    '/domains/acme.example/aliases/3',
  );
  expect(namesOf('acme.example', scene)).toEqual(['keep', 'new']);
});

test('what somebody made under an old name meanwhile is not ours to delete', async () => {
  const scene = await openScene({ manifest, seed });
  const { report } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 200_000,
        edits: [
          ['DELETE', '/domains/acme.example/aliases/2'],
          ['POST', '/domains/acme.example/aliases', { alias: 'old1', forward: 'fresh@corp.example' }],
          ['POST', '/domains/acme.example/aliases', { alias: 'fresh', forward: 'fresh@corp.example' }],
        ],
      }),
  });
  expect(namesOf('acme.example', scene)).toEqual(['fresh', 'keep', 'new', 'old1']);
  expect(report.outcome).toBe('partial');
  expect(report.skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ['fresh', 'it came up or changed during the run: the next plan shows it'],
    ['old1', 'it came up or changed during the run: the next plan shows it'],
  ]);
});

test('a domain that needs more of stage 1 by now waits for the next round', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 200_000,
        edits: [['PUT', '/domains/acme.example/aliases/1', { forward: 'drift@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('converged');
  const acme = writes
    .filter(({ path }) => path.startsWith('/domains/acme.example'))
    .map(({ method }) => method);
  // The first PUT is the other's.
  expect(acme).toEqual(['POST', 'PUT', 'PUT', 'DELETE']);
});

test('where the plan runs as it was approved, what came up beside it is left to the next plan', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    newcomers: 'left',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 200_000,
        edits: [['PUT', '/domains/acme.example/aliases/1', { forward: 'drift@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.skipped).toContainEqual(
    expect.objectContaining({
      name: 'keep',
      reason: 'it came up or changed during the run: the next plan shows it',
    }),
  );
  const acme = writes.filter(({ path }) => path.startsWith('/domains/acme.example'));
  // The PUT is the other's.
  expect(acme.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

test('a domain that cannot be read again is not deleted from; others are', async () => {
  const scene = await openScene({ manifest, seed });
  const { report } = await scene.run({
    beforeApply: () => {
      afterStageOne(scene, { milliseconds: 200_000 });
      scene.account.emulator.faults.push({
        match: { method: 'GET', path: '^/domains/acme.example/aliases', times: 'always' },
        do: { kind: 'listing', empty: true },
      });
    },
  });
  expect(report.outcome).toBe('partial');
  expect(namesOf('acme.example', scene)).toEqual(['keep', 'new', 'old1', 'old2']);
  expect(namesOf('other.example', scene)).toEqual([]);
  expect(report.skipped.map(({ name }) => name)).toEqual(['old1', 'old2']);
});

test('a new domain whose listing is old by the time its * is to go is read again as well', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  new.example:\n    prune: { aliases: true }\n    aliases: { info: a@corp.example }',
  });
  let added = 0;
  scene.account.emulator.onRequest(({ phase, path, method }) => {
    if (phase !== 'after' || method !== 'POST' || !path.endsWith('/aliases')) return;
    added += 1;
    scene.account.clock.advance(300_000);
  });
  const { report, requests } = await scene.run();
  expect([report.outcome, added]).toEqual(['converged', 1]);
  const order = requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  expect(order.slice(0, 4)).toEqual([
    'POST /domains',
    'GET /domains/new.example/aliases',
    'POST /domains/new.example/aliases',
    'GET /domains/new.example/aliases',
  ]);
});

test('a domain that is to be deleted and holds more by now stays', async () => {
  const scene = await openScene({
    manifest: `
domains:
  acme.example: { state: absent }
  other.example:
    aliases: { new: n@corp.example }`,
    seed,
  });
  const { report } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 200_000,
        edits: [['POST', '/domains/acme.example/aliases', { alias: 'precious', forward: 'x@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.skipped).toMatchObject([{ action: 'delete', kind: 'domain', name: 'acme.example' }]);
  expect(namesOf('acme.example', scene)).toContain('precious');
});

test('settings that somebody else changed in a long run are not sent back as they were', async () => {
  const scene = await openScene({
    manifest: `
domains:
  acme.example:
    whitelabel: mail.partner.example`,
    seed: { domains: [{ domain: 'acme.example', notification_email: 'before@corp.example' }] },
  });
  for (const [milliseconds, reads] of [
    [0, 0],
    [200_000, 1],
  ] as const) {
    const state = scene.account.emulator.store.state.domains.get('acme.example');
    Object.assign(state ?? {}, { whitelabel: null });
    const { report, requests, end } = await scene.run({
      company: 'others',
      beforeApply: () => {
        scene.account.clock.advance(milliseconds);
        if (milliseconds > 0) Object.assign(state ?? {}, { notificationEmail: 'meanwhile@corp.example' });
      },
    });
    expect(report.outcome).toBe('converged');
    const settings = requests.filter(
      ({ method, endpoint }) => method === 'GET' && endpoint === '/domains/:domain',
    );
    expect(settings).toHaveLength(reads);
    const expected = milliseconds === 0 ? 'before@corp.example' : 'meanwhile@corp.example';
    expect(end.domains[0]).toMatchObject({
      whitelabel: 'mail.partner.example',
      notification_email: expected,
    });
  }
});

test('settings that cannot be read again are sent by the next list of domains only', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    whitelabel: mail.partner.example',
    seed: { domains: [{ domain: 'acme.example' }] },
  });
  const { report, requests } = await scene.run({
    beforeApply: () => {
      scene.account.clock.advance(200_000);
      scene.account.emulator.faults.push({
        match: { method: 'GET', endpoint: '/domains/:domain', times: 'always' },
        do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
      });
    },
  });
  expect(report.outcome).toBe('converged');
  expect(requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual([
    ...Array<string>(3).fill('GET /domains/:domain'),
    'GET /domains',
    'PUT /domains/:domain',
    'GET /domains',
  ]);
});
