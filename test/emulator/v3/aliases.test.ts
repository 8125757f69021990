import { describe, expect, test } from 'vitest';
import { forward, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectV3Failure, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const aliases = useEmptyList(target, 'aliases');
const { post, batch, one, total } = aliases;

async function add(alias = 'sales'): Promise<Body> {
  const { status, body } = await post({ alias, forward });
  expect(status).toBe(200);
  return body.alias;
}

describe('v3: Aliases: add', () => {
  test('the answer has alias and success', async () => {
    const alias = { alias: 'sales', forward, id: expect.any(Number), created: expect.any(Number) };
    expect(await post({ alias: 'sales', forward })).toMatchObject({
      status: 200,
      body: { success: true, alias },
    });
  });

  test('the alias has the fields of v3 and no other', async () => {
    expect(Object.keys(await add()).toSorted()).toEqual(['alias', 'created', 'forward', 'id']);
  });

  test('the id is an integer, and ids differ', async () => {
    const [first, second] = [await add('a'), await add('b')];
    expect(Number.isSafeInteger(first.id)).toBe(true);
    expect(second.id).not.toBe(first.id);
  });

  test('created is in epoch milliseconds', async () => {
    const { id, created } = await add();
    const v4 = (await target.v4('GET', one(id))).body.alias;
    expect(Math.floor(created / 1000)).toBe(Date.parse(v4.created_at) / 1000);
  });
});

describe('v3: Aliases: get', () => {
  test('by the alias string', async () => {
    const alias = await add();
    expect(await target.send('GET', one(alias.alias))).toMatchObject({
      status: 200,
      body: { alias, success: true },
    });
  });

  test('by the integer id', async () => {
    const alias = await add();
    expect(await target.send('GET', one(alias.id))).toMatchObject({
      status: 200,
      body: { alias, success: true },
    });
  });

  test('the id is that of v4, where it is a string', async () => {
    const { id, alias } = await add();
    const v4 = (await target.v4('GET', one(id))).body.alias;
    expect(v4).toMatchObject({ id: String(id), alias });
  });
});

describe('v3: Aliases: update', () => {
  test.each(['alias', 'id'] as const)('by %s: forward alone changes', async (key) => {
    const alias = await add();
    const changed = { ...alias, forward: 'b@corp.example' };
    const answer = await target.send('PUT', one(alias[key]), { forward: 'b@corp.example' });
    expect(answer).toMatchObject({ status: 200, body: { alias: changed, success: true } });
    expect((await target.send('GET', one(alias.id))).body.alias).toEqual(changed);
  });
});

describe('v3: Aliases: delete', () => {
  test.each(['alias', 'id'] as const)('by %s: 200 with success alone, and it is gone', async (key) => {
    const alias = await add();
    const { status, body } = await target.send('DELETE', one(alias[key]));
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expectV3Failure(await target.send('GET', one(alias.id)), assumed(404));
    expectV3Failure(await target.send('DELETE', one(alias[key])), assumed(404));
  });
});

describe('v3: Aliases: ids in batches', () => {
  test('a string id and the integer id of the alias name the same one', async () => {
    const { body } = await batch('POST', { aliases: [{ alias: 'sales', forward }] });
    const { id } = (await target.send('GET', one('sales'))).body.alias;
    expect(body.added[0].id).toBe(String(id));
  });

  test('the integer id as a string', async () => {
    const { id } = await add();
    const { body } = await batch('DELETE', { ids: [String(id)] });
    expect(body.deleted_count).toBe(1);
    expectV3Failure(await target.send('GET', one(id)), assumed(404));
  });
});

describe('v3: Aliases: delete all', () => {
  test('it leaves nothing, and says how many there were or that it went well', async () => {
    for (const alias of ['a', 'b', 'c']) await add(alias);
    const { status, body } = await aliases.send('DELETE', '/aliases/aliases-all?all=true');
    expect(status).toBe(200);
    expect(body.deleted === 3 || body.success === true).toBe(true);
    expect(await total()).toBe(0);
  });
});
