import { describe, expect, test } from 'vitest';
import type { BatchLie, Fault, ListingFault } from '../../../src/emulator/faults/faults.ts';
import { KEY, sender, startTestEmulator, type Body, type Send } from '../support/target.ts';

const forward = 'ana@corp.example';
const ROOT = '/domains/acme.example';
let v3: Send;

async function start(...faults: readonly Fault[]): Promise<Send> {
  const aliases = ['a', 'b', 'c', 'd', 'e', 'f'].map((alias, index) => ({ alias, forward, id: index + 1 }));
  const { emulator, send } = await startTestEmulator({
    faults,
    state: { domains: [{ domain: 'acme.example', aliases }] },
  });
  v3 = sender(emulator.urls.v3, KEY);
  return send;
}

async function liveNames(send: Send): Promise<string[]> {
  const { body } = await send('GET', `${ROOT}/aliases`);
  return body.aliases.map((item: { alias: string }) => item.alias);
}

test('domains of v3, whose aliases are ready JSON, can be made to look otherwise', async () => {
  const set = { '"odd"\n': { 'a"b': [1, null, 'c"d'] }, webhook: null };
  await start({ match: { times: 2 }, do: { kind: 'listing', set, unset: ['display'] } });
  const { domains } = (await v3('GET', '/domains')).body;
  expect(domains).toEqual([expect.objectContaining({ ...set, aliases: expect.any(Array) })]);
  expect(domains[0].aliases).toHaveLength(6);
  expect(domains[0]).not.toHaveProperty('display');
});

describe('items of a batch that fail', () => {
  const aliases = ['x', 'y', 'z'].map((alias) => ({ alias, forward }));
  const match = { endpoint: '/domains/:domain/aliases/batch' };

  test('they are not carried out, the others are', async () => {
    const errors = { forward: ['Not today.'] };
    const send = await start({
      match,
      do: { kind: 'fail-items', items: [{ index: 1, message: 'Not today.', errors }] },
    });
    const { status, body } = await send('POST', `${ROOT}/aliases/batch`, { aliases });
    expect(status).toBe(207);
    expect(body).toMatchObject({
      added: [{ alias: 'x' }, { alias: 'z' }],
      added_count: 2,
      failed: [{ index: 1, message: 'Not today.', errors }],
      failed_count: 1,
    });
    expect(await liveNames(send)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'x', 'z']);
  });

  test.each([
    ['PUT', { aliases: [{ id: '1', forward: 'b@corp.example' }] }],
    ['DELETE', { ids: ['1'] }],
  ])('%s', async (method, request) => {
    const send = await start({ match, do: { kind: 'fail-items', items: [{ index: 0 }] } });
    const { status, body } = await send(method, `${ROOT}/aliases/batch`, request);
    expect(status).toBe(207);
    expect(body.failed).toEqual([{ index: 0, message: expect.any(String), errors: {} }]);
    expect((await send('GET', `${ROOT}/aliases/1`)).body.alias.forward).toBe(forward);
  });

  test('rules too', async () => {
    const send = await start({ match: {}, do: { kind: 'fail-items', items: [{ index: 0 }] } });
    const rules = [{ type: 'alias', config: { alias: 'a', forward } }];
    expect((await send('POST', `${ROOT}/rules/batch`, { rules })).body.failed_count).toBe(1);
    expect((await send('GET', `${ROOT}/rules`)).body.total).toBe(0);
  });

  test('one that is said to have failed may have been carried out', async () => {
    const send = await start({
      match,
      do: { kind: 'fail-items', items: [{ index: 0, applied: true }] },
    });
    const { body } = await send('POST', `${ROOT}/aliases/batch`, { aliases });
    expect(body.failed_count).toBe(1);
    expect(await liveNames(send)).toContain('x');
  });
});

describe('lies about a batch', () => {
  const aliases = ['x', 'y', 'z'].map((alias) => ({ alias, forward }));

  async function lie(lies: readonly BatchLie[], failing: readonly number[]): Promise<Body> {
    const items = failing.map((index) => ({ index }));
    const send = await start({ match: {}, do: { kind: 'fail-items', items, lies } });
    return (await send('POST', `${ROOT}/aliases/batch`, { aliases })).body;
  }

  test.each<[BatchLie, readonly number[], readonly (number | string)[], number]>([
    ['shuffled', [0, 2], [2, 0], 1],
    ['repeated-index', [1], [1, 1], 2],
    ['index-out-of-range', [1], [3], 2],
    ['index-as-string', [0, 1], ['0', '1'], 1],
    ['in-both', [0], [0, 1], 2],
    ['in-neither', [0, 1], [1], 1],
    ['in-neither', [], [], 2],
  ])('%s with %j failing', async (name, failing, indexes, added) => {
    const body = await lie([name], failing);
    expect(body.failed.map((entry: { index: unknown }) => entry.index)).toEqual(indexes);
    expect(body.failed_count).toBe(indexes.length);
    expect(body.added).toHaveLength(added);
    expect(body.added_count).toBe(added);
  });

  test('wrong-counts', async () => {
    const body = await lie(['wrong-counts'], [0]);
    expect(body).toMatchObject({ added_count: 3, failed_count: 2 });
    expect(body.added).toHaveLength(2);
  });

  test('lies combine', async () => {
    const body = await lie(['shuffled', 'index-as-string'], [0, 1]);
    expect(body.failed.map((entry: { index: unknown }) => entry.index)).toEqual(['1', '0']);
  });
});

describe('faults of a listing', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];

  test.each<[string, Omit<ListingFault, 'kind'>, string, readonly string[], object]>([
    ['an item is skipped', { shift: 1 }, 'limit=2&page=2', ['d', 'e'], { total: 6 }],
    ['an item is on two pages', { shift: -1 }, 'limit=2&page=2', ['b', 'c'], { total: 6 }],
    ['the total is too high', { total: 3 }, '', all, { total: 9 }],
    ['the total is too low', { total: -2 }, '', all, { total: 4 }],
    ['an item is there twice', { duplicate: 1 }, '', ['a', 'b', 'b', 'c', 'd', 'e', 'f'], { total: 6 }],
    ['an item is not there', { missing: 0 }, '', ['b', 'c', 'd', 'e', 'f'], { total: 6 }],
    ['the limit is ignored', { limit: 3 }, 'limit=200', ['a', 'b', 'c'], { limit: 3, total: 6 }],
    ['the page is empty', { empty: true }, '', [], { total: 6 }],
    ['all is gone', { empty: true, total: -6 }, '', [], { total: 0 }],
  ])('%s', async (_name, fault, query, names, rest) => {
    const send = await start({ match: {}, do: { kind: 'listing', ...fault } });
    const { status, body } = await send('GET', `${ROOT}/aliases?${query}`);
    expect(status).toBe(200);
    expect(body.aliases.map((item: { alias: string }) => item.alias)).toEqual(names);
    expect(body).toMatchObject(rest);
    expect(await liveNames(send)).toEqual(all);
  });

  test.each<[string, Omit<ListingFault, 'kind'>, object, readonly string[]]>([
    ['ids are numbers', { ids: 'numbers' }, { id: expect.any(Number) }, []],
    ['ids are strings', { ids: 'strings' }, { id: expect.any(String) }, []],
    ['a field that nobody knows', { set: { colour: ['red'] } }, { alias: 'a', colour: ['red'] }, []],
    ['a field of another type', { set: { forward: null } }, { alias: 'a', forward: null }, []],
    ['fields that are missing', { unset: ['forward', 'id'] }, { alias: 'a' }, ['forward', 'id']],
  ])('items look otherwise: %s', async (_name, fault, shape, missing) => {
    const send = await start({ match: {}, do: { kind: 'listing', ...fault } });
    const { aliases } = (await send('GET', `${ROOT}/aliases`)).body;
    expect(aliases).toHaveLength(6);
    expect(aliases[0]).toMatchObject(shape);
    for (const field of missing) expect(aliases[5]).not.toHaveProperty(field);
  });

  test('only one page changes its total', async () => {
    const send = await start({ match: { path: 'page=2' }, do: { kind: 'listing', total: 1 } });
    const totals = [];
    for (const page of [1, 2, 3]) {
      totals.push((await send('GET', `${ROOT}/aliases?limit=2&page=${page}`)).body.total);
    }
    expect(totals).toEqual([6, 7, 6]);
  });

  test.each(['/domains', `${ROOT}/rules`, `${ROOT}/credentials`])('of %s', async (path) => {
    const send = await start({ match: {}, do: { kind: 'listing', total: 5 } });
    const { body } = await send('GET', path);
    expect(body.total).toBe(path === '/domains' ? 6 : 5);
  });
});
