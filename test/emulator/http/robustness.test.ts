import { beforeEach, describe, expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import {
  expectFailure,
  expectV3Failure,
  KEY,
  sender,
  startTestEmulator,
  type Answer,
  type Body,
  type Send,
} from '../support/target.ts';
import { everyNth } from '../../support/share.ts';

const forward = 'ana@corp.example';
const ID = '11111111-2222-5333-8444-555555555555';
const ROOT = '/domains/acme.example';
const config = { alias: 'jobs', forward };
const rule = { type: 'alias', config };

/** Requests and valid bodies. */
const BOTH: readonly (readonly [string, string, Body])[] = [
  [
    'POST',
    '/domains',
    { domain: 'new.example', notification_email: 'ops@corp.example', whitelabel: 'w.example' },
  ],
  ['PUT', ROOT, { notification_email: 'ops@corp.example', whitelabel: 'w.example' }],
  ['POST', `${ROOT}/aliases`, { alias: 'new', forward }],
  ['PUT', `${ROOT}/aliases/7`, { forward }],
  ['POST', `${ROOT}/aliases/batch`, { aliases: [{ alias: 'new', forward }] }],
  ['PUT', `${ROOT}/aliases/batch`, { aliases: [{ id: '7', forward }] }],
  ['DELETE', `${ROOT}/aliases/batch`, { ids: ['7'] }],
  ['POST', `${ROOT}/rules`, { ...rule, rank: 3, active: true }],
  ['PUT', `${ROOT}/rules/${ID}`, { config, rank: 3, active: true }],
  ['POST', `${ROOT}/rules/batch`, { rules: [rule] }],
  ['PUT', `${ROOT}/rules/batch`, { rules: [{ id: ID, config, rank: 3, active: false }] }],
  ['DELETE', `${ROOT}/rules/batch`, { ids: [ID] }],
  ['POST', `${ROOT}/credentials`, { username: 'new', password: 'correct horse' }],
  ['PUT', `${ROOT}/credentials/carol`, { password: 'correct horse' }],
];
const V3_ALONE: typeof BOTH = [
  ['PUT', ROOT, { webhook: 'https://hooks.corp.example/' }],
  ['POST', `${ROOT}/aliases/bulk`, { aliases: [{ alias: 'new', forward }], behavior: 'add' }],
  ['POST', `${ROOT}/aliases/bulk`, { aliases: [{ alias: 'sales', forward }], behavior: 'update' }],
  ['POST', `${ROOT}/aliases/bulk`, { aliases: [{ alias: 'sales' }], behavior: 'delete' }],
  ['POST', `${ROOT}/rules/bulk`, { rules: [rule], behavior: 'add' }],
  ['POST', `${ROOT}/rules/bulk`, { rules: [{ id: ID, config }], behavior: 'update' }],
  ['POST', `${ROOT}/rules/bulk`, { rules: [{ id: ID }], behavior: 'delete' }],
];

const VERSIONS = [
  { version: 'v4', requests: BOTH, expectRefused: expectFailure },
  { version: 'v3', requests: [...BOTH, ...V3_ALONE], expectRefused: expectV3Failure },
] as const;

describe.each(VERSIONS)('malformed requests to $version', ({ version, requests, expectRefused }) => {
  const some = everyNth(6, requests);
  let emulator: Emulator;
  let send: Send;
  const dump = (): unknown => emulator.store.dump();

  beforeEach(async () => {
    const aliases = [{ alias: 'sales', forward, id: 7 }];
    const rules = [{ id: ID, type: 'alias' as const, config }];
    const credentials = [{ username: 'carol', password: 'correct horse' }];
    ({ emulator } = await startTestEmulator({
      rateLimit: 1_000_000,
      state: { domains: [{ domain: 'acme.example', aliases, rules, credentials }] },
    }));
    send = sender(emulator.urls[version], KEY);
  });

  test.each(everyNth(2, requests))('%s %s %j is a request that works', async (method, path, body) => {
    const answer = await send(method, path, body);
    expect(answer.status).toBe(200);
    expect(failuresIn(answer)).toBe(0);
  });

  test.each(some)('%s %s %j: a field of a wrong type is refused', async (method, path, body) => {
    for (const variant of wrongTypes(body)) {
      const before = dump();
      const answer = await send(method, path, variant.body);
      if (variant.inItem) {
        expect([200, 207], JSON.stringify(variant.body)).toContain(answer.status);
        expect(failuresIn(answer), JSON.stringify(variant.body)).toBe(1);
      } else {
        expect(answer.status, JSON.stringify(variant.body)).toBe(400);
        expectRefused(answer, 400);
      }
      expect(dump()).toEqual(before);
    }
  });

  test.each(some)('%s %s %j: another body is refused', async (method, path) => {
    const before = dump();
    for (const text of ['[]', '7', '"x"', 'true', 'null', '{', '{"a":1', '{"a":1}}', "{'a':1}", '\u0000']) {
      expectRefused(await send(method, path, text), 400);
    }
    expect(dump()).toEqual(before);
  });

  test.each(some)('%s %s %j: 100,000 levels are refused', async (method, path, body) => {
    const before = dump();
    const levels = 100_000;
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    for (const text of [deep, `${JSON.stringify(body).slice(0, -1)},"extra":${deep}}`]) {
      expectRefused(await send(method, path, text), 400);
    }
    expect(dump()).toEqual(before);
    expect(JSON.parse(JSON.stringify(emulator.journal.entries()))).toHaveLength(2);
  });

  test.each(some)('%s %s %j: unknown fields are ignored', async (method, path, body) => {
    const extra =
      '"colour":"blue","constructor":1,"toString":null,"__proto__":{"alias":"x","domain":"x.example"}';
    const answer = await send(method, path, `{${extra},${JSON.stringify(body).slice(1)}`);
    expect(answer.status).toBe(200);
    expect(failuresIn(answer)).toBe(0);
    expect(Object.hasOwn(Object.prototype, 'alias')).toBe(false);
  });

  test.each(some)(
    '%s %s %j: unknown fields are refused on demand, whatever their name',
    async (...request) => {
      const [method, path, body] = request;
      emulator.store.state.switches.unknownFields = 'refuse';
      const fields = ['colour', '__proto__', 'constructor'];
      // A batch is parsed as a whole, and ignores fields beside its list.
      if (path.endsWith('/batch')) return;
      for (const field of fields) {
        const text = `{"${field}":1,${JSON.stringify(body).slice(1)}`;
        expect(Object.keys(expectRefused(await send(method, path, text), 400).errors)).toContain(field);
      }
    },
  );

  test('duplicate ids in a batch: the first one counts', async () => {
    const aliases = await send('DELETE', `${ROOT}/aliases/batch`, { ids: ['7', '7', '7'] });
    expect(aliases).toMatchObject({
      status: 207,
      body: { deleted: ['7'], failed: [{ index: 1 }, { index: 2 }] },
    });
    const rules = await send('DELETE', `${ROOT}/rules/batch`, { ids: [ID, ID.toUpperCase()] });
    expect(rules).toMatchObject({ status: 207, body: { deleted_count: 1, failed: [{ index: 1 }] } });
  });

  test('the same id twice in a batch of updates: the last one counts', async () => {
    const aliases = ['b@corp.example', 'c@corp.example'].map((to) => ({ id: '7', forward: to }));
    const { status, body } = await send('PUT', `${ROOT}/aliases/batch`, { aliases });
    expect(status).toBe(200);
    expect(body.updated.map((alias: Body) => alias.forward)).toEqual(['b@corp.example', 'c@corp.example']);
  });

  const WITH_NUL: readonly (readonly [string, string, Body])[] = [
    ['POST', '/domains', { domain: 'a\u0000.example' }],
    ['POST', '/domains', { domain: 'b.example', notification_email: 'a\u0000b@corp.example' }],
    ['POST', `${ROOT}/aliases`, { alias: 'a\u0000b', forward }],
    ['POST', `${ROOT}/aliases`, { alias: 'x', forward: 'a\u0000b@corp.example' }],
    ['POST', `${ROOT}/aliases`, { alias: 'x', forward: 'https://hooks.example/\u0000' }],
    ['POST', `${ROOT}/rules`, { type: 'alias', config: { alias: 'x', forward: '\u0000@corp.example' } }],
    ['POST', `${ROOT}/credentials`, { username: 'a\u0000b', password: 'correct horse' }],
  ];

  test.each(everyNth(3, WITH_NUL))('NUL: %s %s %j is refused', async (method, path, body) => {
    const before = dump();
    expectRefused(await send(method, path, body), 400);
    expect(dump()).toEqual(before);
  });

  test.each(everyNth(3, ['/domains/%00', `${ROOT}/aliases/%00`, `${ROOT}/rules/%00`, `${ROOT}/%00`]))(
    'NUL: GET %s is not found',
    async (path) => {
      expectRefused(await send('GET', path), 404);
    },
  );

  test('NUL in a query is text like any other', async () => {
    const query = version === 'v4' ? 'query' : 'q';
    expect((await send('GET', `${ROOT}/aliases?${query}=%00`)).body.total).toBe(0);
  });

  test.each(everyNth(3, ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']))(
    'the name %s is a name like any other',
    async (name) => {
      const { alias } = (await send('POST', `${ROOT}/aliases`, { alias: name, forward })).body;
      expect((await send('GET', `${ROOT}/aliases/${alias.id}`)).body.alias.alias).toBe(name);
      await send('POST', `${ROOT}/credentials`, { username: name, password: 'correct horse' });
      expect((await send('GET', `${ROOT}/credentials`)).body.credentials).toMatchObject([
        {},
        { username: name },
      ]);
      expect((await send('DELETE', `${ROOT}/credentials/${name}`)).status).toBe(version === 'v4' ? 204 : 200);
      expectRefused(await send('GET', `/domains/${name}`), 404);
      expectRefused(await send('GET', `${ROOT}/rules/${name}`), 404);
    },
  );

  test('a lone surrogate comes back as it was sent', async () => {
    const fields = { type: 'cel', config: { expression: '\ud800', forward } };
    const { status, body } = await send('POST', `${ROOT}/rules`, fields);
    expect(status).toBe(200);
    expect(body.rule.config.expression).toBe('\ud800');
  });

  test('a rank without bounds stays a number', async () => {
    expectRefused(
      await send(
        'POST',
        `${ROOT}/rules`,
        '{"type":"alias","config":{"alias":"a","forward":"null"},"rank":1e999}',
      ),
      400,
    );
    for (const rank of [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -0]) {
      expect((await send('POST', `${ROOT}/rules`, { ...rule, rank })).status).toBe(200);
    }
    const { body } = await send('POST', `${ROOT}/rules`, rule);
    expect(Number.isFinite(body.rule.rank)).toBe(true);
  });
});

/** Number of failed items in an answer. */
function failuresIn({ body }: Answer): number {
  return (body.failed ?? body.errors ?? []).length;
}

interface Variant {
  readonly body: Body;
  /** True if the wrong value is in an item of a batch, which fails alone. */
  readonly inItem: boolean;
}

/** Returns a copy of the body for every field and every value of another type. */
function* wrongTypes(
  value: Body,
  wrap: (part: Body) => Body = (part) => part,
  depth: number = 0,
): Generator<Variant> {
  for (const [key, part] of Object.entries(value)) {
    const put = (other: Body): Body => wrap(Array.isArray(value) ? [other] : { ...value, [key]: other });
    for (const other of [null, 7, true, 'x', [], {}]) {
      if (kindOf(other) === kindOf(part) || (other === null && NULLABLE.has(key))) continue;
      yield { body: put(other), inItem: isItem(wrap(value), depth) };
    }
    if (typeof part === 'object') yield* wrongTypes(part, put, depth + 1);
  }
}

const NULLABLE = new Set(['notification_email', 'whitelabel', 'webhook']);

/** True below the top level of a body with a list of items. */
function isItem(body: Body, depth: number): boolean {
  return depth > 0 && Object.values(body).some(Array.isArray);
}

function kindOf(value: Body): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
