import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ServedRequest } from '../../src/emulator/http/dispatch.ts';
import { createEmulator, type EmulatorCore } from '../../src/emulator/emulator.ts';
import { createEmulatorApp } from '../../src/emulator/http/server.ts';
import { authorization, KEY, START, startTestEmulator } from './support/target.ts';

const forward = 'ana@corp.example';
const options = {
  apiKey: KEY,
  plan: 'paid',
  now: () => START,
  sleep: async () => {},
  randomId: () => '00000000-0000-4000-8000-000000000000',
} as const;

describe('journal', () => {
  test('it holds what arrived, in order', async () => {
    const { emulator, send } = await startTestEmulator();
    await send('POST', '/domains', { domain: 'a.example' });
    await send('GET', '/domains?limit=5');
    await send('GET', '/nowhere');
    await send('POST', '/domains', '{');
    expect(emulator.journal.entries()).toMatchObject([
      {
        number: 1,
        version: 'v4',
        method: 'POST',
        endpoint: '/domains',
        path: '/domains',
        body: { domain: 'a.example' },
        status: 200,
        at: START,
      },
      {
        number: 2,
        method: 'GET',
        endpoint: '/domains',
        path: '/domains?limit=5',
        body: undefined,
        status: 200,
      },
      { number: 3, endpoint: null, path: '/nowhere', status: 404 },
      { number: 4, body: '{', status: 400 },
    ]);
  });

  test('a dropped request has no status', async () => {
    const { emulator, send } = await startTestEmulator({ faults: [{ match: {}, do: { kind: 'drop' } }] });
    await expect(send('GET', '/account')).rejects.toThrow();
    expect(emulator.journal.entries()[0]?.status).toBeNull();
  });

  test('it keeps the newest and counts all', async () => {
    const { emulator, send } = await startTestEmulator({ journalSize: 2 });
    for (const page of [1, 2, 3]) await send('GET', `/domains?page=${page}`);
    expect(emulator.journal.total()).toBe(3);
    expect(emulator.journal.entries().map((entry) => entry.path)).toEqual([
      '/domains?page=2',
      '/domains?page=3',
    ]);
    emulator.journal.clear();
    expect([emulator.journal.total(), emulator.journal.entries()]).toEqual([0, []]);
  });
});

describe('onRequest', () => {
  test('a listener is called before and after each request', async () => {
    const { emulator, send } = await startTestEmulator();
    const events: ServedRequest[] = [];
    const sizes: number[] = [];
    emulator.onRequest((event) => {
      events.push(event);
      sizes.push(emulator.store.state.domains.size);
    });
    await send('POST', '/domains', { domain: 'a.example' });
    const common = {
      version: 'v4',
      method: 'POST',
      endpoint: '/domains',
      path: '/domains',
      body: { domain: 'a.example' },
    };
    expect(events).toEqual([
      { ...common, phase: 'before', status: null },
      { ...common, phase: 'after', status: 200 },
    ]);
    expect(sizes).toEqual([0, 1]);
  });

  test('it can be taken away', async () => {
    const { emulator, send } = await startTestEmulator();
    let calls = 0;
    const remove = emulator.onRequest(() => {
      calls += 1;
    });
    await send('GET', '/account');
    remove();
    await send('GET', '/account');
    expect(calls).toBe(2);
  });

  test('a request waits for it', async () => {
    const { emulator, send } = await startTestEmulator();
    const order: string[] = [];
    emulator.onRequest(async ({ phase }) => {
      await Promise.resolve();
      order.push(phase);
    });
    await send('GET', '/account');
    expect(order).toEqual(['before', 'after']);
  });
});

describe('seed and dump', () => {
  const seed = {
    account: { email: 'ops@acme.example', plan: { domains_limit: 3 } },
    whitelabels: ['mail.partner.example'],
    domains: [
      {
        domain: 'Zeta.example',
        routing_engine: 'rules' as const,
        notification_email: null,
        aliases: [
          { alias: 'b', forward, id: 70 },
          { alias: 'a', forward, created_at: '2025-05-01T00:00:00Z' },
        ],
        rules: [
          { id: 'r2', type: 'alias' as const, config: { alias: 'a', forward }, rank: 2 },
          { id: 'r1', type: 'cel' as const, config: { expression: 'true', forward }, rank: 1, active: false },
        ],
        credentials: [{ username: 'carol', password: 'correct horse' }],
      },
      { domain: 'alpha.example', created_at: START - 1000 },
    ],
  };

  test('the dump is canonical', () => {
    const { store } = createEmulator({ ...options, state: seed });
    const dump = store.dump();
    expect(dump.account).toMatchObject({
      email: 'ops@acme.example',
      plan: { domains_limit: 3, rules_limit: 1_000_000 },
    });
    expect(dump.domains.map((domain) => domain.domain)).toEqual(['alpha.example', 'zeta.example']);
    expect(dump.domains[1]).toMatchObject({
      routing_engine: 'rules',
      notification_email: null,
      aliases: [
        { alias: 'a', id: 71, created_at: Date.UTC(2025, 4, 1) },
        { alias: 'b', id: 70, created_at: START },
      ],
      rules: [
        { id: 'r1', type: 'cel', rank: 1, active: false },
        { id: 'r2', type: 'alias', rank: 2, active: true },
      ],
      credentials: [{ username: 'carol', password: 'correct horse', usage: 0 }],
    });
  });

  test('a dump is plain JSON and seeds the same account', () => {
    const dump = createEmulator({ ...options, state: seed }).store.dump();
    expect(JSON.parse(JSON.stringify(dump))).toEqual(dump);
    expect(createEmulator({ ...options, state: dump }).store.dump()).toEqual(dump);
  });

  test('without what is volatile, two ways to one account look the same', async () => {
    const first = createEmulator({
      ...options,
      state: { domains: [{ domain: 'a.example', aliases: [{ alias: 'x', forward, id: 9 }] }] },
    });
    const second = createEmulator({ ...options, state: { domains: [{ domain: 'a.example' }] } });
    await call(second, 'POST', '/v4/domains/a.example/aliases', { alias: 'x', forward });
    expect(second.store.dump()).not.toEqual(first.store.dump());
    expect(second.store.dump({ without: 'volatile' })).toEqual(first.store.dump({ without: 'volatile' }));
  });
});

describe('without a socket', () => {
  test('dispatch serves the API', async () => {
    const core = createEmulator(options);
    expect(await call(core, 'POST', '/v4/domains', { domain: 'a.example' })).toMatchObject({ status: 200 });
    expect(await call(core, 'GET', '/v4/domains/a.example/aliases')).toMatchObject({
      status: 200,
      body: { total: 1 },
    });
  });

  test('faults come as outcomes', async () => {
    const core = createEmulator({ ...options, faults: [{ match: {}, do: { kind: 'drop' } }] });
    const request = { method: 'GET', target: '/v4/account', headers: {}, body: undefined };
    expect(await core.dispatch(request)).toEqual({ kind: 'dropped' });
  });

  test('createEmulatorApp answers injected requests', async () => {
    const { app, core } = createEmulatorApp(options);
    const response = await app.inject({
      method: 'POST',
      url: '/v4/domains',
      headers: { authorization: authorization(KEY), 'content-type': 'application/json' },
      payload: '{"domain":"a.example"}',
    });
    expect(response.statusCode).toBe(200);
    expect(core.store.state.domains.size).toBe(1);
    await app.close();
  });
});

describe('server', () => {
  test('urls name the port', async () => {
    const { emulator } = await startTestEmulator();
    expect(emulator.urls).toEqual({
      v4: `http://127.0.0.1:${emulator.port}/v4`,
      v3: `http://127.0.0.1:${emulator.port}/v3`,
    });
  });

  test('a port in use is refused', async () => {
    const { emulator } = await startTestEmulator();
    await expect(startTestEmulator({ port: emulator.port })).rejects.toThrow('EADDRINUSE');
  });

  test('close ends a request that waits', async () => {
    const { emulator, send } = await startTestEmulator({
      faults: [{ match: {}, do: { kind: 'delay', ms: 1e9 } }],
      sleep: () => new Promise(() => {}),
    });
    const arrived = new Promise<void>((resolve) => {
      emulator.onRequest(() => {
        resolve();
      });
    });
    const pending = expect(send('GET', '/account')).rejects.toThrow();
    await arrived;
    await emulator.close();
    await pending;
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n', '400'],
    ['a header without end', `GET /v4/account HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, '431'],
    ['a bad method', 'FROB /v4/account HTTP/1.1\r\n\r\n', '400'],
  ])('%s gets an answer in the error shape', async (_name, text, status) => {
    const { emulator, send } = await startTestEmulator();
    const answer = await exchange(emulator.port, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      message: expect.any(String),
      errors: {},
    });
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('an unreadable content type is a bad request', async () => {
    const { send } = await startTestEmulator();
    const { status, body } = await send('POST', '/domains', '{}', { 'Content-Type': 'a;;b' });
    expect([status, body.errors]).toEqual([400, {}]);
  });
});

async function call(
  core: EmulatorCore,
  method: string,
  target: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const outcome = await core.dispatch({
    method,
    target,
    headers: { authorization: authorization(KEY) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (outcome.kind === 'dropped') throw new Error('dropped');
  return { status: outcome.answer.status, body: JSON.parse(outcome.answer.body) };
}

function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
