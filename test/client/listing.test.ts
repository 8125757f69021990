import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Fault, ListingFault } from '../../src/emulator/faults/faults.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { EMAIL, testAccount, type TestAccount } from '../support/account.ts';

const DOMAIN = 'acme.example' as DomainName;
const LIST = { method: 'GET', endpoint: '/domains/:domain/aliases' };

/** An account with 450 aliases, which are three pages on v4. */
async function connect(
  ...faults: readonly Fault[]
): Promise<{ readonly account: TestAccount; readonly client: Client }> {
  const aliases = Array.from({ length: 450 }, (_, index) => ({
    alias: `a${1000 + index}`,
    forward: 'x@corp.example',
  }));
  const account = await testAccount({ account: { email: EMAIL }, domains: [{ domain: DOMAIN, aliases }] });
  account.emulator.faults.push(...faults);
  return { account, client: account.client() };
}

function lie(nth: number, fault: Omit<ListingFault, 'kind'>, times: Fault['match']['times'] = 1): Fault {
  return { match: { ...LIST, nth, times }, do: { kind: 'listing', ...fault } };
}

describe('scenario 21: a listing proves itself', () => {
  test('page 1, then all others at once: no request too many', async () => {
    const { account, client } = await connect();
    const listed = await client.items('alias').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(450);
    expect(account.requests().map(({ path }) => path)).toEqual(
      [1, 2, 3].map((page) => expect.stringContaining(`limit=200&page=${page}`)),
    );
  });

  test.each<[string, Fault]>([
    ['an item on two pages', lie(2, { shift: -1 })],
    ['an item that is skipped', lie(2, { shift: 1 })],
    ['an item that is missing', lie(2, { missing: 5 })],
    ['an item that is twice on a page', lie(2, { duplicate: 5 })],
    ['a total that changes', lie(2, { total: 1 })],
    ['a total that is too low on page 1', lie(1, { total: -1 })],
    ['a total that is too high on page 1', lie(1, { total: 1 })],
    ['an empty page', lie(3, { empty: true })],
    ['an empty page 1', lie(1, { empty: true })],
    ['a smaller page in the middle', lie(2, { limit: 100 })],
  ])('%s: it is read again', async (_, fault) => {
    const { client } = await connect(fault);
    const listed = await client.items('alias').list(DOMAIN);
    expect(listed.ok && new Set(listed.value.map(({ name }) => name)).size).toBe(450);
  });

  test.each<[string, Fault]>([
    ['an item on two pages', lie(1, { duplicate: 3 }, 'always')],
    ['a total that is too low', lie(1, { total: -1 }, 'always')],
    ['an empty list where there were aliases', lie(1, { empty: true }, 'always')],
    ['items that are missing', lie(1, { missing: 0 }, 'always')],
  ])('%s, three times: it is unproven, never a short list', async (_, fault) => {
    const { account, client } = await connect(fault);
    expect(await client.items('alias').list(DOMAIN)).toMatchObject({
      ok: false,
      error: {
        kind: 'unproven',
        endpoint: 'GET /domains/:domain/aliases',
        message: expect.stringContaining('3 reads'),
      },
    });
    expect(account.requests().length).toBeLessThanOrEqual(9);
  });

  test('a limit that is not honoured on any page: what the pages say is used', async () => {
    const { account, client } = await connect(lie(1, { limit: 90 }, 'always'));
    const listed = await client.items('alias').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(450);
    expect(account.requests()).toHaveLength(5);
  });

  test('an alias that another user adds between two pages: the list is read again', async () => {
    const request = {
      method: 'POST',
      path: `/v4/domains/${DOMAIN}/aliases`,
      body: { alias: 'a0', forward: 'x@y.example' },
    };
    const { client } = await connect({ match: { ...LIST, nth: 2 }, do: { kind: 'edit', request } });
    const listed = await client.items('alias').list(DOMAIN);
    expect(listed.ok && listed.value.length).toBe(451);
  });

  test.each<[string, string, RegExp]>([
    ['an empty body', '', /body is empty/],
    ['truncated JSON', '{"aliases":[{"id":"1","al', /not JSON/],
    ['an HTML page', '<html>maintenance</html>', /not JSON/],
    ['a list in place of an object', '[]', /not an object/],
    ['null', 'null', /not an object/],
    ['no list', '{"total":0,"limit":200,"page":1}', /field aliases/],
    ['no total', '{"aliases":[],"limit":200,"page":1}', /field total/],
    ['a total that is a text', '{"aliases":[],"total":"0","limit":200,"page":1}', /field total/],
    ['a negative total', '{"aliases":[],"total":-1,"limit":200,"page":1}', /field total/],
    [
      'a missing field',
      '{"aliases":[{"id":"1","alias":"a"}],"total":1,"limit":200,"page":1}',
      /field forward/,
    ],
    [
      'an id that is none',
      '{"aliases":[{"id":{},"alias":"a","forward":"b"}],"total":1,"limit":200,"page":1}',
      /field id/,
    ],
  ])('%s is an error that names endpoint and field', async (_, body, message) => {
    const { client } = await connect({ match: { ...LIST, times: 'always' }, do: { kind: 'body', body } });
    expect(await client.items('alias').list(DOMAIN)).toMatchObject({
      ok: false,
      error: {
        kind: 'unknown-outcome',
        cause: 'undecodable',
        endpoint: 'GET /domains/:domain/aliases',
        message: expect.stringMatching(message),
      },
    });
  });

  test('ids that are numbers, and unknown fields, are taken', async () => {
    const row = {
      id: 7,
      alias: 'a',
      forward: 'x@corp.example',
      colour: 'red',
      created_at: 1_767_323_045_000,
    };
    const body = JSON.stringify({ aliases: [row], total: 1, limit: 200, page: 1, next: null });
    const { client } = await connect({ match: LIST, do: { kind: 'body', body } });
    expect(await client.items('alias').list(DOMAIN)).toEqual({
      ok: true,
      value: [{ id: '7', name: 'a', forward: ['x@corp.example'] }],
    });
  });

  test('a total beyond reason is not asked for page by page', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      id: index,
      alias: `a${index}`,
      forward: 'x@corp.example',
    }));
    const body = JSON.stringify({ aliases: rows, total: 1e12, limit: 200, page: 1 });
    const { account, client } = await connect({
      match: { ...LIST, times: 'always' },
      do: { kind: 'body', body },
    });
    expect(await client.items('alias').list(DOMAIN)).toMatchObject({
      ok: false,
      error: { kind: 'unproven' },
    });
    expect(account.requests()).toHaveLength(3);
  });
});
