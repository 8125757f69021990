import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseBasePath } from '../../../../src/cli/commands/run/run-options.ts';
import { allInSync } from '../support/scenery.ts';
import { serve, type Served } from '../support/serve.ts';

const TOKEN = 'token-of-the-page-0123456789';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const PAGES = ['/', '/status', '/events', '/runs/r1'];
const OPEN = ['/healthz', '/readyz', '/metrics', '/style.css', '/script.js', '/icon.svg'];

async function statusesOf(
  { get }: Served,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly (number | undefined)[]> {
  const answers = await Promise.all(paths.map((path) => get(path, { headers })));
  return answers.map(({ status }) => status);
}

function all(paths: readonly string[], status: number): readonly number[] {
  return paths.map(() => status);
}

async function signIn({ get }: Served, token: string, headers: Readonly<Record<string, string>> = {}) {
  return get('/login', { method: 'POST', headers, body: new URLSearchParams({ token }).toString() });
}

function cookieIn(header: readonly string[] | undefined): string {
  return header?.[0]?.split(';', 1)[0] ?? '';
}

/** Returns the first line of the answer to a raw request. */
async function firstLine(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(request);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return String(data).split('\r\n', 1)[0] ?? '';
}

describe('without a token', () => {
  test('loopback alone sees the page; beyond it it says why it is not served, and probes and metrics are', async () => {
    const here = await serve(allInSync());
    expect((await here.get('/')).status).toBe(200);
    const far = await serve(allInSync(), { host: '0.0.0.0' });
    expect(await statusesOf(far, PAGES)).toEqual(all(PAGES, 404));
    expect(await statusesOf(far, OPEN)).toEqual(all(OPEN, 200));
    const { text } = await far.get('/');
    expect(text).toContain('fwdsync listens on 0.0.0.0, beyond loopback, and there is no token');
    expect(text).toContain('FWDSYNC_PAGE_TOKEN_FILE');
    expect(JSON.parse((await far.get('/status')).text)).toEqual({
      error: expect.stringContaining('set FWDSYNC_PAGE_TOKEN'),
    });
  });

  test.each([
    'forwarded',
    'x-forwarded-for',
    'X-Forwarded-Host',
    'x-forwarded-anything',
    'Via',
    'X-Real-IP',
    'X-Original-Forwarded-For',
    'x-envoy-external-address',
    'True-Client-IP',
    'CF-Connecting-IP',
  ])('a request with %s comes from beyond loopback', async (name) => {
    const here = await serve(allInSync());
    expect(await statusesOf(here, PAGES, { [name]: 'for=10.0.0.1' })).toEqual(all(PAGES, 404));
    expect(await statusesOf(here, OPEN, { [name]: 'for=10.0.0.1' })).toEqual(all(OPEN, 200));
  });

  const BROWSER = 'User-Agent: Mozilla/5.0\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n';
  test.each([
    ['nginx with a bare proxy_pass', '1.0', 'Connection: close\r\n', 404],
    ['nginx that does not close', '1.0', '', 404],
    ['nginx with proxy_http_version 1.1', '1.1', 'Connection: close\r\n', 404],
    ['a browser behind nginx that keeps connections', '1.1', BROWSER, 404],
    ['an old browser behind it', '1.1', 'User-Agent: Mozilla/5.0\r\n', 404],
    ['a browser on this machine', '1.1', `Connection: keep-alive\r\n${BROWSER}`, 200],
    ['curl on this machine', '1.1', 'User-Agent: curl/8.14.1\r\nAccept: */*\r\n', 200],
  ])('only by its connection: %s', async (_, version, headers, status) => {
    const { server } = await serve(allInSync());
    for (const path of PAGES.filter((page) => status !== 200 || page === '/' || page === '/status')) {
      const host = `127.0.0.1:${server.port}`;
      const line = await firstLine(
        server.port,
        `GET ${path} HTTP/${version}\r\nHost: ${host}\r\n${headers}\r\n`,
      );
      expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  test('behind a base path it is not served', async () => {
    const here = await serve(allInSync(), { basePath: '/mail' });
    const paths = PAGES.flatMap((path) => [path, `/mail${path}`]);
    expect(await statusesOf(here, paths)).toEqual(all(paths, 404));
    expect(
      await statusesOf(
        here,
        OPEN.map((path) => `/mail${path}`),
      ),
    ).toEqual(all(OPEN, 200));
  });

  test('signing in is impossible', async () => {
    const far = await serve(allInSync(), { host: '0.0.0.0' });
    const { status, headers } = await signIn(far, '');
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  });
});

describe('with a token', () => {
  test('it is needed on loopback too, in a header and never in an address', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    expect(await statusesOf(here, PAGES)).toEqual(all(PAGES, 401));
    expect(await statusesOf(here, OPEN)).toEqual(all(OPEN, 200));
    expect((await here.get(`/?token=${TOKEN}`)).status).toBe(401);
    expect((await here.get('/status', { headers: BEARER })).status).toBe(200);
    expect((await here.get('/status', { headers: { authorization: `Basic ${TOKEN}` } })).status).toBe(401);
    expect((await here.get('/status')).headers['www-authenticate']).toBe('Bearer realm="fwdsync"');
  });

  test('a session is the same for every process with that token, ends after 12 hours, and with the token', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    const other = await serve(allInSync(), { token: TOKEN });
    const changed = await serve(allInSync(), { token: `${TOKEN}-2` });
    const { status, headers } = await signIn(here, TOKEN);
    expect([status, headers.location]).toEqual([303, '/']);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^fwdsync_session=\d+\.\d+\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const session = { cookie: `other=1; ${cookieIn(headers['set-cookie'])}` };
    expect((await here.get('/status', { headers: session })).status).toBe(200);
    expect((await other.get('/status', { headers: session })).status).toBe(200);
    expect((await changed.get('/status', { headers: session })).status).toBe(401);
    here.clock.advance(12 * 3_600_000 - 1_000);
    expect((await here.get('/status', { headers: session })).status).toBe(200);
    here.clock.advance(1_001);
    expect((await here.get('/status', { headers: session })).status).toBe(401);
    const later = session.cookie.replace(/\.(\d+)\./, (_, end) => `.${Number(end) + 9_000_000}.`);
    expect((await here.get('/status', { headers: { cookie: later } })).status).toBe(401);
    const out = await here.get('/logout', { method: 'POST' });
    expect(out.headers['set-cookie']?.[0]).toContain('fwdsync_session=; Path=/; Max-Age=0');
  });

  test('a session that is used goes on, for 30 days at most, and one that is not used ends', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    const hours = 3_600_000;
    let cookie = cookieIn((await signIn(here, TOKEN)).headers['set-cookie']);
    const unused = cookie;
    expect((await here.get('/', { headers: { cookie } })).headers['set-cookie']).toBeUndefined();
    let uses = 0;
    for (; uses < 200; uses += 1) {
      here.clock.advance(6 * hours);
      const { status, headers } = await here.get('/', { headers: { cookie } });
      if (status === 401) break;
      if (headers['set-cookie'] !== undefined) cookie = cookieIn(headers['set-cookie']);
    }
    expect(uses).toBe((30 * 24) / 6 - 1);
    expect((await here.get('/', { headers: { cookie: unused } })).status).toBe(401);
    const earlier = cookie.replace(/=(\d+)\./, (_, begin) => `=${Number(begin) + 30 * 24 * hours}.`);
    expect((await here.get('/', { headers: { cookie: earlier } })).status).toBe(401);
  });

  test('through a proxy with TLS the cookie is for TLS alone, and for the base path', async () => {
    const here = await serve(allInSync(), { token: TOKEN, basePath: '/mail' });
    const headers = { host: 'status.acme.example', 'x-forwarded-proto': 'https' };
    const answer = await here.get('/mail/login', { method: 'POST', headers, body: `token=${TOKEN}` });
    expect([answer.status, answer.headers.location]).toEqual([303, '/mail/']);
    expect(answer.headers['set-cookie']?.[0]).toContain(
      'Path=/mail; Max-Age=43200; HttpOnly; SameSite=Strict; Secure',
    );
    const cookie = cookieIn(answer.headers['set-cookie']);
    for (const path of ['/mail', '/mail/', '/']) {
      const { status, text } = await here.get(path, { headers: { ...headers, cookie } });
      expect(status).toBe(200);
      expect([...text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link)).toEqual(
        expect.arrayContaining(['/mail/style.css', '/mail/script.js', '/mail/logout']),
      );
      expect(text).not.toMatch(/(?:href|src|action|events)="\/(?!mail\/)/);
    }
  });

  test('wrong tokens are slowed down after ten a minute; bearers and sessions that are right go on', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    const session = { cookie: cookieIn((await signIn(here, TOKEN)).headers['set-cookie']) };
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    for (let count = 0; count < 5; count += 1) {
      expect((await here.get('/status', wrong)).status).toBe(401);
      expect((await signIn(here, 'wrong')).status).toBe(401);
    }
    const slowed = await here.get('/status', wrong);
    expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '60']);
    expect((await signIn(here, TOKEN)).status).toBe(429);
    expect((await signIn(here, TOKEN)).text).toContain('try again in 60 s');
    expect((await here.get('/status', { headers: BEARER })).status).toBe(200);
    expect((await here.get('/status', { headers: session })).status).toBe(200);
    here.clock.advance(60_000);
    expect((await here.get('/status', wrong)).status).toBe(401);
    expect((await signIn(here, TOKEN)).status).toBe(303);
  });
});

describe('requests', () => {
  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'])('%s of the page: 405', async (method) => {
    const here = await serve(allInSync());
    for (const path of ['/', '/status', '/runs/r1', '/events', '/login/x'])
      expect((await here.get(path, { method })).status).toBe(405);
  });

  test('another form, a form of another site, or a large one is refused', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    const json = { 'content-type': 'application/json' };
    expect((await here.get('/login', { method: 'POST', headers: json, body: '{}' })).status).toBe(415);
    expect((await signIn(here, 'x'.repeat(5_000))).status).toBe(413);
    expect((await signIn(here, TOKEN, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await signIn(here, TOKEN, { origin: 'null' })).status).toBe(403);
    expect((await signIn(here, TOKEN, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const own = { origin: `http://127.0.0.1:${here.server.port}`, 'sec-fetch-site': 'same-origin' };
    expect((await signIn(here, TOKEN, own)).status).toBe(303);
  });

  test.each([
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
  ] as const)('by a browser that says %j: %d', async (headers, status) => {
    const here = await serve(allInSync());
    expect((await here.get('/', { headers })).status).toBe(status);
  });

  test('every answer has the policy, and is kept nowhere', async () => {
    const here = await serve(allInSync(), { token: TOKEN });
    for (const path of ['/', '/status', '/style.css', '/nothing', '/healthz']) {
      const { headers } = await here.get(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

test('with more than a hundred open pages the oldest is closed, and probes are answered', async () => {
  const { server, get } = await serve(allInSync());
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const opened: Promise<string>[] = [];
  for (let count = 0; count < 103; count += 1) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/events`, { signal: stop.signal });
    opened.push(
      answer.text().then(
        () => 'ended',
        () => 'ended',
      ),
    );
  }
  const stillOpen = opened.slice(3).map((one) => Promise.race([one, turn('open')]));
  expect(await Promise.all(opened.slice(0, 3))).toEqual(['ended', 'ended', 'ended']);
  expect(new Set(await Promise.all(stillOpen))).toEqual(new Set(['open']));
  expect((await get('/healthz')).status).toBe(200);
});

describe('--base-path', () => {
  test.each([
    ['/mail', '/mail'],
    ['/mail/', '/mail'],
    ['/a/b-c', '/a/b-c'],
    ['/', ''],
  ])('%s', (text, path) => expect(parseBasePath(text)).toBe(path));

  test.each(['', 'mail', '/a b', '//evil.example', '/a/../b', '/./', '/"', '/status', '/login/x'])(
    'not %j',
    (text) => {
      expect(() => parseBasePath(text)).toThrow(/--base-path/);
    },
  );
});
