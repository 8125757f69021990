import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import {
  authorization,
  expectV3Failure,
  KEY,
  sender,
  START,
  startTestEmulator,
  type Send,
} from '../support/target.ts';

const ROOT = '/domains/acme.example';
const forward = 'ana@corp.example';
const config = { alias: 'jobs', forward };

async function start(options: Partial<ServerOptions> = {}): Promise<Send> {
  const { emulator } = await startTestEmulator({
    state: { domains: [{ domain: 'acme.example' }] },
    ...options,
  });
  return sender(emulator.urls.v3, KEY);
}

function startWith(switches: Partial<Switches>): Promise<Send> {
  return start({ switches });
}

test.each([
  ['v3', 'created'],
  ['v4', 'created_at'],
] as const)('switch v3AccountShape %s', async (v3AccountShape, field) => {
  const send = await startWith({ v3AccountShape });
  expect((await send('GET', '/account')).body.account).toHaveProperty(field);
});

test.each([
  ['name-first', 'second'],
  ['id-first', 'first'],
] as const)('switch v3AliasSegment %s', async (v3AliasSegment, hit) => {
  const aliases = [
    { id: 7, alias: 'first', forward: 'first@corp.example' },
    { id: 8, alias: '7', forward: 'second@corp.example' },
  ];
  const send = await start({
    switches: { v3AliasSegment },
    state: { domains: [{ domain: 'acme.example', aliases }] },
  });
  expect((await send('GET', `${ROOT}/aliases/7`)).body.alias.forward).toBe(`${hit}@corp.example`);
  expect((await send('GET', `${ROOT}/aliases/8`)).body.alias.alias).toBe('7');
});

test.each([
  ['known', 1],
  ['unknown', 0],
] as const)('switch v3ListedIdsInBatches %s', async (v3ListedIdsInBatches, known) => {
  const send = await startWith({ v3ListedIdsInBatches });
  await send('POST', `${ROOT}/aliases`, { alias: 'a', forward });
  const { aliases } = (await send('GET', `${ROOT}/aliases`)).body;
  const id = String(aliases[0].id);
  const updated = await send('PUT', `${ROOT}/aliases/batch`, { aliases: [{ id, forward }] });
  expect([updated.status, updated.body.updated_count]).toEqual([known === 1 ? 200 : 207, known]);
  const deleted = await send('DELETE', `${ROOT}/aliases/batch`, { ids: [id] });
  expect([deleted.body.deleted_count, deleted.body.failed_count]).toEqual([known, 1 - known]);
  if (known === 1) return;
  expect(deleted.body.failed[0].message).toMatch(/alias.* not found/i);
  expect((await send('PUT', `${ROOT}/aliases/${id}`, { forward })).status).toBe(200);
  expect((await send('DELETE', `${ROOT}/aliases/${id}`)).status).toBe(200);
});

test.each([
  ['seconds', START / 1000],
  ['milliseconds', START],
] as const)('switch v3RuleTimes %s', async (v3RuleTimes, created) => {
  const send = await startWith({ v3RuleTimes });
  const { rule } = (await send('POST', `${ROOT}/rules`, { type: 'alias', config })).body;
  expect(rule.created).toBe(created);
  expect((await send('GET', `${ROOT}/rules`)).body.rules[0].created).toBe(created);
});

test.each([
  ['shown', { routing_engine: 'alias' }],
  ['omitted', {}],
] as const)('switch v3RoutingEngine %s', async (v3RoutingEngine, shown) => {
  const send = await startWith({ v3RoutingEngine });
  const { routing_engine, ...others } = (await send('GET', ROOT)).body.domain;
  expect(routing_engine === undefined ? {} : { routing_engine }).toEqual(shown);
  expect(others).toHaveProperty('banned');
});

test.each([
  ['count', { deleted: 1, success: true }],
  ['success', { success: true }],
] as const)('switch v3DeleteAllAnswer %s', async (v3DeleteAllAnswer, expected) => {
  const send = await startWith({ v3DeleteAllAnswer });
  await send('POST', `${ROOT}/aliases`, { alias: 'a', forward });
  await send('POST', `${ROOT}/rules`, { type: 'alias', config });
  expect((await send('DELETE', `${ROOT}/aliases/aliases-all?all=true`)).body).toEqual(expected);
  expect((await send('DELETE', `${ROOT}/rules-all?all=true`)).body).toEqual(expected);
  expectV3Failure(await send('DELETE', `${ROOT}/rules-all`), 400);
});

test.each(['/domains', `${ROOT}/aliases`, `${ROOT}/rules`, `${ROOT}/credentials`])(
  'switch v3MinimumLimit of %s',
  async (path) => {
    const send = await startWith({ v3MinimumLimit: 5 });
    expectV3Failure(await send('GET', `${path}?limit=4`), 400);
    expect((await send('GET', `${path}?limit=5`)).status).toBe(200);
  },
);

describe('switch freeBatchCreate', () => {
  test.each([
    ['refuse-aliases', 403, 200],
    ['refuse-all', 403, 403],
    ['allow', 200, 200],
  ] as const)(
    '%s counts for batch and bulk adds, and for them alone',
    async (freeBatchCreate, aliases, rules) => {
      const send = await start({ plan: 'free', switches: { freeBatchCreate } });
      const ofAliases = { aliases: [{ alias: 'a', forward }] };
      const ofRules = { rules: [{ type: 'alias', config }] };
      expect((await send('POST', `${ROOT}/aliases/bulk`, ofAliases)).status).toBe(aliases);
      expect((await send('POST', `${ROOT}/rules/bulk`, ofRules)).status).toBe(rules);
      expect((await send('POST', `${ROOT}/aliases/batch`, { aliases: [] })).status).toBe(aliases);
      expect((await send('POST', `${ROOT}/rules/batch`, { rules: [] })).status).toBe(rules);
      for (const behavior of ['update', 'delete']) {
        expect((await send('POST', `${ROOT}/aliases/bulk`, { ...ofAliases, behavior })).status).toBe(200);
        expect((await send('POST', `${ROOT}/rules/bulk`, { ...ofRules, behavior })).status).toBe(200);
      }
    },
  );
});

test.each([
  ['missing', false],
  ['valid', true],
] as const)('check with DNS %s', async (dns, success) => {
  const send = await start({ state: { domains: [{ domain: 'acme.example', dns }] } });
  const { status, body } = await send('GET', `${ROOT}/check`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ success, records: { mx: { valid: success } } });
});

test('whitelabels of the seed are listed', async () => {
  const send = await start({ state: { whitelabels: ['mail.partner.example'] } });
  const { body } = await send('GET', '/account/whitelabels');
  expect(body).toEqual({ success: true, whitelabels: [{ name: 'mail.partner.example' }] });
});

describe('bulk requests', () => {
  test('errors of rules are batch failure entries; results have an entry for each item', async () => {
    const send = await start();
    const rules = [
      { type: 'alias', config: { alias: 'a', forward: 'nowhere' } },
      { type: 'alias', config },
    ];
    const { body } = await send('POST', `${ROOT}/rules/bulk`, { rules });
    expect(body.errors).toEqual([
      { index: 0, message: expect.stringContaining('nowhere'), errors: expect.any(Object) },
    ]);
    expect(body.results).toEqual([
      { operation: 'add', rule: null, success: false },
      { operation: 'add', rule: expect.objectContaining({ config }), success: true },
    ]);
  });

  test('scripted failures of items strike them', async () => {
    const send = await start({
      faults: [{ match: { times: 2 }, do: { kind: 'fail-items', items: [{ index: 1 }] } }],
    });
    const aliases = ['a', 'b'].map((alias) => ({ alias, forward }));
    const ofAliases = await send('POST', `${ROOT}/aliases/bulk`, { aliases });
    expect(ofAliases.body).toMatchObject({ added: [{ alias: 'a' }], failed: [{ alias: 'b', id: null }] });
    const rules = [config, config].map((each) => ({ type: 'alias', config: each }));
    const ofRules = await send('POST', `${ROOT}/rules/bulk`, { rules });
    expect(ofRules.body).toMatchObject({ errors: [{ index: 1 }] });
  });

  test('a plan limit fails items, with its message', async () => {
    const send = await start({ limits: { rules_limit: 1 } });
    const rules = [config, config].map((each) => ({ type: 'alias', config: each }));
    const { body } = await send('POST', `${ROOT}/rules/bulk`, { rules });
    expect(body.errors).toMatchObject([
      { index: 1, message: expect.stringMatching(/^Your account is limited/) },
    ]);
  });
});

describe('errors that no handler raises', () => {
  test('429', async () => {
    const send = await start({ rateLimit: 1 });
    await send('GET', '/account');
    const answer = await send('GET', '/account');
    expect(expectV3Failure(answer, 429)).toMatchObject({ code: 429 });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test.each(['before', 'after'] as const)('a scripted status, %s processing', async (when) => {
    const send = await start({ faults: [{ match: {}, do: { kind: 'status', code: 503, when } }] });
    expect(expectV3Failure(await send('GET', '/account'), 503)).toMatchObject({ code: 503 });
  });

  test('a scripted status with a body of its own keeps it', async () => {
    const fault = { match: {}, do: { kind: 'status', code: 500, body: { oops: true } } } as const;
    const send = await start({ faults: [fault] });
    expect((await send('GET', '/account')).body).toEqual({ oops: true });
  });

  test('a locked account', async () => {
    const send = await start({ state: { account: { locked: true } } });
    expect(expectV3Failure(await send('POST', '/domains', {}), 403)).toMatchObject({ code: 403 });
  });

  test('a header without end', async () => {
    const { emulator } = await startTestEmulator();
    const response = await fetch(`${emulator.urls.v3}/account`, {
      headers: { Authorization: authorization(KEY), X: 'x'.repeat(30_000) },
    });
    expect(response.status).toBe(431);
    expect(await response.json()).toMatchObject({ success: false, code: 431, errors: {} });
  });
});
