import { describe, expect, test } from 'vitest';
import { forward, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectFailure, TIMESTAMP, useTarget, type Body } from '../support/target.ts';

const target = useTarget();
const aliases = useEmptyList(target, 'aliases');
const { post, one, total } = aliases;

async function add(alias = 'sales'): Promise<Body> {
  const { status, body } = await post({ alias, forward });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['alias']);
  return body.alias;
}

describe('v4: Aliases', () => {
  test('the alias that was added has the fields of the table and no other', async () => {
    expect(await add()).toEqual({
      id: expect.any(String),
      alias: 'sales',
      forward,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    });
  });

  test('get gives it alone', async () => {
    const alias = await add();
    expect(await target.send('GET', one(alias.id))).toMatchObject({ status: 200, body: { alias } });
  });

  test('update changes forward and updated_at alone', async () => {
    const alias = await add();
    await target.passSecond();
    const { status, body } = await target.send('PUT', one(alias.id), { forward: 'b@corp.example' });
    expect(status).toBe(200);
    expect(body.alias).toEqual({ ...alias, forward: 'b@corp.example', updated_at: expect.any(String) });
    expect(body.alias.updated_at > alias.updated_at).toBe(true);
    expect((await target.send('GET', one(alias.id))).body).toEqual(body);
  });

  test('delete is 204 without body, and the alias is gone', async () => {
    const { id } = await add();
    expect(await target.send('DELETE', one(id))).toMatchObject({ status: 204, body: undefined });
    expectFailure(await target.send('GET', one(id)), assumed(404));
  });

  test('delete all gives the number removed and leaves nothing', async () => {
    for (const alias of ['a', 'b', 'c']) await add(alias);
    const { status, body } = await aliases.send('DELETE', '/aliases?all=true');
    expect(status).toBe(200);
    expect(body).toEqual({ deleted: 3 });
    expect(await total()).toBe(0);
  });
});
