import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { addAlias } from '../../../src/emulator/account/resources/aliases.ts';
import { findDomain } from '../../../src/emulator/account/resources/stored-domains.ts';
import { authorization, KEY, startTestEmulator, type Send } from '../support/target.ts';

const forward = 'ana@corp.example';
const ROOT = '/domains/acme.example';

async function start(
  ...faults: readonly Fault[]
): Promise<{ emulator: Emulator; send: Send; slept: number[] }> {
  const started = await startTestEmulator({
    faults,
    state: { domains: [{ domain: 'acme.example', aliases: [{ alias: 'a', forward, id: 5 }] }] },
  });
  return started;
}

function raw(emulator: Emulator, path: string): Promise<Response> {
  return fetch(emulator.urls.v4 + path, { headers: { Authorization: authorization(KEY) } });
}

async function statusOf(
  send: Send,
  method: string,
  path: string,
  body?: unknown,
): Promise<number | 'dropped'> {
  return send(method, path, body).then(
    ({ status }) => status,
    () => 'dropped',
  );
}

async function aliasTotal(send: Send): Promise<number> {
  return (await send('GET', `${ROOT}/aliases`)).body.total;
}

const account: Fault['do'] = { kind: 'status', code: 503 };

describe('requests that a fault matches', () => {
  const requests = ['/account', '/domains', '/account', '/account', ROOT, '/account'];

  test.each<[string, Fault['match'], readonly number[]]>([
    ['anything, once', {}, [0]],
    ['an endpoint', { endpoint: '/account' }, [0]],
    ['a template', { endpoint: '/domains/:domain' }, [4]],
    ['a path', { path: '^/domains/acme' }, [4]],
    ['a path with query', { path: 'nothing=here' }, []],
    ['another method', { method: 'POST' }, []],
    ['another version', { version: 'v3' }, []],
    ['the nth', { endpoint: '/account', nth: 3 }, [3]],
    ['several times', { endpoint: '/account', times: 2 }, [0, 2]],
    ['several times from the nth', { endpoint: '/account', nth: 2, times: 2 }, [2, 3]],
    ['always', { endpoint: '/account', times: 'always' }, [0, 2, 3, 5]],
  ])('%s', async (_name, match, hit) => {
    const { send } = await start({ match, do: account });
    const found = [];
    for (const path of requests) found.push((await send('GET', path)).status);
    expect(found).toEqual(requests.map((_, index) => (hit.includes(index) ? 503 : 200)));
  });

  test('a path that is no regular expression is refused when it is set', async () => {
    const { emulator } = await start();
    expect(() => emulator.faults.push({ match: { path: '(' }, do: account })).toThrow(SyntaxError);
  });

  test('faults can be set, looked at and cleared at run time', async () => {
    const { emulator, send } = await start();
    emulator.faults.push({ match: {}, do: account }, { match: { nth: 3 }, do: account });
    expect((await send('GET', '/account')).status).toBe(503);
    expect(emulator.faults.pending()).toEqual([{ match: { nth: 3 }, do: account }]);
    emulator.faults.clear();
    expect(emulator.faults.pending()).toEqual([]);
    expect((await send('GET', '/account')).status).toBe(200);
    expect((await send('GET', '/account')).status).toBe(200);
  });
});

describe('faults of a whole answer', () => {
  const post = ['POST', `${ROOT}/aliases`, { alias: 'b', forward }] as const;

  test.each([
    ['status', 'before', 500, 1],
    ['status', 'after', 500, 2],
    ['drop', 'before', 'dropped', 1],
    ['drop', 'after', 'dropped', 2],
  ] as const)('%s %s processing', async (kind, when, status, total) => {
    const fault: Fault['do'] = kind === 'status' ? { kind, code: 500, when } : { kind, when };
    const { send } = await start({ match: { method: 'POST' }, do: fault });
    expect(await statusOf(send, ...post)).toBe(status);
    expect(await aliasTotal(send)).toBe(total);
  });

  test('a scripted status has the error shape and the rate-limit headers', async () => {
    const { send } = await start({ match: {}, do: account });
    const { body, headers } = await send('GET', '/account');
    expect(body).toEqual({ message: expect.any(String), errors: {} });
    expect(headers.get('x-ratelimit-remaining')).toBe('199');
  });

  test('a scripted 429 with a Retry-After of its own', async () => {
    const { send } = await start({
      match: {},
      do: {
        kind: 'status',
        code: 429,
        headers: { 'Retry-After': '-1' },
        body: { message: 'slow', errors: {} },
      },
    });
    const { status, body, headers } = await send('GET', '/account');
    expect([status, body.message, headers.get('retry-after')]).toEqual([429, 'slow', '-1']);
  });

  test('a page of HTML', async () => {
    const { emulator } = await start({ match: {}, do: { kind: 'status', code: 502, body: '<html>' } });
    const response = await raw(emulator, '/account');
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(await response.text()).toBe('<html>');
  });

  test.each(['before', 'after'] as const)('a delay %s processing', async (when) => {
    const { send, slept } = await start({ match: {}, do: { kind: 'delay', ms: 1234, when } });
    expect((await send('GET', '/account')).status).toBe(200);
    expect(slept).toEqual([1234]);
  });

  test('several faults strike one request', async () => {
    const { send, slept } = await start(
      { match: {}, do: { kind: 'delay', ms: 7 } },
      { match: {}, do: account },
      { match: {}, do: { kind: 'headers', set: { 'X-Extra': 'yes' } } },
    );
    const { status, headers } = await send('GET', '/account');
    expect([status, headers.get('x-extra'), slept]).toEqual([503, 'yes', [7]]);
  });
});

describe('faults of the body and the headers', () => {
  test('drip', async () => {
    const { send, slept } = await start({ match: {}, do: { kind: 'drip', chunkBytes: 100, ms: 50 } });
    const { body } = await send('GET', '/account');
    expect(body.account.email).toBe('owner@account.example');
    expect(slept.length).toBeGreaterThan(3);
    expect(new Set(slept)).toEqual(new Set([50]));
  });

  test('truncate', async () => {
    const { emulator } = await start({ match: {}, do: { kind: 'truncate', bytes: 10 } });
    const response = await raw(emulator, '/account');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('flood', async () => {
    const { emulator } = await start({ match: {}, do: { kind: 'flood', bytes: 1_000_000 } });
    expect(await (await raw(emulator, '/account')).text()).toHaveLength(1_000_000);
  });

  test('an endless answer that is not read ends with its connection', async () => {
    const { emulator, send } = await start({ match: {}, do: { kind: 'flood', bytes: 1e12 } });
    const response = await raw(emulator, '/account');
    await response.body?.cancel();
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test.each([
    ['empty', ''],
    ['cut JSON', '{"domains": ['],
    ['another shape', '[1, 2]'],
  ])('a body that is %s', async (_name, body) => {
    const { emulator } = await start({ match: {}, do: { kind: 'body', body } });
    const response = await raw(emulator, '/domains');
    expect([response.status, await response.text()]).toEqual([200, body]);
  });

  test('another content type', async () => {
    const { emulator } = await start({
      match: {},
      do: { kind: 'body', body: 'x', contentType: 'text/plain' },
    });
    expect((await raw(emulator, '/account')).headers.get('content-type')).toBe('text/plain');
  });

  test('headers are overridden and removed in any letter case', async () => {
    const { send } = await start({
      match: {},
      do: { kind: 'headers', set: { 'x-ratelimit-reset': 'NaN', 'X-RATELIMIT-LIMIT': null, date: null } },
    });
    const { headers } = await send('GET', '/account');
    expect(headers.get('x-ratelimit-reset')).toBe('NaN');
    expect(headers.get('x-ratelimit-limit')).toBeNull();
    expect(headers.get('date')).toBeNull();
    expect(headers.get('x-ratelimit-remaining')).toBe('199');
  });
});

describe('edits by another user', () => {
  test('a request comes before the one that it strikes', async () => {
    const { emulator, send } = await start({
      match: { method: 'GET', endpoint: '/domains/:domain/aliases', nth: 2 },
      do: {
        kind: 'edit',
        request: { method: 'POST', path: `/v4${ROOT}/aliases`, body: { alias: 'foreign', forward } },
      },
    });
    expect(await aliasTotal(send)).toBe(1);
    expect(await aliasTotal(send)).toBe(2);
    expect(emulator.journal.total()).toBe(2);
  });

  test('an edit uses up no budget', async () => {
    const { send } = await start({
      match: {},
      do: { kind: 'edit', request: { method: 'GET', path: '/v4/account' } },
    });
    expect((await send('GET', '/account')).headers.get('x-ratelimit-remaining')).toBe('199');
  });

  test('a function changes the store', async () => {
    const { send } = await start({
      match: {},
      do: {
        kind: 'edit',
        run: ({ state }) => {
          const domain = findDomain(state, 'acme.example');
          if (domain.ok) addAlias(state, domain.value, { alias: 'foreign', forward });
        },
      },
    });
    expect(await aliasTotal(send)).toBe(2);
  });

  test('one that throws ends the connection', async () => {
    const { send } = await start({
      match: {},
      do: {
        kind: 'edit',
        run: () => {
          throw new Error('broken script');
        },
      },
    });
    expect(await statusOf(send, 'GET', '/account')).toBe('dropped');
    expect(await statusOf(send, 'GET', '/account')).toBe(200);
  });
});
