import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import type { SeedDomain } from '../../../src/emulator/account/seed.ts';
import { openScene, runScene, type RunResult } from './support/harness.ts';
import { everyNth, runs } from '../../support/share.ts';

const ALIAS_BATCH = '/domains/:domain/aliases/batch';

/** Domains with two aliases to add, one to update and one to delete each, and a rule to add and one to delete. */
function busyDomains(count: number) {
  const names = Array.from({ length: count }, (_, index) => `d${index}.example`);
  const manifest = names.map(
    (name) => `
  ${name}:
    aliases:
      add1: new@corp.example
      add2: new@corp.example
      update: new@corp.example
      delete: { state: absent }
    rules:
      - { name: fresh, alias: fresh, forward: new@corp.example }
      - { id: ${ruleId(name)}, state: absent }
    credentials:
      carol: { password: { env: PASSWORD } }
      dan: { state: absent }`,
  );
  const seeded: readonly SeedDomain[] = names.map((domain) => ({
    domain,
    aliases: [
      { alias: 'update', forward: 'old@corp.example' },
      { alias: 'delete', forward: 'old@corp.example' },
    ],
    rules: [
      { id: ruleId(domain), type: 'alias', config: { alias: 'gone', forward: 'old@corp.example' }, rank: 10 },
    ],
    credentials: [{ username: 'dan', password: 'long enough' }],
  }));
  return { manifest: `domains:${manifest.join('')}`, seed: { domains: seeded } };
}

function ruleId(domain: string): string {
  return `00000000-0000-4000-8000-00000000000${domain[1]}`;
}

/** Items of a report as `domain kind name`. */
function items(
  list: readonly { readonly domain: string; readonly kind: string; readonly name: string }[],
): readonly string[] {
  return list.map(({ domain, kind, name }) => `${domain} ${kind} ${name}`).sort();
}

function deletes({ writes }: RunResult, domain: string): readonly string[] {
  return writes
    .filter(({ method, path }) => method === 'DELETE' && path.includes(domain))
    .map(({ path }) => path);
}

describe('401', () => {
  test('in the middle stops all', async () => {
    const { report, requests } = await runScene({
      ...busyDomains(3),
      faults: [
        {
          match: { method: 'PUT', times: 'always' },
          do: { kind: 'status', code: 401, body: { message: 'no', errors: {} } },
        },
      ],
    });
    expect(report).toMatchObject({ outcome: 'partial', wrote: true, stopped: { kind: 'unauthorised' } });
    const refused = requests.findIndex(({ status }) => status === 401);
    // Requests in flight end, and no new one begins.
    expect(
      requests.slice(refused).filter(({ status }) => status !== 401 && status !== null).length,
    ).toBeLessThanOrEqual(3);
    expect(requests.some(({ method }) => method === 'DELETE')).toBe(false);
    expect(report.failed.every(({ status }) => status === 401)).toBe(true);
    expect(items([...report.applied, ...report.failed, ...report.skipped])).toHaveLength(3 * 8);
  });

  test('at the first write: nothing was written', async () => {
    const { report, writes } = await runScene({
      ...busyDomains(1),
      faults: [
        { match: { method: 'POST' }, do: { kind: 'status', code: 401, body: { message: 'no', errors: {} } } },
      ],
    });
    expect(report).toMatchObject({ outcome: 'failed', wrote: false, stopped: { kind: 'unauthorised' } });
    expect(writes).toHaveLength(1);
  });

  test('while an unknown outcome is looked into', async () => {
    const scene = await openScene(busyDomains(1));
    const { report, requests } = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push(
          { match: { method: 'POST', endpoint: ALIAS_BATCH }, do: { kind: 'drop', when: 'after' } },
          {
            match: { method: 'GET', times: 'always' },
            do: { kind: 'status', code: 401, body: { message: 'no', errors: {} } },
          },
        ),
    });
    expect(report).toMatchObject({ outcome: 'partial', stopped: { kind: 'unauthorised' } });
    expect(requests.at(-1)?.method).toBe('GET');
  });
});

describe('403', () => {
  test('on a batch create: singles for the rest of the run', async () => {
    const scene = await openScene({ ...busyDomains(2), plan: 'free' });
    const { report, progress, writes } = await scene.run();
    expect(report.outcome).toBe('converged');
    expect(progress.filter(({ kind }) => kind === 'batches-refused')).toHaveLength(1);
    expect(writes.filter(({ path }) => path.endsWith('aliases/batch')).length).toBeLessThanOrEqual(2);
    expect(writes.filter(({ method, path }) => method === 'POST' && path.endsWith('/aliases'))).toHaveLength(
      4,
    );
  });

  test('elsewhere stops the kind in that domain, with its stage 2; others go on', async () => {
    const result = await runScene({
      ...busyDomains(2),
      faults: [
        {
          match: { path: '^/domains/d0.example/rules', method: 'POST', times: 'always' },
          do: { kind: 'status', code: 403, body: { message: 'rules need a paid plan', errors: {} } },
        },
      ],
    });
    const { report } = result;
    expect(items(report.failed)).toEqual(['d0.example rule fresh']);
    expect(report.failed[0]).toMatchObject({ status: 403, message: 'rules need a paid plan' });
    expect(items(report.skipped)).toEqual([
      'd0.example alias delete',
      `d0.example rule ${ruleId('d0.example')}`,
    ]);
    // Credentials are a separate chain.
    expect(deletes(result, 'd0.example')).toEqual(['/domains/d0.example/credentials/dan']);
    expect(deletes(result, 'd1.example')).toHaveLength(3);
    expect(report.outcome).toBe('partial');
  });

  test('for settings stops no alias', async () => {
    const { report } = await runScene({
      manifest: `
domains:
  acme.example:
    whitelabel: mail.partner.example
    aliases: { info: ana@corp.example }`,
      seed: { domains: [{ domain: 'acme.example' }] },
      faults: [
        {
          match: { method: 'PUT', endpoint: '/domains/:domain', times: 'always' },
          do: { kind: 'status', code: 403, body: { message: 'premium only', errors: {} } },
        },
      ],
    });
    expect(items(report.failed)).toEqual(['acme.example domain acme.example']);
    expect(items(report.applied)).toEqual(['acme.example alias info']);
  });
});

test.each(everyNth(4, [400, 409, 413, 422]))('%i of one item stops that item', async (code) => {
  const { report, writes } = await runScene({
    manifest: `
domains:
  acme.example:
    aliases:
      bad: bad@corp.example
      old: { state: absent }
    credentials: { dan: { state: absent } }
  other.example:
    aliases: { old: { state: absent } }`,
    seed: {
      domains: ['acme.example', 'other.example'].map((domain) => ({
        domain,
        aliases: [{ alias: 'old', forward: 'x@corp.example' }],
        credentials: [{ username: 'dan', password: 'long enough' }],
      })),
    },
    faults: [
      {
        match: { method: 'POST', times: 'always' },
        do: {
          kind: 'status',
          code,
          body: { message: 'bad destination', errors: { forward: ['bad destination', 'really'] } },
        },
      },
    ],
  });
  expect(report.failed).toEqual([
    {
      action: 'add',
      kind: 'alias',
      domain: 'acme.example',
      name: 'bad',
      source: { file: 'fwdsync.yaml', line: 6, column: 7 },
      endpoint: 'POST /domains/:domain/aliases',
      status: code,
      index: null,
      message: 'bad destination',
      errors: { forward: ['bad destination', 'really'] },
    },
  ]);
  expect(report.skipped).toMatchObject([
    { domain: 'acme.example', name: 'old', reason: 'an earlier change in this domain failed' },
  ]);
  // Rejected items are not sent again in the same run.
  expect(writes.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(items(report.applied)).toEqual(['acme.example credential dan', 'other.example alias old']);
});

test('a batch that is refused as a whole and creates nothing: each of its items is listed with the status', async () => {
  const { report } = await runScene({
    manifest: 'domains:\n  acme.example:\n    aliases: { a: new@corp.example, b: new@corp.example }',
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: ['a', 'b'].map((alias) => ({ alias, forward: 'old@corp.example' })),
        },
      ],
    },
    faults: [
      {
        match: { method: 'PUT', endpoint: ALIAS_BATCH },
        do: { kind: 'status', code: 400, body: { message: 'no', errors: {} } },
      },
    ],
  });
  expect(report.failed.map(({ name, status, index }) => [name, status, index])).toEqual([
    ['a', 400, 0],
    ['b', 400, 1],
  ]);
});

test('429 waits and goes on', async () => {
  const scene = await openScene({
    ...busyDomains(2),
    faults: [
      {
        match: { method: 'POST', endpoint: ALIAS_BATCH },
        do: {
          kind: 'status',
          code: 429,
          body: { message: 'slow', errors: {} },
          headers: { 'Retry-After': '7' },
        },
      },
    ],
  });
  const { report } = await scene.run();
  expect(report.outcome).toBe('converged');
  expect(report.requests.rateLimited).toBe(1);
  expect(report.requests.waitedSeconds).toBeGreaterThanOrEqual(7);
});

test('a 429 that asks for longer than a run may last ends it', async () => {
  const { report, writes } = await runScene({
    ...busyDomains(1),
    faults: [
      {
        match: { method: 'PUT' },
        do: {
          kind: 'status',
          code: 429,
          body: { message: 'slow', errors: {} },
          headers: { 'Retry-After': '86400' },
        },
      },
    ],
  });
  expect(report).toMatchObject({ outcome: 'partial', stopped: { kind: 'rate-limited' } });
  expect(writes.at(-1)).toMatchObject({ method: 'PUT', status: 429 });
});

test('a small limit is kept without a single 429', async () => {
  const { report } = await runScene({ ...busyDomains(1), rateLimit: 1 });
  expect(report.outcome).toBe('converged');
  expect(report.requests.rateLimited).toBe(0);
});

describe('attempts are bounded', () => {
  const outage: readonly Fault[] = [
    {
      match: { method: 'POST', times: 'always' },
      do: { kind: 'status', code: 503, body: { message: 'down', errors: {} } },
    },
  ];

  test('in all no more than a tenth of the requests, or ten', async () => {
    const count = runs(9, 3);
    const { report, writes } = await runScene(
      { ...busyDomains(count), faults: outage, rateLimit: 1_000 },
      { maxFailures: 1000 },
    );
    expect(report.outcome).toBe('partial');
    const posts = writes.filter(({ method }) => method === 'POST').length;
    const { total } = report.requests;
    // Each domain's three items are sent once in each of two rounds. The budget limits all further requests.
    expect(posts).toBeLessThanOrEqual(2 * 3 * count + Math.max(10, Math.ceil(total / 10)));
    expect(writes.some(({ method, path }) => method === 'DELETE' && !path.includes('credentials'))).toBe(
      false,
    );
  });

  test('--max-failures ends the run', async () => {
    const count = runs(9, 3);
    const { report } = await runScene({ ...busyDomains(count), faults: outage }, { maxFailures: 2 });
    expect(report).toMatchObject({ outcome: 'failed', stopped: { kind: 'too-many-failures' } });
    expect(items([...report.applied, ...report.failed, ...report.skipped])).toHaveLength(count * 8);
  });

  test.each([
    [25, null],
    [26, 'too-many-failures'],
  ] as const)('%i failures of a small plan: stopped %s', async (count, stopped) => {
    const names = Array.from({ length: count + 1 }, (_, index) => `a${index}`);
    const { report } = await runScene({
      manifest: `domains:\n  acme.example:\n    aliases:\n${names.map((name) => `      ${name}: x@corp.example`).join('\n')}`,
      seed: { domains: [{ domain: 'acme.example' }] },
      faults: [
        {
          match: { method: 'POST' },
          do: { kind: 'fail-items', items: names.slice(1).map((_, index) => ({ index })) },
        },
      ],
    });
    expect(report.failed).toHaveLength(count);
    expect(report.stopped?.kind ?? null).toBe(stopped);
  });
});

describe('an abort', () => {
  test('between any two requests: what is done is told, nothing more is sent, and the next run goes on', async () => {
    const { writes } = await runScene(busyDomains(2));
    for (let last = 1; last <= writes.length; last += runs(1, 12)) {
      const scene = await openScene(busyDomains(2));
      const controller = new AbortController();
      let seen = 0;
      const stop = scene.account.emulator.onRequest(({ phase, method }) => {
        if (phase !== 'before' || method === 'GET') return;
        seen += 1;
        if (seen === last) controller.abort();
      });
      const { report, writes: sent } = await scene.run({ ports: { signal: controller.signal } });
      stop();
      expect(report.stopped?.kind).toBe('interrupted');
      expect(report.outcome).toBe('partial');
      // Two domains run in parallel, so one request of the other may be in flight.
      expect(sent.length).toBeLessThanOrEqual(last + 1);
      expect(items([...report.applied, ...report.failed, ...report.skipped])).toHaveLength(2 * 8);
      const second = await scene.run();
      expect(second.report.outcome === 'converged' || second.report.outcome === 'unchanged').toBe(true);
    }
  });

  test('before the first one', async () => {
    const scene = await openScene(busyDomains(1));
    const controller = new AbortController();
    const { report, requests } = await scene.run({
      ports: { signal: controller.signal },
      beforeApply: () => controller.abort(),
    });
    expect(requests).toEqual([]);
    expect(report).toMatchObject({ outcome: 'failed', wrote: false, stopped: { kind: 'interrupted' } });
    expect(report.skipped).toHaveLength(8);
  });
});

describe('a lock that is lost', () => {
  test('before any of the writes: nothing more is written, to the account or to memory, and the next run goes on', async () => {
    const { writes } = await runScene(busyDomains(1));
    for (let last = 0; last < writes.length; last += runs(1, 6)) {
      const scene = await openScene(busyDomains(1));
      let asked = 0;
      const objection = (): Promise<string | null> =>
        Promise.resolve((asked += 1) > last ? 'the state is locked by process 7' : null);
      const { report, writes: sent } = await scene.run({ ports: { objection } });
      expect(sent).toHaveLength(last);
      expect(report).toMatchObject({
        outcome: last === 0 ? 'failed' : 'partial',
        stopped: { kind: 'lock-lost', message: 'the state is locked by process 7' },
        notes: expect.arrayContaining([expect.stringContaining('is not recorded')]),
      });
      expect(items([...report.applied, ...report.failed, ...report.skipped])).toHaveLength(8);
      expect((await scene.account.state().prior()).prior.domains.size).toBe(0);
      expect((await scene.run()).report.outcome).toBe('converged');
    }
  });
});
