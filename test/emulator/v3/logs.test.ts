import { beforeEach, describe, expect, test } from 'vitest';
import type { SeedLog } from '../../../src/emulator/logs/logs-seed.ts';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import {
  expectFailure,
  KEY,
  sender,
  START,
  startTestEmulator,
  type Body,
  type Clock,
  type Send,
} from '../support/target.ts';

const ROOT = '/domains/acme.example/logs';
const SECOND = 1000;
const NOW = START / SECOND;
const forward = 'carol@corp.example';

/** In order of arrival, a second apart, the last one a second ago. */
const logs: readonly SeedLog[] = [
  { sender: 'ana@corp.example', recipient: 'Sales@acme.example', forward, subject: 'Invoice 1' },
  {
    sender: 'ben@corp.example',
    recipient: 'sales+x@acme.example',
    forward,
    events: ['QUEUED', 'SOFT-BOUNCE'],
  },
  { sender: 'ana@corp.example', recipient: 'nobody@acme.example', subject: 'Lunch' },
  {
    sender: 'eve@corp.example',
    recipient: 'a.b@acme.example',
    forward,
    alias: '*',
    events: ['QUEUED', 'HARD-BOUNCE'],
  },
  { sender: 'eve@corp.example', recipient: 'info@acme.example', forward, events: ['QUEUED', 'BOUNCED'] },
].map(
  (log, index) => ({ ...log, id: `log-${index + 1}`, created_at: START - (5 - index) * SECOND }) as SeedLog,
);

let send: Send;
let clock: Clock;
beforeEach(() => start());

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  const aliases = ['sales', 'info', '*', 'silent'].map((alias) => ({ alias, forward }));
  const started = await startTestEmulator({
    rateLimit: 1e6,
    state: { domains: [{ domain: 'acme.example', aliases, logs }, { domain: 'quiet.example' }] },
    ...options,
  });
  ({ clock } = started);
  send = sender(started.emulator.urls.v3, KEY);
}

async function get(path: string): Promise<Body> {
  const { status, body } = await send('GET', path);
  expect(status).toBe(200);
  expect(body.success).toBe(true);
  return body;
}

function numbers(body: Body): number[] {
  return body.logs.map(({ id }: { id: string }) => Number(id.replace('log-', '')));
}

describe('v3: Email logs: list', () => {
  test('times are epoch milliseconds, and the message id is messageId', async () => {
    const body = await get(ROOT);
    expect(numbers(body)).toEqual([5, 4, 3, 2, 1]);
    expect(body.next_cursor).toBeNull();
    const entry = body.logs[4];
    expect(entry).toEqual({
      created: START - 5000,
      created_raw: START - 5000,
      events: [
        expect.objectContaining({ status: 'QUEUED' }),
        expect.objectContaining({ status: 'DELIVERED' }),
      ],
      forward: { email: forward, name: null },
      hostname: expect.any(String),
      id: 'log-1',
      messageId: expect.any(String),
      recipient: { email: 'Sales@acme.example', name: null },
      sender: { email: 'ana@corp.example', name: null },
      subject: 'Invoice 1',
      transport: 'mx',
    });
    expect(entry.events[0]).toEqual({
      code: 250,
      created: START - 5000,
      id: `${entry.messageId}-0`,
      local: expect.any(String),
      message: expect.any(String),
      server: expect.any(String),
      status: 'QUEUED',
    });
  });

  test('next_cursor loads what comes after that log', async () => {
    await start({ switches: { v3LogPageSize: 2 } });
    const first = await get(ROOT);
    expect([numbers(first), first.next_cursor]).toEqual([[5, 4], 'log-4']);
    const second = await get(`${ROOT}?next_cursor=log-4`);
    expect([numbers(second), second.next_cursor]).toEqual([[3, 2], 'log-2']);
    const last = await get(`${ROOT}?next_cursor=log-2`);
    expect([numbers(last), last.next_cursor]).toEqual([[1], null]);
  });

  test.each([
    ['refuse', 400, undefined],
    ['first-page', 200, [5, 4, 3, 2, 1]],
    ['empty', 200, []],
  ] as const)('an unknown cursor: %s', async (unknownLogCursor, status, expected) => {
    await start({ switches: { unknownLogCursor } });
    const answer = await send('GET', `${ROOT}?next_cursor=nothing`);
    expect(answer.status).toBe(status);
    if (expected !== undefined) expect(numbers(answer.body)).toEqual(expected);
  });

  test('v3LogCursor: omitted', async () => {
    await start({ switches: { v3LogCursor: 'omitted', v3LogPageSize: 2 } });
    expect(Object.keys(await get(ROOT)).sort()).toEqual(['logs', 'success']);
    expect(numbers(await get(`${ROOT}?next_cursor=log-4`))).toEqual([3, 2]);
  });

  test('a trailing slash changes nothing', async () => {
    expect(numbers(await get(`${ROOT}/`))).toEqual([5, 4, 3, 2, 1]);
  });

  test('an unknown domain', async () => {
    expectFailure(await send('GET', '/domains/other.example/logs'), 404);
  });
});

describe('v3: Email logs: one log, or those of an alias', () => {
  test('v3LogShape', async () => {
    const [entry] = (await get(ROOT)).logs;
    expect(await get(`${ROOT}/log-5`)).toEqual({ success: true, log: entry });
    await start({ switches: { v3LogShape: 'bare' } });
    expect(await get(`${ROOT}/log-5`)).toEqual({ success: true, ...entry });
  });

  test('an unknown id', async () => {
    expect(expectFailure(await send('GET', `${ROOT}/log-9`), 404).success).toBe(false);
    expectFailure(await send('GET', '/domains/quiet.example/logs/log-1'), 404);
  });

  test.each([
    ['sales', [2, 1]],
    ['SALES', [2, 1]],
    ['info', [5]],
    ['*', [4]],
    ['silent', []],
  ])('alias %s', async (alias, expected) => {
    expect(numbers(await get(`${ROOT}/${encodeURIComponent(alias)}`))).toEqual(expected);
  });

  test('the log of an alias has pages too', async () => {
    await start({ switches: { v3LogPageSize: 1 } });
    const first = await get(`${ROOT}/sales`);
    expect([numbers(first), first.next_cursor]).toEqual([[2], 'log-2']);
    expect(numbers(await get(`${ROOT}/sales?next_cursor=log-2`))).toEqual([1]);
    expect(numbers(await get(`${ROOT}/sales?next_cursor=log-4`))).toEqual([2]);
  });

  test('aliasLogs: addressed', async () => {
    await start({ switches: { aliasLogs: 'addressed' } });
    expect(numbers(await get(`${ROOT}/*`))).toEqual([]);
    expect(numbers(await get(`${ROOT}/a.b`))).toEqual([4]);
  });

  test('old entries leave the log of their alias', async () => {
    clock.now = START + 90 * 86_400_000 - 4500;
    expect(numbers(await get(`${ROOT}/sales`))).toEqual([2]);
    clock.now += 2000;
    expect(numbers(await get(`${ROOT}/sales`))).toEqual([]);
  });
});

describe('v3: Email logs: count', () => {
  test.each([
    ['', 5],
    ['sender=ana@corp.example', 2],
    ['status=HARD-BOUNCE,BOUNCED', 2],
    [`after=${new Date(START - 3000).toISOString()}`, 2],
  ])('%j', async (query, total) => {
    expect(await get(`${ROOT}/count?${query}`)).toEqual({ success: true, total });
  });

  test('v3LogCount', async () => {
    await start({ switches: { v3LogCount: 'count' } });
    expect(await get(`${ROOT}/count`)).toEqual({ success: true, count: 5 });
  });
});

describe('v3: Email logs: search', () => {
  const all = `after=${NOW - 60}&before=${NOW}`;

  test.each([
    [all, [5, 4, 3, 2, 1]],
    [`${all}&filter=all`, [5, 4, 3, 2, 1]],
    [`${all}&filter=failure`, [5, 4, 2]],
    [`${all}&order=asc`, [1, 2, 3, 4, 5]],
    [`${all}&order=desc`, [5, 4, 3, 2, 1]],
    [`${all}&text=INVOICE`, [1]],
    [`${all}&text=invioce`, []],
    [`${all}&text=nobody@`, [3]],
    [`${all}&text=carol&filter=failure&order=asc`, [2, 4, 5]],
    [`after=${NOW - 3}&before=${NOW - 2}`, [4, 3]],
    [`after=${NOW + 1}&before=${NOW + 2}`, []],
  ])('%j', async (query, expected) => {
    const body = await get(`${ROOT}/search?${query}`);
    expect(numbers(body)).toEqual(expected);
    expect(Object.keys(body).sort()).toEqual(['logs', 'success']);
  });

  test('times within one second count as that second', async () => {
    await start({
      state: {
        domains: [{ domain: 'acme.example', logs: [{ ...logs[0], created_at: START + 999 } as SeedLog] }],
      },
    });
    expect((await get(`${ROOT}/search?after=${NOW}&before=${NOW}`)).logs).toHaveLength(1);
  });

  test.each([
    [`before=${NOW}`, ['after']],
    [`after=${NOW}`, ['before']],
    ['', ['after', 'before']],
    ['after=2026-01-01T00:00:00Z&before=now', ['after', 'before']],
    [`${all}&filter=some`, ['filter']],
    [`${all}&order=created_asc`, ['order']],
  ])('%j is refused', async (query, fields) => {
    const { errors } = expectFailure(await send('GET', `${ROOT}/search?${query}`), 400);
    expect(Object.keys(errors)).toEqual(fields);
  });

  test('v3SearchMaximum', async () => {
    await start({ switches: { v3SearchMaximum: 2 } });
    expect(numbers(await get(`${ROOT}/search?${all}`))).toEqual([5, 4]);
  });
});
