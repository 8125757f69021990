import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import {
  expectV3Failure,
  KEY,
  sender,
  START,
  startTestEmulator,
  type Body,
  type Send,
} from '../support/target.ts';

/** State that only the service can cause: DNS, mail, plans. The API cannot set it. */

const ROOT = '/domains/acme.example';
const forward = 'ana@corp.example';

async function start(
  state: Seed = {},
  options: Partial<ServerOptions> = { rateLimit: 1e6 },
): Promise<{ v3: Send; v4: Send }> {
  const { emulator, send } = await startTestEmulator({ state, ...options });
  return { v3: sender(emulator.urls.v3, KEY), v4: send };
}

const get = async (send: Send, path: string): Promise<Body> => (await send('GET', path)).body;

describe('v3: Domains: those that are ready, and those that are not', () => {
  const domains = [
    { domain: 'ready.example', forwarding_ready: true },
    { domain: 'waiting.example', forwarding_ready: false },
  ];

  test.each([
    ['is_active=1', ['ready.example']],
    ['is_active=0', ['waiting.example']],
    ['', ['ready.example', 'waiting.example']],
    ['is_active=1&q=wait', []],
  ])('%j', async (filter, names) => {
    const { v3 } = await start({ domains });
    const { domains: found, total } = await get(v3, `/domains?${filter}`);
    expect(found.map(({ domain }: Body) => domain)).toEqual(names);
    expect(total).toBe(names.length);
  });

  test('active says which', async () => {
    const { v3 } = await start({ domains });
    expect((await get(v3, '/domains/ready.example')).domain.active).toBe(true);
    expect((await get(v3, '/domains/waiting.example')).domain.active).toBe(false);
  });
});

describe('v3: Domains: check', () => {
  test.each([
    [{ mx: true }, true, null],
    [{ mx: false, spf: true, dkim1: true, dkim2: true, dmarc: true }, false, expect.any(String)],
  ])('with %j success is %s', async (dns, success, error) => {
    const { v3 } = await start({ domains: [{ domain: 'acme.example', dns, forwarding_ready: false }] });
    const { status, body } = await v3('GET', `${ROOT}/check`);
    expect([status, body.success, body.records.error]).toEqual([200, success, error]);
    expect((await get(v3, ROOT)).domain.active).toBe(success);
  });
});

describe('v3: Domain: embedded aliases are those of now', () => {
  test('after every kind of write, of either version', async () => {
    const { v3, v4 } = await start({ domains: [{ domain: 'acme.example' }] });
    const embedded = async (): Promise<readonly string[]> => {
      const one = (await get(v3, ROOT)).domain;
      const [listed] = (await get(v3, '/domains')).domains;
      expect(listed.aliases).toEqual(one.aliases);
      return one.aliases.map((alias: Body) => `${alias.alias} ${alias.forward} ${alias.id}`);
    };
    const path = `${ROOT}/aliases`;
    expect(await embedded()).toEqual([]);
    await v4('POST', path, { alias: 'b', forward: 'b@x.example' });
    expect(await embedded()).toEqual(['b b@x.example 1']);
    await v3('POST', `${path}/bulk`, { aliases: [{ alias: 'a"\\', forward: 'a@x.example' }] });
    expect(await embedded()).toEqual(['a"\\ a@x.example 2', 'b b@x.example 1']);
    await v4('PUT', `${path}/1`, { forward: 'c@x.example' });
    expect(await embedded()).toEqual(['a"\\ a@x.example 2', 'b c@x.example 1']);
    await v3('DELETE', `${path}/b`);
    expect(await embedded()).toEqual(['a"\\ a@x.example 2']);
    await v4('DELETE', `${path}?all=true`);
    expect(await embedded()).toEqual([]);
  });
});

describe('v3: Email logs: count has the filters of v4', () => {
  const logs = [
    { sender: 'A@x.example', recipient: 'sales@acme.example', forward: 'c@x.example', transport: 'mx' },
    { sender: 'b@x.example', recipient: 'Info@acme.example', events: ['REFUSED'], transport: 'mx' },
    { sender: 'b@x.example', recipient: 'd@x.example', forward: 'd@x.example', transport: 'smtp' },
  ] as const;
  const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

  test.each([
    ['sender=a@X.example', 1],
    ['recipient=info@acme.example', 1],
    ['forward=C@x.example', 1],
    ['forward=c', 0],
    ['status=REFUSED', 1],
    ['status=DELIVERED,REFUSED', 3],
    ['transport=smtp', 1],
    ['transport=api', 0],
    [`after=${at(-25)}`, 2],
    [`before=${at(-25)}`, 1],
    ['sender=b@x.example&transport=mx&status=REFUSED', 1],
    ['sender=b@x.example&transport=mx&status=DELIVERED', 0],
  ])('%s', async (filter, total) => {
    const seeded = logs.map((log, index) => ({ ...log, created_at: START - (3 - index) * 10_000 }));
    const { v3, v4 } = await start({ domains: [{ domain: 'acme.example', logs: seeded }] });
    expect(await get(v3, `${ROOT}/logs/count?${filter}`)).toEqual({ success: true, total });
    expect(await get(v4, `${ROOT}/logs/count?${filter}`)).toEqual({ total });
  });
});

describe('v3: Limits: rate', () => {
  test.each([
    ['free', 30],
    ['paid', 200],
  ] as const)('%s accounts: %d requests a minute and endpoint', async (plan, limit) => {
    const { v3 } = await start({}, { plan });
    for (let sent = 0; sent < limit; sent += 1) expect((await v3('GET', '/account')).status).toBe(200);
    const refused = await v3('GET', '/account/');
    expectV3Failure(refused, 429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(limit));
    expect((await v3('GET', '/domains')).status).toBe(200);
  });
});

describe('v3: Aliases: creating many needs a paid plan', () => {
  test.each([
    ['batch', {}, 403],
    ['bulk', {}, 403],
    ['bulk', { behavior: 'add' }, 403],
    ['bulk', { behavior: 'update' }, 200],
    ['bulk', { behavior: 'delete' }, 200],
  ])('%s with %j is %d on a free account', async (path, fields, status) => {
    const { v3 } = await start({ tier: 'free', domains: [{ domain: 'acme.example' }] });
    const aliases = [{ alias: 'sales', forward }];
    const answer = await v3('POST', `${ROOT}/aliases/${path}`, { aliases, ...fields });
    expect([answer.status, answer.body.success]).toEqual([status, status === 200]);
    expect((await get(v3, `${ROOT}/aliases`)).total).toBe(0);
  });
});
