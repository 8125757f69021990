import { decodeForward } from '../../../src/core/model/destinations.ts';
import { describe, expect, test } from 'vitest';
import { createClient, type ClientOptions } from '../../../src/client/create.ts';
import type { RequestEvent } from '../../../src/client/http/call.ts';
import type { Client } from '../../../src/client/client.ts';
import type { FaultAction } from '../../../src/emulator/faults/faults.ts';
import type { CredentialName, DomainName } from '../../../src/core/model/names.ts';
import { API_KEY, EMAIL, testAccount, type TestAccount } from '../../support/account.ts';
import { virtualClock } from '../../support/clock.ts';
import { httpServer, json } from '../support/raw-server.ts';

const DOMAIN = 'acme.example' as DomainName;
const ALIAS = { name: 'sales', forward: decodeForward('ana@corp.example') };

async function connect(): Promise<{ readonly account: TestAccount; readonly client: Client }> {
  const account = await testAccount({ account: { email: EMAIL }, domains: [{ domain: DOMAIN }] });
  return { account, client: account.client() };
}

function clientOf(url: string, options: Partial<ClientOptions> = {}): Client {
  const clock = virtualClock();
  return createClient({
    url,
    version: 'v4',
    key: API_KEY,
    mode: 'read-write',
    clock,
    random: () => 0.5,
    ...options,
  });
}

const FAULTS: readonly (readonly [string, FaultAction, string])[] = [
  ['a connection that ends before', { kind: 'drop', when: 'before' }, 'connection'],
  ['a connection that ends after', { kind: 'drop', when: 'after' }, 'connection'],
  ['500', { kind: 'status', code: 500, body: { message: 'Oops', errors: {} } }, 'server-error'],
  ['502 with HTML', { kind: 'status', code: 502, body: '<html>Bad gateway</html>' }, 'server-error'],
  ['503 after', { kind: 'status', code: 503, when: 'after' }, 'server-error'],
  ['truncated JSON', { kind: 'truncate', bytes: 12 }, 'connection'],
  ['half a JSON text', { kind: 'body', body: '{"alias":{"id":' }, 'undecodable'],
  ['200 with an empty body', { kind: 'body', body: '' }, 'undecodable'],
  ['another content type with HTML', { kind: 'body', body: '<p>', contentType: 'text/html' }, 'undecodable'],
];

describe('scenario 19: what a failure means', () => {
  test.each(FAULTS)('%s: a read is repeated', async (_, fault) => {
    const { account, client } = await connect();
    account.emulator.faults.push({ match: { method: 'GET' }, do: fault });
    expect(await client.items('alias').list(DOMAIN)).toEqual({ ok: true, value: [] });
    expect(client.totals()).toMatchObject({ total: 2, retried: 1 });
  });

  test.each(FAULTS)('%s: a write is not', async (_, fault, cause) => {
    const { account, client } = await connect();
    account.emulator.faults.push({ match: { method: 'POST' }, do: fault });
    expect(await client.items('alias').add(DOMAIN, ALIAS)).toMatchObject({
      ok: false,
      error: { kind: 'unknown-outcome', cause, endpoint: 'POST /domains/:domain/aliases' },
    });
    expect(account.writes()).toHaveLength(1);
    expect(client.totals()).toMatchObject({ total: 1, retried: 0 });
  });

  test('a read is tried three times, with pauses that double, each a random part of what they may be', async () => {
    const server = await httpServer((_, response) => json(response, 500, 'no'));
    const clock = virtualClock();
    const random = [0.5, 0.25].values();
    const client = clientOf(server.url, { clock, random: () => random.next().value ?? 0 });
    const answer = await client.getAccount();
    expect(answer).toMatchObject({
      ok: false,
      error: { kind: 'unknown-outcome', status: 500, message: 'status 500: no' },
    });
    expect(server.requests).toHaveLength(3);
    expect(clock.sleeps).toEqual([500, 500]);
  });

  test('repeats stay within a tenth of the requests, and ten', async () => {
    const server = await httpServer((_, response) => json(response, 500, 'no'));
    const client = clientOf(server.url);
    for (let index = 0; index < 50; index += 1) await client.getAccount();
    expect(client.totals()).toMatchObject({ total: 60, retried: 10 });
  });

  test('a write that was certainly not sent is repeated', async () => {
    const client = clientOf('http://127.0.0.1:1/v4');
    expect(await client.items('alias').add(DOMAIN, ALIAS)).toMatchObject({
      ok: false,
      error: { kind: 'unreachable', status: null },
    });
    expect(client.totals()).toMatchObject({ total: 3, retried: 2 });
  });

  test('a write that was refused by a 429 is sent again, once', async () => {
    const { account, client } = await connect();
    account.emulator.faults.push({ match: { method: 'POST' }, do: { kind: 'status', code: 429 } });
    expect(await client.items('alias').add(DOMAIN, ALIAS)).toMatchObject({ ok: true });
    expect(account.writes()).toHaveLength(2);
    expect(client.totals()).toMatchObject({ rateLimited: 1, retried: 0 });
  });

  test('an answer about another item is not believed', async () => {
    const { account, client } = await connect();
    const body = JSON.stringify({ alias: { id: '9', alias: 'other', forward: 'x@corp.example' } });
    account.emulator.faults.push({ match: { method: 'POST' }, do: { kind: 'body', body } });
    expect(await client.items('alias').add(DOMAIN, ALIAS)).toMatchObject({
      ok: false,
      error: { kind: 'unknown-outcome', cause: 'contradictory' },
    });
  });
});

describe('errors', () => {
  test.each<[number, unknown, object]>([
    [
      400,
      { message: 'Bad alias', errors: { alias: ['Bad alias', 'Too long'] } },
      { kind: 'rejected', message: 'Bad alias', errors: { alias: ['Bad alias', 'Too long'] } },
    ],
    [
      422,
      { error: 'Old shape', code: 422, success: false },
      { kind: 'rejected', message: 'Old shape', errors: {} },
    ],
    [
      400,
      { errors: { domain: 'a text' }, success: false },
      { kind: 'rejected', message: 'a text', errors: { domain: ['a text'] } },
    ],
    [400, { message: '', errors: { a: [], b: ['from b'] } }, { kind: 'rejected', message: 'from b' }],
    [400, 'plain  text\n\u001b[31mred', { kind: 'rejected', message: 'plain text <U+001B>[31mred' }],
    [400, '', { kind: 'rejected', message: 'status 400' }],
    [
      401,
      { message: 'Unknown key', errors: {} },
      { kind: 'unauthorised', message: expect.stringContaining('401') },
    ],
    [403, { message: 'Premium only', errors: {} }, { kind: 'forbidden', message: 'Premium only' }],
    [404, { message: 'Nope', errors: {} }, { kind: 'not-found', message: 'Nope' }],
    [307, '', { kind: 'redirect' }],
    [200, { success: false, errors: { domain: ['No'] } }, { kind: 'rejected', message: 'No' }],
  ])('%d %j', async (status, body, error) => {
    const server = await httpServer((_, response) => json(response, status, body));
    expect(await clientOf(server.url).addDomain(DOMAIN, {})).toMatchObject({
      ok: false,
      error: { endpoint: 'POST /domains', status, ...error },
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a name that may not stand in a path is refused without a request', async () => {
    const { account, client } = await connect();
    expect(
      await client.items('credential').delete(DOMAIN, '../../other.example' as CredentialName),
    ).toMatchObject({
      ok: false,
      error: { kind: 'rejected', status: null, message: expect.stringContaining('not sent') },
    });
    expect(account.requests()).toEqual([]);
  });

  test('a stop: nothing is sent', async () => {
    const { account } = await connect();
    const client = account.client({ signal: AbortSignal.abort() });
    expect(await client.getAccount()).toMatchObject({ ok: false, error: { kind: 'stopped' } });
    expect(account.requests()).toEqual([]);
  });
});

describe('events', () => {
  test('tell endpoint, status, attempt and what is left, and no secret', async () => {
    const { account } = await connect();
    const events: RequestEvent[] = [];
    const client = account.client({ onEvent: (event) => events.push(event) });
    account.emulator.faults.push({ match: { method: 'GET' }, do: { kind: 'status', code: 500 } });
    await client.getDomain(DOMAIN);
    await client
      .items('credential')
      .add(DOMAIN, { name: 'carol' as CredentialName, password: 'correct horse' });
    expect(events).toEqual([
      expect.objectContaining({ endpoint: 'GET /domains/:domain', status: 500, attempt: 1 }),
      expect.objectContaining({ endpoint: 'GET /domains/:domain', status: 200, attempt: 2 }),
      expect.objectContaining({ endpoint: 'POST /domains/:domain/credentials', status: 200, attempt: 1 }),
    ]);
    expect(events[1]?.remaining).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toMatch(/horse|carol|sk_test/);
  });

  test('clients of another urgency share budgets and totals', async () => {
    const { client } = await connect();
    await client.withUrgency('sweep').getAccount();
    expect(client.totals().total).toBe(1);
    expect(client.budgets().has('GET /account')).toBe(true);
  });
});
