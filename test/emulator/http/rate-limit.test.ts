import { describe, expect, test } from 'vitest';
import type { RateLimitRule } from '../../../src/emulator/http/rate-limit.ts';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import { expectFailure, START, startTestEmulator, type Answer, type Send } from '../support/target.ts';

function start(options: Partial<ServerOptions>): ReturnType<typeof startTestEmulator> {
  return startTestEmulator({
    state: { domains: [{ domain: 'a.example' }, { domain: 'b.example' }] },
    ...options,
  });
}

function numbers({ headers }: Answer): (number | null)[] {
  return ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`);
    return text === null ? null : Number(text);
  });
}

async function statuses(send: Send, requests: readonly string[]): Promise<number[]> {
  const found = [];
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ');
    found.push((await send(method, path)).status);
  }
  return found;
}

describe('v4: Limits: rate', () => {
  test.each([
    ['free', 30],
    ['paid', 200],
  ] as const)('%s: %d requests per minute per endpoint', async (plan, limit) => {
    const { send, clock } = await start({ plan });
    for (let index = 1; index <= limit; index += 1) {
      const answer = await send('GET', '/account');
      expect(answer.status).toBe(200);
      expect(numbers(answer)).toEqual([limit, limit - index, START / 1000 + 60]);
    }
    const refused = await send('GET', '/account');
    expectFailure(refused, 429);
    expect(numbers(refused)).toEqual([limit, 0, START / 1000 + 60]);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await send('GET', '/domains')).status).toBe(200);
    clock.now += 60_000;
    expect(numbers(await send('GET', '/account'))).toEqual([limit, limit - 1, START / 1000 + 120]);
  });

  test('Retry-After counts down to the reset', async () => {
    const { send, clock } = await start({ rateLimit: 1 });
    await send('GET', '/account');
    clock.now += 45_500;
    const refused = await send('GET', '/account');
    expect(refused.headers.get('retry-after')).toBe('15');
    clock.now += 15_000;
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('Date is the clock of the limits', async () => {
    const { send, clock } = await start({});
    clock.now += 3_600_000;
    const { headers } = await send('GET', '/account');
    expect(Date.parse(headers.get('date') ?? '')).toBe(clock.now);
  });

  test('a refused request uses nothing up and changes nothing', async () => {
    const { send, clock } = await start({ rateLimit: 1 });
    await send('POST', '/domains', { domain: 'c.example' });
    expect((await send('POST', '/domains', { domain: 'd.example' })).status).toBe(429);
    clock.now += 60_000;
    expect((await send('POST', '/domains', { domain: 'd.example' })).status).toBe(200);
  });

  test('requests that fail count too', async () => {
    const { send } = await start({ rateLimit: 2 });
    expect(
      await statuses(send, ['GET /domains/x.example', 'GET /domains/y.example', 'GET /domains/a.example']),
    ).toEqual([404, 404, 429]);
  });

  test('a wrong key has a budget of its own', async () => {
    const { send } = await start({ rateLimit: 1 });
    const headers = { Authorization: 'Basic nobody' };
    expect((await send('GET', '/account', undefined, headers)).status).toBe(401);
    expect((await send('GET', '/account')).status).toBe(200);
    expect((await send('GET', '/account', undefined, headers)).status).toBe(429);
  });

  test('switch rateLimitHeaders omitted', async () => {
    const { send } = await start({ rateLimit: 1, switches: { rateLimitHeaders: 'omitted' } });
    expect(numbers(await send('GET', '/account'))).toEqual([null, null, null]);
    const refused = await send('GET', '/account');
    expect(numbers(refused)).toEqual([null, null, null]);
    expect(refused.headers.get('retry-after')).toBe('60');
  });
});

describe('rules of the rate limit', () => {
  const first = 'GET /domains/a.example';
  const second = 'GET /domains/b.example';
  const write = 'DELETE /domains/x.example';

  test.each<[string, readonly RateLimitRule[], readonly string[], readonly number[]]>([
    ['per template', [{ per: 'template', limit: 1 }], [first, second, write], [200, 429, 404]],
    ['per path', [{ per: 'path', limit: 1 }], [first, second, first], [200, 200, 429]],
    ['per account', [{ per: 'account', limit: 2 }], [first, write, 'GET /account'], [200, 404, 429]],
    [
      'reads and writes apart',
      [
        { per: 'account', methods: 'read', limit: 2 },
        { per: 'account', methods: 'write', limit: 1 },
      ],
      [first, 'GET /account', write, second, write],
      [200, 200, 404, 429, 429],
    ],
    [
      'one endpoint with less',
      [
        { per: 'template', limit: 9 },
        { per: 'template', limit: 1, endpoint: '/account' },
      ],
      ['GET /account', 'GET /account', first, second],
      [200, 429, 200, 200],
    ],
  ])('%s', async (_name, rateLimit, requests, expected) => {
    const { send } = await start({ rateLimit });
    expect(await statuses(send, requests)).toEqual(expected);
  });

  test('the headers show the rule with the least left', async () => {
    const { send } = await start({
      rateLimit: [
        { per: 'template', limit: 10 },
        { per: 'account', limit: 3, windowSeconds: 3600 },
      ],
    });
    expect(numbers(await send('GET', '/account'))).toEqual([3, 2, START / 1000 + 3600]);
  });

  test('a request that one rule refuses is counted by none', async () => {
    const { send } = await start({
      rateLimit: [
        { per: 'template', limit: 1 },
        { per: 'account', limit: 3 },
      ],
    });
    expect(
      await statuses(send, ['GET /account', 'GET /account', 'GET /account', 'GET /domains', first]),
    ).toEqual([200, 429, 429, 200, 200]);
  });

  test('no rule, no headers', async () => {
    const { send } = await start({ rateLimit: [] });
    expect(numbers(await send('GET', '/account'))).toEqual([null, null, null]);
  });

  test('windowSeconds', async () => {
    const { send, clock } = await start({ rateLimit: 1, windowSeconds: 5 });
    await send('GET', '/account');
    clock.now += 4999;
    expect((await send('GET', '/account')).status).toBe(429);
    clock.now += 1;
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('a window at multiples of its length', async () => {
    const { send, clock } = await start({ rateLimit: [{ per: 'account', limit: 1, align: 'clock' }] });
    clock.now = START + 50_000;
    expect(numbers(await send('GET', '/account'))).toEqual([1, 0, START / 1000 + 60]);
    clock.now = START + 60_000;
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('a sliding window lets a request in when the oldest is a window old', async () => {
    const { send, clock } = await start({ rateLimit: [{ per: 'account', limit: 2, window: 'sliding' }] });
    expect(numbers(await send('GET', '/account'))).toEqual([2, 1, START / 1000 + 60]);
    clock.now += 30_000;
    expect(numbers(await send('GET', '/account'))).toEqual([2, 0, START / 1000 + 60]);
    clock.now += 29_999;
    const refused = await send('GET', '/account');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    clock.now += 1;
    expect(numbers(await send('GET', '/account'))).toEqual([2, 0, START / 1000 + 90]);
    expect((await send('GET', '/account')).status).toBe(429);
  });

  test('the rules can change at run time', async () => {
    const { emulator, send } = await startTestEmulator({ rateLimit: 1 });
    await send('GET', '/account');
    emulator.limiter.configure([{ per: 'account', limit: 5 }]);
    expect(numbers(await send('GET', '/account')).slice(0, 2)).toEqual([5, 4]);
  });
});
