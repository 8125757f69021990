import { beforeAll, describe, expect, test } from 'vitest';
import { assumed, expectV3Failure, useTarget, type Answer, type Body } from '../support/target.ts';

const target = useTarget('v3');
const forward = 'ana@corp.example';
let domain = '';

beforeAll(async () => {
  domain = await target.emptyDomain();
});

let counter = 0;
function freshAlias(): string {
  counter += 1;
  return `alias${counter}`;
}

function post(fields: unknown): Promise<Answer> {
  return target.send('POST', `/domains/${domain}/aliases`, fields);
}

async function add(alias: string = freshAlias(), to: string = forward): Promise<Body> {
  const { status, body } = await post({ alias, forward: to });
  expect(status).toBe(200);
  return body.alias;
}

function one(alias: string | number): string {
  return `/domains/${domain}/aliases/${encodeURIComponent(alias)}`;
}

describe('v3: Aliases: add', () => {
  test('the answer has alias and success', async () => {
    const alias = freshAlias();
    expect(await post({ alias, forward })).toMatchObject({
      status: 200,
      body: {
        success: true,
        alias: { alias, forward, id: expect.any(Number), created: expect.any(Number) },
      },
    });
  });

  test('the alias has the fields of v3 and no other', async () => {
    expect(Object.keys(await add()).toSorted()).toEqual(['alias', 'created', 'forward', 'id']);
  });

  test('the id is an integer, and ids differ', async () => {
    const [first, second] = [await add(), await add()];
    expect(Number.isSafeInteger(first.id)).toBe(true);
    expect(second.id).not.toBe(first.id);
  });

  test('created is in epoch milliseconds', async () => {
    const { id, created } = await add();
    const v4 = (await target.v4('GET', one(id))).body.alias;
    expect(Math.floor(created / 1000)).toBe(Date.parse(v4.created_at) / 1000);
  });

  test.each(['*', '(contact|support)', '([a-z]+)\\.([a-z]+)', 'first_last', '007'])(
    'the name may be %s (field notes)',
    async (name) => {
      const alias = await add(name);
      expect(alias.alias).toBe(name);
      expect((await target.send('GET', one(name))).body.alias).toEqual(alias);
    },
  );

  test.each([
    ['no alias', { forward }, 'alias'],
    ['no forward', { alias: 'x1' }, 'forward'],
    ['a number as alias', { alias: 1, forward }, 'alias'],
    ['null as forward', { alias: 'x2', forward: null }, 'forward'],
    ['a forward that is no destination', { alias: 'x3', forward: 'nowhere' }, 'forward'],
  ])('%s is a field error', async (_name, fields, field) => {
    expect(expectV3Failure(await post(fields), 400).errors).toHaveProperty(field);
  });

  test('an alias that exists is a field error that says "update the existing" (field notes)', async () => {
    const { alias } = await add();
    const body = expectV3Failure(await post({ alias, forward }), 400);
    expect(body.errors.alias[0]).toContain('update the existing');
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

  test('the id of an alias of another domain is unknown', async () => {
    const { id } = await add();
    const other = await target.emptyDomain();
    expectV3Failure(await target.send('GET', `/domains/${other}/aliases/${id}`), assumed(404));
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

  test.each([
    ['no forward', {}],
    ['a number', { forward: 1 }],
    ['an invalid address', { forward: 'nowhere' }],
  ])('%s is a field error and changes nothing', async (_name, fields) => {
    const alias = await add();
    const body = expectV3Failure(await target.send('PUT', one(alias.alias), fields), 400);
    expect(body.errors).toHaveProperty('forward');
    expect((await target.send('GET', one(alias.id))).body.alias).toEqual(alias);
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

  test('an alias made again has another id (field notes)', async () => {
    const { id, alias } = await add();
    await target.send('DELETE', one(alias));
    expect((await add(alias)).id).not.toBe(id);
  });
});

describe('v3: Aliases: unknown ones (field notes)', () => {
  test.each(['999999999', 'nobody', '0', '-1', '1.5', '00'])('%s is 404', async (alias) => {
    expectV3Failure(await target.send('GET', one(alias)), assumed(404));
    expectV3Failure(await target.send('PUT', one(alias), { forward }), assumed(404));
    expectV3Failure(await target.send('DELETE', one(alias)), assumed(404));
  });

  test('everything in an unknown domain is 404', async () => {
    const root = `/domains/${target.freshName()}/aliases`;
    const answers = [
      await target.send('GET', root),
      await target.send('POST', root, { alias: 'a', forward }),
      await target.send('GET', `${root}/a`),
      await target.send('PUT', `${root}/a`, { forward }),
      await target.send('DELETE', `${root}/a`),
      await target.send('POST', `${root}/batch`, { aliases: [] }),
      await target.send('PUT', `${root}/batch`, { aliases: [] }),
      await target.send('DELETE', `${root}/batch`, { ids: [] }),
      await target.send('POST', `${root}/bulk`, { aliases: [] }),
      await target.send('DELETE', `${root}/aliases-all?all=true`),
    ];
    for (const answer of answers) expectV3Failure(answer, assumed(404));
  });
});

describe('v3: Aliases: ids in batches', () => {
  test('a string id and the integer id of the alias name the same one', async () => {
    const alias = freshAlias();
    const { body } = await target.send('POST', `/domains/${domain}/aliases/batch`, {
      aliases: [{ alias, forward }],
    });
    const { id } = (await target.send('GET', one(alias))).body.alias;
    expect(body.added[0].id).toBe(String(id));
  });

  test('the integer id as a string', async () => {
    const { id } = await add();
    const { body } = await target.send('DELETE', `/domains/${domain}/aliases/batch`, { ids: [String(id)] });
    expect(body.deleted_count).toBe(1);
    expectV3Failure(await target.send('GET', one(id)), assumed(404));
  });
});

describe('v3: Aliases: delete all', () => {
  test('it leaves nothing, and says how many there were or that it went well', async () => {
    const name = await target.emptyDomain();
    for (const alias of ['a', 'b', 'c']) {
      await target.send('POST', `/domains/${name}/aliases`, { alias, forward });
    }
    const { status, body } = await target.send('DELETE', `/domains/${name}/aliases/aliases-all?all=true`);
    expect(status).toBe(200);
    expect(body.deleted === 3 || body.success === true).toBe(true);
    expect((await target.send('GET', `/domains/${name}/aliases`)).body.total).toBe(0);
  });

  test.each(['', '?all=false', '?all=1', '?all='])(
    'without the guard (%j) nothing is deleted',
    async (query) => {
      const before = (await target.send('GET', `/domains/${domain}/aliases`)).body.total;
      expectV3Failure(
        await target.send('DELETE', `/domains/${domain}/aliases/aliases-all${query}`),
        assumed(400),
      );
      expect((await target.send('GET', `/domains/${domain}/aliases`)).body.total).toBe(before);
    },
  );
});
