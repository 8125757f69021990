import { expect, test } from 'vitest';
import type { FaultAction } from '../../../../src/emulator/faults/faults.ts';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { openScene, type RunResult, type Scene } from '../support/harness.ts';
import { everyNth } from '../../../support/share.ts';

/** One kind and verb in its own domain, as one request. */
interface Write {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: RegExp;
  /** YAML below the domain's name. */
  readonly manifest: string;
  readonly seed: Omit<SeedDomain, 'domain'> | null;
  readonly items: number;
  /** True if a read cannot show that the write was done, so that it is always sent again. */
  readonly blind?: true;
}

const COUNTS = [1, 3] as const;

const ALIASES: readonly Write[] = COUNTS.flatMap((items) => {
  const names = ['a', 'b', 'c'].slice(0, items);
  const path = items === 1 ? /aliases(\/\d+)?$/ : /aliases\/batch$/;
  const seed = { aliases: names.map((alias) => ({ alias, forward: 'old@corp.example' })) };
  const entries = names.map((name) => `      ${name}: new@corp.example`).join('\n');
  const absent = names.map((name) => `      ${name}: { state: absent }`).join('\n');
  return [
    {
      name: `alias-add-${items}`,
      method: 'POST',
      path,
      manifest: `    aliases:\n${entries}`,
      seed: {},
      items,
    },
    { name: `alias-update-${items}`, method: 'PUT', path, manifest: `    aliases:\n${entries}`, seed, items },
    {
      name: `alias-delete-${items}`,
      method: 'DELETE',
      path,
      manifest: `    aliases:\n${absent}`,
      seed,
      items,
    },
  ] as const;
});

const RULES: readonly Write[] = COUNTS.flatMap((items) => {
  const names = ['a', 'b', 'c'].slice(0, items);
  const others = ['1', '2', '3', '4'];
  const path = items === 1 ? /rules(\/[0-9a-f-]+)?$/ : /rules\/batch$/;
  const write = (
    verb: string,
    method: Write['method'],
    entries: readonly string[],
    seeded: readonly string[],
  ): Write => ({
    name: `rule-${verb}-${items}`,
    method,
    path,
    manifest: `    rules:\n${entries.map((entry) => `      - { ${entry} }`).join('\n')}`,
    seed: {
      rules: seeded.map((name, index) => ({
        id: ruleId(verb, items, name),
        type: 'alias',
        config: { alias: name, forward: 'old@corp.example' },
        rank: 10 * (index + 1),
      })),
    },
    items,
  });
  const entry = (verb: string, forward: string) => (name: string) =>
    `id: ${ruleId(verb, items, name)}, name: "${name}", alias: "${name}", forward: ${forward}`;
  return [
    write('add', 'POST', names.map(entry('add', 'new@corp.example')), []),
    write('update', 'PUT', names.map(entry('update', 'new@corp.example')), names),
    write(
      'delete',
      'DELETE',
      names.map((name) => `id: ${ruleId('delete', items, name)}, state: absent`),
      names,
    ),
    // The last ones move to the front, so there is one move per item.
    write('move', 'PUT', [...names, ...others].map(entry('move', 'old@corp.example')), [...others, ...names]),
  ];
});

function ruleId(verb: string, items: number, name: string): string {
  const number = ['add', 'update', 'delete', 'move'].indexOf(verb);
  return `00000000-0000-4000-8000-${number}${items}000000000${name}`;
}

const DOMAINS_AND_CREDENTIALS: readonly Write[] = [
  {
    name: 'domain-add',
    method: 'POST',
    path: /^\/domains$/,
    manifest: '    aliases: { info: ana@corp.example }',
    seed: null,
    items: 1,
  },
  {
    name: 'domain-update',
    method: 'PUT',
    path: /example$/,
    manifest: '    notification_email: ops@corp.example',
    seed: {},
    items: 1,
  },
  {
    name: 'domain-delete',
    method: 'DELETE',
    path: /example$/,
    manifest: '    state: absent',
    seed: { aliases: [{ alias: 'a', forward: 'b@corp.example' }] },
    items: 1,
  },
  {
    name: 'credential-add',
    method: 'POST',
    path: /credentials$/,
    manifest: '    credentials: { carol: { password: { env: PASSWORD } } }',
    seed: {},
    items: 1,
  },
  {
    name: 'credential-update',
    method: 'PUT',
    path: /carol$/,
    manifest: '    credentials: { carol: { password: { env: PASSWORD } } }',
    seed: { credentials: [{ username: 'carol', password: 'a former one' }] },
    items: 1,
    blind: true,
  },
  {
    name: 'credential-delete',
    method: 'DELETE',
    path: /carol$/,
    manifest: '    credentials: { carol: { state: absent } }',
    seed: { credentials: [{ username: 'carol', password: 'a former one' }] },
    items: 1,
  },
];

const GROUPS: readonly (readonly [string, readonly Write[]])[] = [
  ['aliases', ALIASES],
  ['rules', RULES],
  ['domains and credentials', DOMAINS_AND_CREDENTIALS],
];

/** The fault of a write, and whether the service executed it. */
const FAULTS: readonly {
  readonly fault: string;
  readonly action: FaultAction;
  readonly done: boolean;
  readonly answersDeletes?: true;
}[] = [
  { fault: 'the connection drops before', action: { kind: 'drop', when: 'before' }, done: false },
  { fault: 'the connection drops after', action: { kind: 'drop', when: 'after' }, done: true },
  {
    fault: '500 before',
    action: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
    done: false,
  },
  {
    fault: '500 after',
    action: { kind: 'status', code: 500, body: { message: 'oops', errors: {} }, when: 'after' },
    done: true,
  },
  {
    fault: '502 with HTML',
    action: {
      kind: 'status',
      code: 502,
      body: '<html>Bad gateway</html>',
      headers: { 'Content-Type': 'text/html' },
    },
    done: false,
  },
  {
    fault: '503',
    action: { kind: 'status', code: 503, body: { message: 'later', errors: {} } },
    done: false,
  },
  { fault: 'truncated JSON', action: { kind: 'truncate', bytes: 10 }, done: true, answersDeletes: true },
  { fault: 'an empty body', action: { kind: 'body', body: '' }, done: true, answersDeletes: true },
  {
    fault: 'another content type',
    action: { kind: 'body', body: '<html>OK</html>', contentType: 'text/html' },
    done: true,
    answersDeletes: true,
  },
  {
    fault: 'JSON of something else',
    action: { kind: 'body', body: '[]' },
    done: true,
    answersDeletes: true,
  },
  {
    fault: 'a body without end',
    action: { kind: 'flood', bytes: 4_000_000 },
    done: true,
    answersDeletes: true,
  },
];

/** Every seventh case, which covers each group. */
const OUTCOMES = GROUPS.flatMap(([group, writes]) => FAULTS.map((row) => ({ ...row, group, writes })));

test.each(everyNth(7, OUTCOMES))(
  'unknown outcomes of $group: $fault: nothing is lost and nothing made twice',
  async ({ writes, action, done, answersDeletes }) => {
    const scene = await openScene(setup(writes));
    const result = await scene.run({
      policy: { rotate: [{ name: 'carol', domain: 'credential-update.example' }] },
      client: { bounds: { answerBytes: 1_000_000 } },
      beforeApply: () => arm(scene, writes, action),
    });
    expect([result.report.failed, result.report.outcome]).toEqual([[], 'converged']);
    for (const write of writes) {
      // Any answer to a delete counts as success.
      const understood = answersDeletes === true && write.method === 'DELETE' && write.items === 1;
      const again = !understood && (!done || write.blind === true);
      expect([write.name, writesOf(result, write).length]).toEqual([write.name, again ? 2 : 1]);
      expectSettled(result, write);
    }
    if (!done) expect(scene.account.clock.sleeps).toContain(5_000);
  },
);

test.each(['before', 'after'] as const)(
  'no answer in time, %s the request was carried out',
  async (phase) => {
    const writes = [...ALIASES, ...RULES].filter(({ items }) => items === 3).slice(0, 5);
    const scene = await openScene(setup(writes));
    const result = await scene.run({
      client: { bounds: { totalMs: 700 } },
      beforeApply: () => hang(scene, writes, phase),
    });
    expect([result.report.failed, result.report.outcome]).toEqual([[], 'converged']);
    // The journal has no entry for a request that is never executed, so the second one is the only entry.
    for (const write of writes) expect([write.name, writesOf(result, write).length]).toEqual([write.name, 1]);
    for (const write of writes) expectSettled(result, write);
  },
);

test('an answer that does not end while a request may last', async () => {
  const writes = ALIASES.filter(({ items, method }) => items === 3 && method !== 'DELETE');
  const scene = await openScene(setup(writes));
  const result = await scene.run({
    client: { bounds: { totalMs: 1_000 } },
    beforeApply: () => {
      for (const write of writes)
        arm(scene, [write], { kind: 'headers', set: { 'Content-Length': '1000000' } });
    },
  });
  expect(result.report.outcome).toBe('converged');
  for (const write of writes) expect(writesOf(result, write)).toHaveLength(1);
});

test('a batch of which a part was carried out: only the rest is sent again', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `a${index}`);
  const scene = await openScene({
    manifest: `domains:\n  acme.example:\n    aliases:\n${names.map((name) => `      ${name}: x@corp.example`).join('\n')}`,
    seed: { domains: [{ domain: 'acme.example' }] },
    faults: [
      {
        match: { method: 'POST', endpoint: '/domains/:domain/aliases/batch' },
        do: { kind: 'fail-items', items: [3, 7, 21].map((index) => ({ index })) },
      },
      {
        match: { method: 'POST', endpoint: '/domains/:domain/aliases/batch' },
        do: { kind: 'drop', when: 'after' },
      },
    ],
  });
  const result = await scene.run();
  expect(result.report.outcome).toBe('converged');
  const sent = result.writes.map(({ body }) => (body as { aliases: unknown[] }).aliases.length);
  expect(sent).toEqual([40, 3]);
});

test('a service that answers nothing is asked three times a round, a second round in vain, and the item is reported', async () => {
  const [write] = ALIASES;
  if (write === undefined) throw new Error('no case');
  const scene = await openScene(setup([write]));
  const result = await scene.run({
    beforeApply: () =>
      scene.account.emulator.faults.push({
        match: { method: 'POST', endpoint: '/domains/:domain/aliases', times: 'always' },
        do: { kind: 'status', code: 500, body: { message: 'oops', errors: {} } },
      }),
  });
  // Its reads show that nothing was written.
  expect([result.report.outcome, result.report.wrote]).toEqual(['failed', false]);
  expect(result.report.requests.retried).toBe(4);
  expect(result.report.failed).toMatchObject([
    { name: 'a', status: 500, index: null, endpoint: 'POST /domains/:domain/aliases' },
  ]);
  expect(result.writes).toHaveLength(6);
});

test('two readings that differ are not enough: it is read until two agree', async () => {
  const [write] = ALIASES;
  if (write === undefined) throw new Error('no case');
  const scene = await openScene(setup([write]));
  let readings = 0;
  const result = await scene.run({
    company: 'others',
    beforeApply: () => {
      arm(scene, [write], { kind: 'drop', when: 'before' });
      scene.account.emulator.onRequest(({ phase, method }) => {
        if (phase !== 'before' || method !== 'GET') return;
        readings += 1;
        const [domain] = scene.account.emulator.store.state.domains.values();
        // Another user adds an alias before each of the first two reads.
        if (readings <= 2 && domain !== undefined) foreignAlias(scene, readings);
      });
    },
  });
  expect(result.report.outcome).toBe('converged');
  expect(scene.account.clock.sleeps.filter((milliseconds) => milliseconds === 5_000)).toHaveLength(2);
  expect(writesOf(result, write)).toHaveLength(2);
});

function foreignAlias(scene: Scene, number: number): void {
  scene.account.emulator.faults.push({
    match: { method: 'GET' },
    do: {
      kind: 'edit',
      request: {
        method: 'POST',
        path: '/v4/domains/alias-add-1.example/aliases',
        body: { alias: `foreign${number}`, forward: 'x@corp.example' },
      },
    },
  });
}

function setup(writes: readonly Write[]) {
  return {
    manifest: `domains:\n${writes.map(({ name, manifest }) => `  ${name}.example:\n${manifest}`).join('\n')}`,
    seed: {
      domains: writes.flatMap(({ name, seed }) =>
        seed === null ? [] : [{ domain: `${name}.example`, ...seed }],
      ),
    },
    switches: { catchAllOnCreate: 'none' },
  } as const;
}

/** Gives the fault to the next write of each kind. */
function arm(scene: Scene, writes: readonly Write[], action: FaultAction): void {
  for (const { name, method, path } of writes) {
    const searched =
      name === 'domain-add' ? path.source : `/${name}\\.example.*${path.source}`.replace('.*example$', '$');
    scene.account.emulator.faults.push({ match: { method, path: searched }, do: action });
  }
}

/** The first write of each kind gets no answer. */
function hang(scene: Scene, writes: readonly Write[], phase: 'before' | 'after'): void {
  const left = new Set(writes);
  scene.account.emulator.onRequest((event) => {
    const hit = [...left].find((write) => event.phase === phase && isOf(event, write));
    if (hit === undefined) return;
    left.delete(hit);
    return new Promise(() => {});
  });
}

function isOf({ method, path }: { readonly method: string; readonly path: string }, write: Write): boolean {
  if (method !== write.method) return false;
  return write.name === 'domain-add'
    ? path === '/domains'
    : path.includes(`/${write.name}.example`) && write.path.test(path);
}

function writesOf({ writes }: RunResult, write: Write) {
  return writes.filter((request) => isOf(request, write));
}

function expectSettled({ report, end }: RunResult, { name, items }: Write): void {
  const [kind, verb] = name.split('-');
  const own = report.applied.filter((item) => item.domain === `${name}.example` && item.kind === kind);
  expect([name, own.length]).toEqual([name, items]);
  const live = end.domains.find(({ domain }) => domain === `${name}.example`);
  if (kind === 'domain') return expect(live !== undefined).toBe(verb !== 'delete');
  const rows = { alias: live?.aliases, rule: live?.rules, credential: live?.credentials }[kind ?? ''] ?? [];
  const others = verb === 'move' ? 4 : 0;
  expect([name, rows.length]).toEqual([name, verb === 'delete' ? 0 : items + others]);
}
