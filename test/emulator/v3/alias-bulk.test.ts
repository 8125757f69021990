import { beforeEach, describe, expect, test } from 'vitest';
import { assumed, expectV3Failure, useTarget, type Answer, type Body } from '../support/target.ts';

const target = useTarget('v3');
const forward = 'ana@corp.example';
const other = 'ben@corp.example';
let domain = '';

beforeEach(async () => {
  domain = await target.emptyDomain();
});

function bulk(body: unknown): Promise<Answer> {
  return target.send('POST', `/domains/${domain}/aliases/bulk`, body);
}

async function addAll(...names: readonly string[]): Promise<Body[]> {
  const { status, body } = await bulk({ aliases: names.map((alias) => ({ alias, forward })) });
  expect(status).toBe(200);
  expect(body.failed).toEqual([]);
  return body.added;
}

/** Names and destinations of the domain. */
async function live(): Promise<Record<string, string>> {
  const { aliases } = (await target.send('GET', `/domains/${domain}/aliases?limit=100`)).body;
  return Object.fromEntries(aliases.map((alias: Body) => [alias.alias, alias.forward]));
}

describe('v3: Aliases: bulk add', () => {
  test.each([{ behavior: 'add' }, {}])('%j: added, updated, failed and success', async (options) => {
    const { status, body } = await bulk({ aliases: [{ alias: 'a', forward }], ...options });
    expect(status).toBe(200);
    expect(body).toEqual({
      added: [{ alias: 'a', forward, id: expect.any(Number) }],
      updated: [],
      failed: [],
      success: true,
    });
    expect(await live()).toEqual({ a: forward });
  });

  test('the id is that of the alias', async () => {
    const [added] = await addAll('a');
    const { alias } = (await target.send('GET', `/domains/${domain}/aliases/a`)).body;
    expect(alias.id).toBe(added.id);
  });

  test('an alias that exists fails and stays as it is; the request does not fail', async () => {
    const [a] = await addAll('a');
    const aliases = [
      { alias: 'a', forward: other },
      { alias: 'b', forward: other },
    ];
    const { status, body } = await bulk({ aliases, behavior: 'add' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ added: [{ alias: 'b' }], updated: [], success: true });
    expect(body.failed).toEqual([{ alias: 'a', forward: other, id: a.id }]);
    expect(await live()).toEqual({ a: forward, b: other });
  });

  test('the second of two equal ones fails', async () => {
    const { body } = await bulk({
      aliases: [
        { alias: 'a', forward },
        { alias: 'a', forward },
      ],
    });
    expect(body.added).toHaveLength(1);
    expect(body.failed).toHaveLength(1);
  });

  test.each([
    ['null', null],
    ['a number', 7],
    ['a list', []],
    ['an empty object', {}],
    ['no forward', { alias: 'x' }],
    ['a forward that is no destination', { alias: 'x', forward: 'nowhere' }],
    ['a number as alias', { alias: 1, forward }],
  ])('an item that is %s fails alone', async (_name, item) => {
    const { status, body } = await bulk({ aliases: [item, { alias: 'ok', forward }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ added: [{ alias: 'ok' }], success: true });
    expect(body.failed).toHaveLength(1);
    expect(await live()).toEqual({ ok: forward });
  });
});

describe('v3: Aliases: bulk update', () => {
  test('an existing alias gets the destination', async () => {
    const [a] = await addAll('a', 'b');
    const { status, body } = await bulk({ aliases: [{ alias: 'a', forward: other }], behavior: 'update' });
    expect(status).toBe(200);
    expect(body).toEqual({
      added: [],
      updated: [{ alias: 'a', forward: other, id: a.id }],
      failed: [],
      success: true,
    });
    expect(await live()).toEqual({ a: other, b: forward });
  });

  test('an alias that does not exist fails and is not added', async () => {
    const { status, body } = await bulk({ aliases: [{ alias: 'a', forward }], behavior: 'update' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ added: [], updated: [], failed: [{ alias: 'a', forward }], success: true });
    expect(await live()).toEqual({});
  });

  test.each([null, {}, { alias: 'a' }, { alias: 'a', forward: 'nowhere' }])(
    '%j fails and changes nothing',
    async (item) => {
      await addAll('a');
      const { status, body } = await bulk({ aliases: [item], behavior: 'update' });
      expect(status).toBe(200);
      expect(body.failed).toHaveLength(1);
      expect(await live()).toEqual({ a: forward });
    },
  );
});

describe('v3: Aliases: bulk delete', () => {
  test('the answer has deleted aliases, failed and success', async () => {
    const [a] = await addAll('a', 'b');
    const { status, body } = await bulk({ aliases: [{ alias: 'a', forward }], behavior: 'delete' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deleted: [{ alias: 'a', forward, id: a.id }], failed: [], success: true });
    expect(Object.keys(body)).toHaveLength(3);
    expect(await live()).toEqual({ b: forward });
  });

  test('an alias that does not exist is a failed entry with its name', async () => {
    await addAll('a');
    const { status, body } = await bulk({ aliases: [{ alias: 'z' }, { alias: 'a' }], behavior: 'delete' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deleted: [{ alias: 'a' }], failed: [{ alias: 'z' }], success: true });
    expect(await live()).toEqual({});
  });

  test.each([null, {}, { alias: 7 }, 'a'])('%j fails alone', async (item) => {
    await addAll('a');
    const { status, body } = await bulk({ aliases: [item], behavior: 'delete' });
    expect(status).toBe(200);
    expect(body.failed).toHaveLength(1);
    expect(await live()).toEqual({ a: forward });
  });
});

describe('v3: Aliases: bulk requests that are refused', () => {
  test.each([
    ['no aliases', {}, 'aliases'],
    ['aliases that are no array', { aliases: {} }, 'aliases'],
    ['an unknown behavior', { aliases: [], behavior: 'replace' }, 'behavior'],
    ['a behavior that is no string', { aliases: [], behavior: 1 }, 'behavior'],
  ])('%s is a field error', async (_name, body, field) => {
    expect(expectV3Failure(await bulk(body), 400).errors).toHaveProperty(field);
  });

  test('v4 has batches instead', async () => {
    const answer = await target.v4('POST', `/domains/${domain}/aliases/bulk`, { aliases: [] });
    expect(answer.status).toBe(404);
  });
});

describe('v3: Limits: bulk size of aliases', () => {
  const many = Array.from({ length: 501 }, (_, index) => ({ alias: `n${index}`, forward }));

  test('500 items are taken', async () => {
    const { body } = await bulk({ aliases: many.slice(1) });
    expect(body.added).toHaveLength(500);
    expect((await bulk({ aliases: many.slice(1), behavior: 'update' })).body.updated).toHaveLength(500);
    expect((await bulk({ aliases: many.slice(1), behavior: 'delete' })).body.deleted).toHaveLength(500);
  });

  test('501 items are refused as a whole', async () => {
    expectV3Failure(await bulk({ aliases: many }), assumed(400));
    expect(await live()).toEqual({});
  });
});
