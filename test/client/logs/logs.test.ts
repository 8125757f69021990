import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type ClientOptions, type FullClient } from '../../../src/client/create.ts';
import { createDeleteAll } from '../../../src/client/operations/delete-all.ts';
import type { ApiVersion } from '../../../src/core/model/endpoints.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { API_KEY } from '../../support/account.ts';
import { virtualClock } from '../../support/clock.ts';
import { httpServer, json, type RawServer } from '../support/raw-server.ts';

const DOMAIN = 'acme.example' as DomainName;
const TIME = Date.parse('2026-03-04T05:06:07Z');

interface Served {
  readonly client: FullClient;
  readonly options: ClientOptions;
  readonly server: RawServer;
  /** Method and target of what was asked, below the root address. */
  readonly asked: () => readonly string[];
}

/** A client of a server that answers each request with the next body; the last one repeats. */
async function serve(version: ApiVersion, ...bodies: readonly unknown[]): Promise<Served> {
  const server = await httpServer((_, response, count) =>
    json(response, 200, bodies[Math.min(count, bodies.length) - 1]),
  );
  const url = server.url.replace('/v4', `/${version}`);
  const options: ClientOptions = {
    url,
    version,
    key: API_KEY,
    mode: 'read-write',
    clock: virtualClock(),
    random: () => 0,
  };
  const client = createClient(options);
  onTestFinished(() => client.close());
  const asked = (): readonly string[] =>
    server.requests.map(({ method, url: target = '' }) => `${method} ${decodeURIComponent(target.slice(3))}`);
  return { client, options, server, asked };
}

const V4_ENTRY = {
  id: 'log-1',
  created_at: '2026-03-04T05:06:07Z',
  events: [
    {
      code: 250,
      created_at: '2026-03-04T05:06:08Z',
      id: 'm-0',
      local: 'mx1.example',
      message: 'queued',
      server: 'mail.example',
      status: 'QUEUED',
    },
  ],
  forward: null,
  hostname: 'mail.example',
  message_id: 'm',
  recipient: { email: 'sales@acme.example', name: null },
  sender: { email: 'ana@corp.example', name: 'Ana' },
  subject: 'hello',
  transport: 'mx',
};
const V3_ENTRY = {
  ...V4_ENTRY,
  created_at: undefined,
  message_id: undefined,
  created: TIME,
  created_raw: TIME,
  messageId: 'm',
  events: V4_ENTRY.events.map(({ created_at: _, ...event }) => ({ ...event, created: TIME + 1000 })),
};
const ENTRY = {
  id: 'log-1',
  createdAt: TIME,
  sender: { email: 'ana@corp.example', name: 'Ana' },
  recipient: { email: 'sales@acme.example', name: null },
  forward: null,
  subject: 'hello',
  transport: 'mx',
  messageId: 'm',
  hostname: 'mail.example',
  events: [
    {
      status: 'QUEUED',
      createdAt: TIME + 1000,
      code: 250,
      message: 'queued',
      local: 'mx1.example',
      server: 'mail.example',
    },
  ],
};

describe('logs of v4', () => {
  test('are listed page by page, with every filter', async () => {
    const { client, asked } = await serve('v4', {
      logs: [V4_ENTRY],
      limit: 5,
      cursor: null,
      next_cursor: 'log-2',
    });
    const page = await client.listLogs(DOMAIN, {
      sender: 'ana@corp.example',
      statuses: ['BOUNCED', 'REFUSED'],
      transport: 'smtp',
      after: TIME,
      before: TIME + 1000,
      order: 'oldest',
      limit: 5,
      cursor: 'log-1',
    });
    expect(page).toEqual({ ok: true, value: { entries: [ENTRY], next: 'log-2', total: null } });
    expect(asked()).toEqual([
      'GET /domains/acme.example/logs?sender=ana@corp.example&transport=smtp&status=BOUNCED,REFUSED' +
        '&after=2026-03-04T05:06:07Z&before=2026-03-04T05:06:08Z&order=created_asc&limit=5&cursor=log-1',
    ]);
  });

  test('for one alias are those of its address', async () => {
    const { client, asked } = await serve('v4', { logs: [], limit: 100, cursor: null, next_cursor: null });
    expect(await client.listLogs(DOMAIN, { alias: 'sales' })).toMatchObject({
      value: { entries: [], next: null },
    });
    expect(asked()).toEqual(['GET /domains/acme.example/logs?recipient=sales@acme.example']);
  });

  test('are counted, got and searched', async () => {
    const { client, asked } = await serve('v4', { total: 7 }, V4_ENTRY, {
      logs: [V4_ENTRY],
      limit: 1,
      offset: 0,
      total: 3,
      next_offset: 1,
    });
    expect(await client.countLogs(DOMAIN)).toEqual({ ok: true, value: 7 });
    expect(await client.getLog(DOMAIN, 'log-1')).toEqual({ ok: true, value: ENTRY });
    const found = await client.searchLogs(DOMAIN, {
      text: 'invoice',
      order: 'relevance',
      limit: 1,
      offset: 0,
    });
    expect(found).toEqual({ ok: true, value: { entries: [ENTRY], next: 1, total: 3 } });
    expect(asked().slice(1)).toEqual([
      'GET /domains/acme.example/logs/log-1',
      'GET /domains/acme.example/logs/search?query=invoice&order=relevance&limit=1&offset=0',
    ]);
  });

  test('an id that would be another endpoint is refused', async () => {
    const { client, asked } = await serve('v4', {});
    expect(await client.getLog(DOMAIN, 'count')).toMatchObject({
      ok: false,
      error: { kind: 'rejected', status: null },
    });
    expect(asked()).toEqual([]);
  });
});

describe('logs of v3', () => {
  test('are listed from a log id on, whole or of one alias', async () => {
    const { client, asked } = await serve(
      'v3',
      { logs: [V3_ENTRY], success: true },
      { logs: [], success: true },
    );
    expect(await client.listLogs(DOMAIN)).toEqual({
      ok: true,
      value: { entries: [ENTRY], next: 'log-1', total: null },
    });
    expect(await client.listLogs(DOMAIN, { alias: 'sales', cursor: 'log-1' })).toMatchObject({
      value: { next: null },
    });
    expect(asked()).toEqual([
      'GET /domains/acme.example/logs',
      'GET /domains/acme.example/logs/sales?next_cursor=log-1',
    ]);
  });

  test('are searched between two times', async () => {
    const { client, asked } = await serve('v3', { logs: [V3_ENTRY], success: true });
    const between = { after: TIME, before: TIME + 1500 };
    expect(await client.searchLogs(DOMAIN, { text: 'x', ...between, order: 'oldest' })).toMatchObject({
      value: { entries: [ENTRY], next: null },
    });
    await client.searchLogs(DOMAIN, {
      text: 'x',
      ...between,
      statuses: ['BOUNCED', 'SOFT-BOUNCE', 'HARD-BOUNCE'],
    });
    const seconds = `after=${TIME / 1000}&before=${TIME / 1000 + 2}`;
    expect(asked()).toEqual([
      `GET /domains/acme.example/logs/search?text=x&filter=all&order=asc&${seconds}`,
      `GET /domains/acme.example/logs/search?text=x&filter=failure&order=desc&${seconds}`,
    ]);
  });

  test.each([
    ['count under total', { total: 3, success: true }],
    ['count under count', { count: 3, success: true }],
  ])('%s', async (_, body) => {
    const { client } = await serve('v3', body);
    expect(await client.countLogs(DOMAIN, { sender: 'a@b.example' })).toEqual({ ok: true, value: 3 });
  });

  test.each([
    ['bare', V3_ENTRY],
    ['wrapped', { log: V3_ENTRY, success: true }],
  ])('one entry, %s', async (_, body) => {
    const { client } = await serve('v3', body);
    expect(await client.getLog(DOMAIN, 'log-1')).toEqual({ ok: true, value: ENTRY });
  });
});

describe('verification', () => {
  const record = (valid: boolean) => ({ expected: 'v=x', valid, values: valid ? 'v=x' : null });
  const records = {
    provider: 'unknown',
    advanced: true,
    dkim1: record(true),
    dkim2: record(false),
    dmarc: record(true),
    spf: record(true),
    mx: { expected: ['mx1.example', 'mx2.example'], valid: false, values: [] },
    error: 'no MX',
    valid: false,
  };
  const verification = {
    valid: false,
    error: 'no MX',
    provider: 'unknown',
    records: {
      mx: { expected: ['mx1.example', 'mx2.example'], values: [], valid: false },
      spf: { expected: ['v=x'], values: ['v=x'], valid: true },
      dkim1: { expected: ['v=x'], values: ['v=x'], valid: true },
      dkim2: { expected: ['v=x'], values: [], valid: false },
      dmarc: { expected: ['v=x'], values: ['v=x'], valid: true },
    },
  };

  test.each([
    ['v4', { records }, 'POST /domains/acme.example/verify'],
    ['v3', { records, success: false }, 'GET /domains/acme.example/check'],
  ] as const)('%s', async (version, body, request) => {
    const { client, asked } = await serve(version, body);
    expect(await client.verifyDomain(DOMAIN)).toEqual({ ok: true, value: verification });
    expect(asked()).toEqual([request]);
  });
});

describe('single resources', () => {
  const alias = { id: 7, alias: 'sales', forward: 'a@b.example', created: TIME };
  const rule = {
    id: 'r',
    type: 'alias',
    config: { alias: 'x', forward: 'a@b.example' },
    rank: 1,
    active: true,
  };

  test('v4', async () => {
    const { client, asked } = await serve('v4', { alias }, { rule });
    expect(await client.items('alias').get(DOMAIN, '7')).toMatchObject({
      value: { id: '7', name: 'sales' },
    });
    expect(await client.items('rule').get(DOMAIN, 'r')).toMatchObject({ value: { id: 'r', rank: 1 } });
    expect(client.listWhitelabels).toBeNull();
    expect(asked()).toEqual(['GET /domains/acme.example/aliases/7', 'GET /domains/acme.example/rules/r']);
  });

  test('v3: a rule comes unwrapped, and there are whitelabels', async () => {
    const { client, asked } = await serve('v3', { alias, success: true }, rule, {
      whitelabels: [{ name: 'mail.partner.example' }],
      success: true,
    });
    expect(await client.items('alias').get(DOMAIN, '7')).toMatchObject({ value: { id: '7' } });
    expect(await client.items('rule').get(DOMAIN, 'r')).toMatchObject({ value: { id: 'r' } });
    expect(await client.listWhitelabels?.()).toEqual({ ok: true, value: ['mail.partner.example'] });
    expect(asked().at(-1)).toBe('GET /account/whitelabels');
  });
});

describe('delete-all', () => {
  test.each([
    [
      'v4',
      { deleted: 3 },
      3,
      ['DELETE /domains/acme.example/aliases?all=true', 'DELETE /domains/acme.example/rules?all=true'],
    ],
    [
      'v3',
      { success: true },
      null,
      [
        'DELETE /domains/acme.example/aliases/aliases-all?all=true',
        'DELETE /domains/acme.example/rules-all?all=true',
      ],
    ],
  ] as const)('%s', async (version, body, deleted, requests) => {
    const { options, asked } = await serve(version, body);
    const everything = createDeleteAll(options);
    expect(await everything.deleteAllAliases(DOMAIN)).toEqual({ ok: true, value: deleted });
    expect(await everything.deleteAllRules(DOMAIN)).toEqual({ ok: true, value: deleted });
    expect(asked()).toEqual(requests);
    await everything.close();
  });

  test('a read-only one throws', async () => {
    const { options, asked } = await serve('v4', {});
    const everything = createDeleteAll({ ...options, mode: 'read-only' });
    await expect(everything.deleteAllAliases(DOMAIN)).rejects.toThrow('read-only');
    expect(asked()).toEqual([]);
  });
});
