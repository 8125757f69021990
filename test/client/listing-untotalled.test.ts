import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type FullClient } from '../../src/client/create.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { API_KEY } from '../support/account.ts';
import { virtualClock } from '../support/clock.ts';
import { httpServer, json } from './support/raw-server.ts';

const DOMAIN = 'acme.example' as DomainName;

interface Asked {
  /** Counts readings from 1: each begins with page 1. */
  readonly reading: number;
  readonly page: number;
  readonly limit: number;
}

interface Served {
  readonly client: FullClient;
  readonly asked: readonly Asked[];
}

/** A client of a v3 whose credentials are what `rows` says at that moment. */
async function serve(rows: (asked: Asked) => readonly string[]): Promise<Served> {
  const asked: Asked[] = [];
  const server = await httpServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const page = Number(query.get('page'));
    const reading = (asked.at(-1)?.reading ?? 0) + (page === 1 ? 1 : 0);
    const now: Asked = { reading, page, limit: Number(query.get('limit')) };
    asked.push(now);
    const credentials = rows(now).map((username) => ({ username, usage: 0, created: 1_767_323_045_000 }));
    json(response, 200, { credentials, success: true });
  });
  const url = server.url.replace('v4', 'v3');
  const client = createClient({
    url,
    version: 'v3',
    key: API_KEY,
    mode: 'read-only',
    clock: virtualClock(),
    random: () => 0,
  });
  onTestFinished(() => client.close());
  return { client, asked };
}

function users(count: number, prefix = 'u'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

function pageOf(all: readonly string[], { page, limit }: Asked, most = limit): readonly string[] {
  return all.slice((page - 1) * most, page * most);
}

describe('scenario 21: a listing without a total', () => {
  test.each([
    [0, 2],
    [1, 2],
    [19, 2],
    [20, 4],
    [199, 4],
    [200, 4],
    [219, 4],
    [450, 8],
  ])('%d items, read twice: %d requests', async (count, requests) => {
    const { client, asked } = await serve((now) => pageOf(users(count), now));
    const listed = await client.items('credential').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(count);
    expect(asked).toHaveLength(requests);
  });

  test('pages that are cut to the default size are not taken for the last one', async () => {
    const { client } = await serve((now) => pageOf(users(90), now, 20));
    const listed = await client.items('credential').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(90);
  });

  test('two readings that differ are followed by a third', async () => {
    const { client, asked } = await serve((now) => pageOf(users(now.reading === 1 ? 3 : 4), now));
    const listed = await client.items('credential').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(4);
    expect(asked).toHaveLength(3);
  });

  test('readings of equal length with other items are not equal', async () => {
    const { client } = await serve((now) => users(3, `reading${now.reading}-`));
    expect(await client.items('credential').list(DOMAIN)).toMatchObject({
      ok: false,
      error: { kind: 'unproven', endpoint: 'GET /domains/:domain/credentials' },
    });
  });

  test('a service that answers every page alike is unproven, and soon', async () => {
    const { client, asked } = await serve(() => users(200));
    expect(await client.items('credential').list(DOMAIN)).toMatchObject({
      ok: false,
      error: { kind: 'unproven' },
    });
    expect(asked.length).toBeLessThanOrEqual(6);
  });
});
