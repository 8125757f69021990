import { beforeEach, describe, expect, test } from 'vitest';
import type { SeedLog } from '../../../src/emulator/logs/logs-seed.ts';
import { insertLog } from '../../../src/emulator/logs/logs.ts';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import {
  expectFailure,
  START,
  startTestEmulator,
  TIMESTAMP,
  type Answer,
  type Body,
  type Clock,
  type Send,
} from '../support/target.ts';

const ROOT = '/domains/acme.example/logs';
const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** In order of arrival, a second apart, the last one a second ago. */
const logs: readonly SeedLog[] = [
  {
    sender: 'ana@corp.example',
    recipient: 'Sales@acme.example',
    forward: 'carol@corp.example',
    subject: 'Invoice 1',
  },
  {
    sender: { email: 'Ben@Corp.example', name: 'Ben' },
    recipient: 'sales@acme.example',
    forward: 'dan@corp.example',
    subject: 'Newsletter',
    events: ['QUEUED', 'SOFT-BOUNCE', 'DELIVERED'],
  },
  { sender: 'ana@corp.example', recipient: 'nobody@acme.example', subject: 'Lunch' },
  {
    sender: 'carol@acme.example',
    recipient: 'ana@corp.example',
    forward: 'ana@corp.example',
    subject: 'Re: invoice',
    transport: 'smtp',
    events: ['QUEUED', 'HARD-BOUNCE'],
  },
  {
    sender: 'robot@acme.example',
    recipient: 'eve@corp.example',
    forward: 'eve@corp.example',
    subject: 'Report',
    transport: 'api',
    events: ['QUEUED', 'BOUNCED'],
  },
  {
    sender: 'eve@corp.example',
    recipient: 'info@acme.example',
    forward: 'carol@corp.example',
    subject: 'Invoices overdue',
    events: ['QUEUED'],
  },
].map(
  (log, index) => ({ ...log, id: `log-${index + 1}`, created_at: START - (6 - index) * SECOND }) as SeedLog,
);

let send: Send;
let clock: Clock;
beforeEach(() => start());

async function start(
  options: Partial<ServerOptions> = {},
  content: readonly SeedLog[] = logs,
): Promise<void> {
  const started = await startTestEmulator({
    rateLimit: 1e6,
    state: { domains: [{ domain: 'acme.example', logs: content }, { domain: 'quiet.example' }] },
    ...options,
  });
  ({ send, clock } = started);
}

async function get(path: string): Promise<Body> {
  const { status, body } = await send('GET', path);
  expect(status).toBe(200);
  return body;
}

/** The numbers of the entries. */
function numbers(body: Body): number[] {
  return body.logs.map(({ id }: { id: string }) => Number(id.replace('log-', '')));
}

const encode = encodeURIComponent;
const at = (seconds: number): string => new Date(START + seconds * SECOND).toISOString();

describe('v4: Email logs: list', () => {
  test('the answer and an entry have every field', async () => {
    const body = await get(ROOT);
    expect(body).toEqual({ logs: expect.any(Array), limit: 100, cursor: null, next_cursor: null });
    expect(body.logs[0]).toEqual({
      id: 'log-6',
      created_at: '2026-01-15T11:59:59Z',
      events: [expect.objectContaining({ status: 'QUEUED' })],
      forward: { email: 'carol@corp.example', name: null },
      hostname: expect.any(String),
      message_id: expect.any(String),
      recipient: { email: 'info@acme.example', name: null },
      sender: { email: 'eve@corp.example', name: null },
      subject: 'Invoices overdue',
      transport: 'mx',
    });
  });

  test('events are a timeline; their ids are message id, hyphen and position', async () => {
    const entry = (await get(ROOT)).logs[4];
    expect(entry.sender).toEqual({ email: 'Ben@Corp.example', name: 'Ben' });
    expect(entry.events.map(({ status }: Body) => status)).toEqual(['QUEUED', 'SOFT-BOUNCE', 'DELIVERED']);
    for (const [position, event] of entry.events.entries()) {
      expect(event).toEqual({
        code: expect.any(Number),
        created_at: expect.stringMatching(TIMESTAMP),
        id: `${entry.message_id}-${position}`,
        local: expect.any(String),
        message: expect.any(String),
        server: expect.any(String),
        status: expect.any(String),
      });
    }
  });

  test('a refused mail has a single event and no forward', async () => {
    const entry = (await get(ROOT)).logs[3];
    expect([entry.forward, entry.events.map(({ status }: Body) => status)]).toEqual([null, ['REFUSED']]);
  });

  test.each([
    ['', [6, 5, 4, 3, 2, 1]],
    ['order=created_desc', [6, 5, 4, 3, 2, 1]],
    ['order=created_asc', [1, 2, 3, 4, 5, 6]],
    ['limit=2', [6, 5]],
    ['sender=ANA@corp.example', [3, 1]],
    ['sender=ana@corp', []],
    ['recipient=sales@acme.example', [2, 1]],
    ['forward=Carol@corp.example', [6, 1]],
    ['status=HARD-BOUNCE', [4]],
    ['status=BOUNCED,REFUSED', [5, 3]],
    ['status=DELIVERED', [2, 1]],
    ['status=SOFT-BOUNCE,%20BOUNCED', [5, 2]],
    ['transport=mx', [6, 3, 2, 1]],
    ['transport=smtp', [4]],
    ['transport=api', [5]],
    [`after=${at(-3)}`, [6, 5]],
    [`after=${encode('2026-01-15T12:59:57+01:00')}`, [6, 5]],
    [`before=${at(-4)}`, [2, 1]],
    [`after=${at(-5)}&before=${at(-2)}`, [4, 3]],
    [`after=${at(-2)}&before=${at(-3)}`, []],
    ['sender=ana@corp.example&status=REFUSED', [3]],
    ['recipient=sales@acme.example&order=created_asc&limit=1', [1]],
    ['sender=', [6, 5, 4, 3, 2, 1]],
  ])('%j', async (query, expected) => {
    expect(numbers(await get(`${ROOT}?${query}`))).toEqual(expected);
  });

  test.each([
    ['order=name_asc', 'order'],
    ['limit=0', 'limit'],
    ['status=LOST', 'status'],
    ['transport=pigeon', 'transport'],
    ['after=yesterday', 'after'],
    ['before=1768471200', 'before'],
    ['cursor=nothing', 'cursor'],
  ])('%j is refused', async (query, field) => {
    expect(Object.keys(expectFailure(await send('GET', `${ROOT}?${query}`), 400).errors)).toEqual([field]);
  });

  test('a limit over 200 is taken as 200', async () => {
    expect((await get(`${ROOT}?limit=1000`)).limit).toBe(200);
  });

  test('an unknown domain', async () => {
    expectFailure(await send('GET', '/domains/other.example/logs'), 404);
  });

  test('a domain without mail', async () => {
    expect(await get('/domains/quiet.example/logs')).toEqual({
      logs: [],
      limit: 100,
      cursor: null,
      next_cursor: null,
    });
  });

  test.each(['next', 'last'] as const)('pages: the cursor names the %s entry', async (logCursor) => {
    await start({ switches: { logCursor } });
    for (const query of ['order=created_desc', 'order=created_asc', 'transport=mx', 'status=QUEUED']) {
      for (const limit of [1, 2, 3, 6, 7]) {
        expect(await pages(`${query}&limit=${limit}`)).toEqual(numbers(await get(`${ROOT}?${query}`)));
      }
    }
  });

  test('a page holds what came in the same millisecond', async () => {
    await start(
      {},
      logs.map((log) => ({ ...log, created_at: START })),
    );
    expect(await pages('limit=1')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await pages('limit=4&order=created_asc')).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('mail that arrives between two pages moves nothing', async () => {
    const { emulator, ...started } = await startTestEmulator({
      state: { domains: [{ domain: 'acme.example', logs }] },
    });
    const first = (await started.send('GET', `${ROOT}?limit=3`)).body;
    const domain = emulator.store.state.domains.get('acme.example');
    const mailbox = { email: 'x@corp.example', name: null };
    if (domain !== undefined) {
      insertLog(emulator.store.state, domain, {
        created_at: START,
        sender: mailbox,
        recipient: mailbox,
        forward: null,
        subject: 'new',
        events: [],
        hostname: 'mx.example',
        transport: 'mx',
      });
    }
    const second = (await started.send('GET', `${ROOT}?limit=3&cursor=${first.next_cursor}`)).body;
    expect([numbers(first), numbers(second), second.cursor]).toEqual([[6, 5, 4], [3, 2, 1], 'log-3']);
    await emulator.close();
  });

  test.each([
    ['first-page', [6, 5]],
    ['empty', []],
  ] as const)('an unknown cursor: %s', async (unknownLogCursor, expected) => {
    await start({ switches: { unknownLogCursor } });
    expect(numbers(await get(`${ROOT}?limit=2&cursor=nothing`))).toEqual(expected);
  });

  test.each([
    [`${ROOT}?order=best&status=LOST&limit=2`, 200],
    [`${ROOT}/count?after=yesterday`, 200],
    [`${ROOT}/search?query=a&offset=-1`, 200],
    [`${ROOT}/search?offset=-1`, 400],
    ['/domains?limit=many&page=0&forwarding_ready=perhaps', 200],
    ['/domains/acme.example/aliases?order=1', 200],
  ])('unreadableParameters: ignore: %s', async (path, status) => {
    await start({ switches: { unreadableParameters: 'ignore' } });
    const answer = await send('GET', path);
    expect(answer.status).toBe(status);
    if (path.includes('best')) expect(numbers(answer.body)).toEqual([6, 5]);
  });

  test('scripted faults move, cut and empty a page', async () => {
    const match = { times: 1 };
    await start({
      faults: [
        { match, do: { kind: 'listing', shift: 1 } },
        { match: { ...match, nth: 2 }, do: { kind: 'listing', limit: 1 } },
        { match: { ...match, nth: 3 }, do: { kind: 'listing', empty: true } },
      ],
    });
    const found = [];
    for (const _ of [1, 2, 3]) found.push(numbers(await get(`${ROOT}?limit=2`)));
    expect(found).toEqual([[5, 4], [6], []]);
  });
});

/** All entries of a listing, page by page. */
async function pages(query: string): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null && found.length <= logs.length) {
    const body: Body = await get(`${ROOT}?${query}&cursor=${cursor}`);
    found.push(...numbers(body));
    cursor = body.next_cursor;
  }
  return found;
}

describe('v4: Email logs: count', () => {
  test.each([
    ['', 6],
    ['sender=ana@corp.example', 2],
    ['status=QUEUED', 5],
    [`after=${at(-5)}`, 4],
    [`after=${at(-5)}&before=${at(-5)}`, 0],
    [`after=${at(-5)}&transport=mx`, 2],
  ])('%j', async (query, total) => {
    expect(await get(`${ROOT}/count?${query}`)).toEqual({ total });
  });

  test('a filter that does not read is refused', async () => {
    expectFailure(await send('GET', `${ROOT}/count?status=LOST`), 400);
  });
});

describe('v4: Email logs: get', () => {
  test('the entry itself, unwrapped', async () => {
    const [entry] = (await get(ROOT)).logs;
    expect(await get(`${ROOT}/log-6`)).toEqual(entry);
  });

  test.each(['nothing', 'log-7', encode('../account')])('%s is unknown', async (id) => {
    expectFailure(await send('GET', `${ROOT}/${id}`), 404);
  });

  test('an entry of another domain is unknown', async () => {
    await start({ switches: { unknownStatus: 410 } });
    expectFailure(await send('GET', '/domains/quiet.example/logs/log-1'), 404);
  });

  test('count and search win over an id', async () => {
    await start({}, [{ ...logs[0], id: 'count' } as SeedLog, { ...logs[1], id: 'search' } as SeedLog]);
    expect(await get(`${ROOT}/count`)).toEqual({ total: 2 });
    expectFailure(await send('GET', `${ROOT}/search`), 400);
  });
});

describe('v4: Email logs: search', () => {
  test('the answer', async () => {
    expect(await get(`${ROOT}/search?query=lunch`)).toEqual({
      logs: [expect.objectContaining({ id: 'log-3' })],
      limit: 20,
      offset: 0,
      total: 1,
      next_offset: null,
    });
  });

  test.each([
    ['invoice', [4, 1, 6]],
    ['INVOICE', [4, 1, 6]],
    ['invioce', [4, 1]],
    ['invoic', [6, 4, 1]],
    ['newsleter', [2]],
    ['nwesletter', [2]],
    ['voice', [6, 4, 1]],
    ['carol', [6, 4, 1]],
    ['carrol', [6, 4, 1]],
    ['carol@corp.example', [6, 4, 1]],
    ['carol invoice', [4, 1, 6]],
    ['nobody', [3]],
    ['xyz', []],
    ['---', []],
    ['invoice&transport=mx', [1, 6]],
    ['invoice&status=HARD-BOUNCE', [4]],
    ['invoice&sender=eve@', [6]],
    ['invoice&recipient=SALES', [1]],
    ['invoice&forward=carol', [1, 6]],
    ['invoice&order=created_desc', [6, 4, 1]],
    ['invoice&order=created_asc', [1, 4, 6]],
    [`invoice&after=${at(-6)}`, [4, 6]],
    [`invoice&before=${at(-1)}`, [4, 1]],
  ])('query=%s', async (query, expected) => {
    expect(numbers(await get(`${ROOT}/search?query=${query}`))).toEqual(expected);
  });

  test('pages by offset', async () => {
    const path = `${ROOT}/search?query=invoice&limit=2`;
    expect(await get(path)).toMatchObject({ limit: 2, offset: 0, total: 3, next_offset: 2 });
    const last = await get(`${path}&offset=2`);
    expect(last).toMatchObject({ offset: 2, total: 3, next_offset: null });
    expect(numbers(last)).toEqual([6]);
    expect(await get(`${path}&offset=9`)).toMatchObject({ logs: [], total: 3, next_offset: null });
  });

  test.each([
    ['', 'query'],
    ['query=', 'query'],
    ['query=a&offset=-1', 'offset'],
    ['query=a&order=best', 'order'],
    ['query=a&limit=x', 'limit'],
  ])('%j is refused', async (query, field) => {
    const { errors } = expectFailure(await send('GET', `${ROOT}/search?${query}`), 400);
    expect(Object.keys(errors)).toEqual([field]);
  });
});

describe('v4: Limits: log retention', () => {
  const answers = async (): Promise<readonly Answer[]> =>
    Promise.all([
      send('GET', ROOT),
      send('GET', `${ROOT}/count`),
      send('GET', `${ROOT}/search?query=invoice`),
      send('GET', `${ROOT}/log-1`),
    ]);

  test('email_log_retention_days', async () => {
    await start({
      state: {
        account: { email_log_retention_days: 2 },
        domains: [{ domain: 'acme.example', logs }],
      },
    });
    await get(`${ROOT}/search?query=invoice`);
    clock.now = START + 2 * DAY - 3 * SECOND;
    const [list, count, search, one] = await answers();
    expect(numbers(list?.body)).toEqual([6, 5, 4]);
    expect(count?.body).toEqual({ total: 3 });
    expect(numbers(search?.body)).toEqual([4, 6]);
    expect(one?.status).toBe(404);
    clock.now += 3 * SECOND;
    expect((await answers()).map(({ status, body }) => body.total ?? status)).toEqual([200, 0, 0, 404]);
  });

  test.each([
    ['free', 7],
    ['paid', 90],
  ] as const)('a %s account keeps logs for %d days', async (plan, days) => {
    await start({ plan });
    expect((await get('/account')).account.email_log_retention_days).toBe(days);
    clock.now = START + days * DAY - 6 * SECOND;
    expect(await get(`${ROOT}/count`)).toEqual({ total: 6 });
    clock.now += 1;
    expect(await get(`${ROOT}/count`)).toEqual({ total: 5 });
  });
});

test('a dump seeds the same logs', async () => {
  const { emulator } = await startTestEmulator({ state: { domains: [{ domain: 'acme.example', logs }] } });
  const dump = emulator.store.dump();
  expect(dump.domains[0]?.logs.map(({ id }) => id)).toEqual(logs.map(({ id }) => id));
  const copy = await startTestEmulator({ state: dump });
  expect(copy.emulator.store.dump()).toEqual(dump);
  expect((await copy.send('GET', ROOT)).body).toEqual(await get(ROOT));
  await Promise.all([emulator.close(), copy.emulator.close()]);
});
