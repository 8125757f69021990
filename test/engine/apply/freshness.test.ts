import { expect, test } from 'vitest';
import { openScene, type Scene } from './support/harness.ts';

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

/** When the first alias is added, another user does something and this much time passes. */
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

test('an alias that is deleted by hand right before the catch-all goes is back first', async () => {
  const scene = await openScene({
    manifest: `
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { info: i@corp.example, new: n@corp.example }`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: '*', forward: 'all@corp.example' },
            { alias: 'info', forward: 'i@corp.example' },
          ],
        },
      ],
    },
  });
  const { report, writes } = await scene.run({
    policy: { allowances: [{ kind: 'unrouted', address: '*@acme.example' }] },
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, { milliseconds: 0, edits: [['DELETE', '/domains/acme.example/aliases/2']] }),
  });
  expect(report.outcome).toBe('converged');
  // The first delete is from the other user.
  expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /domains/acme.example/aliases',
    'DELETE /domains/acme.example/aliases/2',
    'POST /domains/acme.example/aliases',
    'DELETE /domains/acme.example/aliases/1',
  ]);
});

test('all sections of a domain are read right before its stage 2, once for all of it', async () => {
  const scene = await openScene({
    manifest: `
domains:
  acme.example:
    prune: { aliases: true, rules: true }
    aliases: { keep: k@corp.example, new: n@corp.example }
    rules:
      - { name: jobs, alias: jobs, forward: j@corp.example }`,
    seed,
  });
  const { report, requests } = await scene.run();
  expect(report.outcome).toBe('converged');
  const order = requests.map(({ method, path }) => `${method} ${path.split('?')[0]?.split('/').pop()}`);
  const first = order.findIndex((request) => request.startsWith('DELETE'));
  expect(order.slice(first - 2, first).sort()).toEqual(['GET aliases', 'GET rules']);
  expect(order.filter((request) => request === 'GET aliases')).toHaveLength(2);
});

const credentials = `
domains:
  acme.example:
    prune: { credentials: true }
    credentials: { keep: { password: { env: PASSWORD } }, new: { password: { env: PASSWORD } } }`;

test.each([
  ['forward', 119_000, 1],
  ['forward', 121_000, 2],
  ['back an hour', 119_000, 1],
  ['back an hour', 121_000, 2],
  ['ahead an hour', 119_000, 1],
] as const)(
  'before credentials alone are deleted a listing of two minutes is not read again, an older one is: %s, %i ms',
  async (wall, milliseconds, listings) => {
    const scene = await openScene({
      manifest: credentials,
      seed: { domains: [{ domain: 'acme.example', credentials: ['keep', 'old'].map(credential) }] },
    });
    const { clock } = scene.account;
    let step = 0;
    const { report, requests } = await scene.run({
      client: { clock: { ...clock, now: () => clock.now() + step } },
      ports: { clock: { ...clock, now: () => clock.now() + step } },
      beforeApply: () => {
        afterStageOne(scene, { milliseconds });
        step = { forward: 0, 'back an hour': -3_600_000, 'ahead an hour': 3_600_000 }[wall];
      },
    });
    expect(report.outcome).toBe('converged');
    expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(listings);
  },
);

function credential(username: string): { readonly username: string; readonly password: string } {
  return { username, password: 'correct horse' };
}

test('items that another user deleted meanwhile are not deleted again, the others are', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, { milliseconds: 0, edits: [['DELETE', '/domains/acme.example/aliases/2']] }),
  });
  expect(report.outcome).toBe('converged');
  expect(writes.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toContain(
    '/domains/acme.example/aliases/3',
  );
  expect(namesOf('acme.example', scene)).toEqual(['keep', 'new']);
});

test('an item that another user made under an old name meanwhile is not deleted', async () => {
  const scene = await openScene({ manifest, seed });
  const { report } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 0,
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
    ['fresh', 'it appeared or changed during the run: the next plan shows it'],
    ['old1', 'it appeared or changed during the run: the next plan shows it'],
  ]);
});

test('a domain that needs more of stage 1 by now waits for the next round', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 0,
        edits: [['PUT', '/domains/acme.example/aliases/1', { forward: 'drift@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('converged');
  const acme = writes
    .filter(({ path }) => path.startsWith('/domains/acme.example'))
    .map(({ method }) => method);
  // The first PUT is from the other user.
  expect(acme).toEqual(['POST', 'PUT', 'PUT', 'DELETE']);
});

test('if the plan runs as approved, new differences are left to the next plan', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, writes } = await scene.run({
    company: 'others',
    newcomers: 'left',
    beforeApply: () =>
      afterStageOne(scene, {
        milliseconds: 0,
        edits: [['PUT', '/domains/acme.example/aliases/1', { forward: 'drift@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.skipped).toContainEqual(
    expect.objectContaining({
      name: 'keep',
      reason: 'it appeared or changed during the run: the next plan shows it',
    }),
  );
  const acme = writes.filter(({ path }) => path.startsWith('/domains/acme.example'));
  // The PUT is from the other user.
  expect(acme.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

test('a domain that cannot be read again is not deleted from; others are', async () => {
  const scene = await openScene({ manifest, seed });
  const { report } = await scene.run({
    beforeApply: () => {
      afterStageOne(scene, { milliseconds: 0 });
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
        milliseconds: 0,
        edits: [['POST', '/domains/acme.example/aliases', { alias: 'precious', forward: 'x@corp.example' }]],
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.skipped).toMatchObject([{ action: 'delete', kind: 'domain', name: 'acme.example' }]);
  expect(namesOf('acme.example', scene)).toContain('precious');
});

const settings = {
  manifest: `
domains:
  acme.example:
    whitelabel: mail.partner.example`,
  seed: { domains: [{ domain: 'acme.example', notification_email: 'before@corp.example' }] },
};

/** Another user edits an unmanaged setting at the given moment of the run. */
function editSettings(
  scene: Scene,
  { phase, method, nth = 1 }: { phase: 'before' | 'after'; method: string; nth?: number },
): void {
  let seen = 0;
  const stop = scene.account.emulator.onRequest((request) => {
    if (request.phase !== phase || request.method !== method || (seen += 1) !== nth) return;
    stop();
    const state = scene.account.emulator.store.state.domains.get('acme.example');
    Object.assign(state?.fields ?? {}, { notification_email: 'meanwhile@corp.example' });
  });
}

test('settings that were changed since the plan was made are not sent back as they were', async () => {
  const scene = await openScene(settings);
  const { report, requests, end } = await scene.run({
    company: 'others',
    beforeApply: () => editSettings(scene, { phase: 'before', method: 'GET' }),
  });
  expect([report.outcome, report.notes]).toEqual(['converged', []]);
  expect(requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual([
    'GET /domains/:domain',
    'PUT /domains/:domain',
    'GET /domains',
  ]);
  expect(end.domains[0]).toMatchObject({
    whitelabel: 'mail.partner.example',
    notification_email: 'meanwhile@corp.example',
  });
});

test('a setting that is not managed and changes right after it was written is reported', async () => {
  const scene = await openScene(settings);
  const { report, end } = await scene.run({
    company: 'others',
    beforeApply: () => editSettings(scene, { phase: 'after', method: 'PUT' }),
  });
  expect(report.outcome).toBe('converged');
  expect(report.notes).toEqual([
    'notification_email of acme.example is not managed and changed while this run wrote the other settings: ' +
      'check that it has the value that was intended',
  ]);
  expect(end.domains[0]).toMatchObject({ notification_email: 'meanwhile@corp.example' });
});

test.each([
  ['an answer of 429', { kind: 'status', code: 429, headers: { 'Retry-After': '60' }, body: {} }],
  ['an unknown outcome', { kind: 'drop', when: 'before' }],
] as const)('settings are read again before they are sent again after %s', async (_, fault) => {
  const scene = await openScene(settings);
  const { report, requests, end } = await scene.run({
    company: 'others',
    beforeApply: () => {
      scene.account.emulator.faults.push({ match: { method: 'PUT', times: 1 }, do: fault });
      editSettings(scene, { phase: 'after', method: 'PUT' });
    },
  });
  expect(report.outcome).toBe('converged');
  const order = requests.map(({ method }) => method);
  const last = order.lastIndexOf('PUT');
  expect(order.filter((method) => method === 'PUT')).toHaveLength(2);
  expect(requests[last - 1]).toMatchObject({ method: 'GET', endpoint: '/domains/:domain' });
  expect(end.domains[0]).toMatchObject({ notification_email: 'meanwhile@corp.example' });
});

test('settings that cannot be read are not sent, and the next round tries again', async () => {
  const scene = await openScene(settings);
  const { report, requests } = await scene.run({
    beforeApply: () => {
      scene.account.emulator.faults.push({
        match: { method: 'GET', endpoint: '/domains/:domain', times: 3 },
        do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
      });
    },
  });
  expect(report.outcome).toBe('converged');
  expect(requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual([
    ...Array<string>(3).fill('GET /domains/:domain'),
    'GET /domains',
    'GET /domains/:domain',
    'PUT /domains/:domain',
    'GET /domains',
  ]);
});

const SWITCHED_OFF = `
domains:
  acme.example:
    rules:
      - { id: 00000002-0000-4000-8000-000000000000, name: r2, alias: d, forward: two@corp.example, active: false }
      - { id: 00000003-0000-4000-8000-000000000000, name: r3, alias: d, forward: three@corp.example }`;

const ruleOf = (number: number, forward: string) => ({
  id: `0000000${number}-0000-4000-8000-000000000000`,
  type: 'alias' as const,
  config: { alias: 'd', forward },
  rank: number,
  active: true,
});

test.each<[string, string, readonly (readonly [string, string, object?])[]]>([
  [
    'a rule is switched off, and the rule that was to take its mail gets another condition',
    SWITCHED_OFF,
    [
      [
        'PUT',
        '/domains/acme.example/rules/00000003-0000-4000-8000-000000000000',
        { config: { alias: 'else', forward: 'three@corp.example' } },
      ],
    ],
  ],
  [
    'a rule is deleted, and an unmanaged rule that was to take its mail is switched off',
    `
domains:
  acme.example:
    rules: [{ id: 00000002-0000-4000-8000-000000000000, state: absent }]`,
    [
      [
        'PUT',
        '/domains/acme.example/rules/00000003-0000-4000-8000-000000000000',
        { config: { alias: 'd', forward: 'three@corp.example' }, active: false },
      ],
    ],
  ],
])('%s meanwhile: its mail is not lost', async (_, own, edits) => {
  const scene = await openScene({
    manifest: own.replace('rules:', 'aliases: { new: n@corp.example }\n    rules:'),
    seed: {
      domains: [
        {
          domain: 'acme.example',
          routing_engine: 'rules',
          rules_fallback_email: null,
          rules: [ruleOf(2, 'two@corp.example'), ruleOf(3, 'three@corp.example')],
        },
      ],
    },
  });
  const { report, end } = await scene.run({
    company: 'others',
    newcomers: 'left',
    beforeApply: () => afterStageOne(scene, { milliseconds: 0, edits }),
  });
  expect(end.domains[0]?.rules.find(({ id }) => id.startsWith('00000002'))?.active).toBe(true);
  expect(report.skipped.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^(r2|00000002-.*)$/));
});

test.each<[string, readonly (readonly [string, string, object?])[], string]>([
  [
    'the catch-all that was to take its mail is deleted',
    [['DELETE', '/domains/acme.example/aliases/1']],
    'mail to info@acme.example',
  ],
  [
    'somebody forwards there, and the catch-all is deleted',
    [
      ['POST', '/domains/acme.example/aliases', { alias: 'desk', forward: 'info@acme.example' }],
      ['DELETE', '/domains/acme.example/aliases/1'],
    ],
    'mail to desk@acme.example and 1 other address',
  ],
])('an alias is deleted, and meanwhile %s: the alias stays', async (_, edits, lost) => {
  const scene = await openScene({
    manifest: `
domains:
  acme.example:
    aliases: { new: n@corp.example, info: { state: absent } }`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: '*', forward: 'all@corp.example' },
            { alias: 'info', forward: 'i@corp.example' },
            { alias: 'keep', forward: 'k@corp.example' },
          ],
        },
      ],
    },
  });
  const { report } = await scene.run({
    company: 'others',
    beforeApply: () => afterStageOne(scene, { milliseconds: 0, edits }),
  });
  expect(namesOf('acme.example', scene)).toContain('info');
  expect(report.skipped).toMatchObject([{ name: 'info', reason: expect.stringContaining(lost) }]);
});
