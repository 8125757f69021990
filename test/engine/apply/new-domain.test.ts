import { describe, expect, test } from 'vitest';
import { everyNth } from '../../support/share.ts';
import { openScene, runScene, type RunResult } from './support/harness.ts';

const OWN = 'owner@account.example';

/** `*` in the manifest, and its expected end if the service creates one. */
const VARIANTS = [
  {
    variant: 'named',
    aliases: '    aliases: { "*": all@corp.example, info: a@corp.example }',
    made: 'all@corp.example',
    none: 'all@corp.example',
  },
  {
    variant: 'named as the service makes it',
    aliases: `    aliases: { "*": ${OWN}, info: a@corp.example }`,
    made: OWN,
    none: OWN,
  },
  {
    variant: 'not named, pruned',
    aliases: '    prune: true\n    aliases: { info: a@corp.example }',
    made: null,
    none: null,
  },
  {
    variant: 'named as absent',
    aliases: '    aliases: { "*": { state: absent }, info: a@corp.example }',
    made: null,
    none: null,
  },
  {
    variant: 'ignored',
    aliases: `    prune: true\n    ignore: { aliases: ['\\*'] }\n    aliases: { info: a@corp.example }`,
    made: OWN,
    none: null,
  },
  { variant: 'not named', aliases: '    aliases: { info: a@corp.example }', made: OWN, none: null },
  {
    variant: 'aliases not managed',
    aliases: '    rules: [{ name: a, alias: a, forward: a@corp.example }]',
    made: OWN,
    none: null,
  },
] as const;

function manifestOf(aliases: string): string {
  return `domains:\n  new.example:\n${aliases}`;
}

function catchAll({ end }: RunResult): string | null {
  const domain = end.domains.find((entry) => entry.domain === 'new.example');
  return domain?.aliases.find(({ alias }) => alias === '*')?.forward ?? null;
}

/** Every third case, which covers each variant. */
const NEW = (['v4', 'v3'] as const).flatMap((version) =>
  VARIANTS.flatMap(({ made, none, ...variant }) => [
    { version, ...variant, catchAllOnCreate: 'both' as const, expected: made },
    { version, ...variant, catchAllOnCreate: 'none' as const, expected: none },
  ]),
);

test.each(everyNth(3, NEW))(
  'the * of a new domain on $version, $variant, made by the service: $catchAllOnCreate',
  async ({ version, aliases, catchAllOnCreate, expected }) => {
    const result = await runScene({
      version,
      manifest: manifestOf(aliases),
      switches: { catchAllOnCreate },
    });
    expect(result.report.outcome).toBe('converged');
    expect(catchAll(result)).toBe(expected);
  },
);

describe('when its aliases cannot be listed after it was added', () => {
  const setup = { manifest: manifestOf(VARIANTS[0].aliases) };

  test('for a moment: what is certain goes on, the rest follows in the next round', async () => {
    const scene = await openScene(setup);
    const result = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', path: 'new.example/aliases', times: 3 },
          do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
        }),
    });
    expect(result.report.outcome).toBe('converged');
    expect(catchAll(result)).toBe('all@corp.example');
  });

  test('for good: it is reported, and nothing is guessed', async () => {
    const scene = await openScene(setup);
    const result = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push({
          match: { method: 'GET', path: 'new.example/aliases', times: 'always' },
          do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
        }),
    });
    expect(result.report.outcome).toBe('partial');
    expect(result.report.applied.map(({ name }) => name)).toEqual(['new.example', 'info']);
    expect(result.report.skipped).toMatchObject([{ action: 'add', kind: 'alias', name: '*' }]);
    expect(catchAll(result)).toBe(OWN);
    const second = await scene.run();
    expect(second.report.outcome).toBe('converged');
    expect(catchAll(second)).toBe('all@corp.example');
  });
});

test('a domain that is refused: nothing of it is sent, everything is reported, others go on', async () => {
  const { report, writes } = await runScene({
    manifest: `
domains:
  bad.example:
    aliases: { "*": a@corp.example, info: a@corp.example }
    credentials: { carol: { password: { env: PASSWORD } } }
  good.example:
    aliases: { info: a@corp.example }`,
    faults: [
      {
        match: { method: 'POST', endpoint: '/domains', nth: 1, times: 1 },
        do: {
          kind: 'status',
          code: 400,
          body: { message: 'This domain is taken.', errors: { domain: ['taken'] } },
        },
      },
    ],
  });
  expect(report.failed).toMatchObject([
    { kind: 'domain', domain: 'bad.example', status: 400, source: { line: 4, column: 3 } },
  ]);
  expect(report.skipped.map(({ domain, name, reason }) => [domain, name, reason])).toEqual([
    ['bad.example', '*', 'bad.example was not added'],
    ['bad.example', 'info', 'bad.example was not added'],
    ['bad.example', 'carol', 'bad.example was not added'],
  ]);
  expect(report.applied.map(({ domain }) => domain)).toEqual(['good.example', 'good.example']);
  expect(writes.filter(({ path }) => path.includes('bad.example'))).toEqual([]);
});

describe('stopped after the domain was added', () => {
  /** A first run that ends when such a request is answered, and the scene after it. */
  const stoppedAt = async (method: string, path: RegExp) => {
    const scene = await openScene({ manifest: manifestOf(VARIANTS[2].aliases) });
    const controller = new AbortController();
    const stop = scene.account.emulator.onRequest((request) => {
      if (request.phase === 'after' && request.method === method && path.test(request.path))
        controller.abort();
    });
    const first = await scene.run({ ports: { signal: controller.signal } });
    stop();
    expect([first.report.outcome, catchAll(first)]).toEqual(['partial', OWN]);
    return { scene, first };
  };
  const refused = ({ after }: RunResult) =>
    after.guards.filter(({ refuses, allowed }) => refuses && !allowed).map(({ guard }) => guard);
  const LISTING = /new\.example\/aliases/;

  test('and what the service made was read: the next run takes it away', async () => {
    const { scene, first } = await stoppedAt('GET', LISTING);
    expect(refused(first)).toEqual([]);
    const second = await scene.run({ refusals: 'withheld' });
    expect([second.report.outcome, catchAll(second)]).toEqual(['converged', null]);
  });

  test('and its destination was changed since: it is an alias like any other', async () => {
    const { scene } = await stoppedAt('GET', LISTING);
    const domain = scene.account.emulator.store.state.domains.get('new.example');
    const star = domain?.aliases.get('*');
    if (star === undefined) throw new Error('no catch-all');
    star.forward = 'somebody@corp.example';
    const second = await scene.run({ refusals: 'withheld' });
    expect([refused(second), catchAll(second)]).toEqual([['catch-all'], 'somebody@corp.example']);
  });

  test('and a run left it in place since: it is an alias like any other', async () => {
    const { scene } = await stoppedAt('GET', LISTING);
    const keeping = { manifest: manifestOf(`    aliases: { "*": ${OWN}, info: a@corp.example }`) };
    expect((await scene.run(keeping)).report.outcome).toBe('converged');
    const third = await scene.run({ refusals: 'withheld' });
    expect([refused(third), catchAll(third)]).toEqual([['catch-all'], OWN]);
  });

  test('and what the service made was not read: the next run deletes it, because it forwards to the account', async () => {
    const { scene, first } = await stoppedAt('POST', /domains/);
    expect(refused(first)).toEqual([]);
    const second = await scene.run({ refusals: 'withheld' });
    expect([second.report.outcome, catchAll(second)]).toEqual(['converged', null]);
  });

  test('and it was not read, and its destination was changed since: it is an alias like any other', async () => {
    const { scene } = await stoppedAt('POST', /domains/);
    const star = scene.account.emulator.store.state.domains.get('new.example')?.aliases.get('*');
    if (star === undefined) throw new Error('no catch-all');
    star.forward = 'somebody@corp.example';
    const second = await scene.run({ refusals: 'withheld' });
    expect([refused(second), catchAll(second)]).toEqual([['catch-all'], 'somebody@corp.example']);
  });

  test('killed once the service has added it: the next run converges', async () => {
    const scene = await openScene({ manifest: manifestOf(VARIANTS[2].aliases) });
    let asked = 0;
    // Nothing happens after the first request, including memory and report.
    const objection = (): Promise<null> => {
      asked += 1;
      return asked > 1 ? Promise.reject(new Error('killed')) : Promise.resolve(null);
    };
    await expect(scene.attempt({ ports: { objection } })).rejects.toThrow('killed');
    const second = await scene.run({ refusals: 'withheld' });
    expect([refused(second), second.report.outcome, catchAll(second)]).toEqual([[], 'converged', null]);
  });
});

test('items that the service made are remembered right after the read, in case the run is killed', async () => {
  const scene = await openScene({ manifest: manifestOf(VARIANTS[2].aliases) });
  const state = scene.account.state();
  const known: (string | undefined)[] = [];
  const stop = scene.account.emulator.onRequest(async ({ phase, method }) => {
    if (phase !== 'before' || method !== 'DELETE') return;
    known.push([...(await state.prior()).prior.domains.values()][0]?.givenCatchAll);
  });
  const { report } = await scene.run();
  stop();
  expect([report.outcome, known]).toEqual(['converged', [OWN]]);
  const after = [...(await state.prior()).prior.domains.values()];
  expect(after.map(({ givenCatchAll }) => givenCatchAll)).toEqual([undefined]);
});
