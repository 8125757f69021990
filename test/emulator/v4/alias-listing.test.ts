import { beforeAll, describe, expect, test } from 'vitest';
import { expectAfterEnd, expectFailure, useTarget, type Body } from '../support/target.ts';

const target = useTarget();
let domain = '';
/** In order of creation. */
const names = ['mike', 'alpha', 'zulu', 'bravo', 'kilo'];

beforeAll(async () => {
  domain = await target.emptyDomain();
  for (const alias of names) {
    const forward = `${alias.toLowerCase()}-inbox@corp.example`;
    await target.send('POST', `/domains/${domain}/aliases`, { alias, forward });
    await target.passSecond();
  }
});

async function list(query: string, name: string = domain): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains/${name}/aliases?${query}`);
  expect(status).toBe(200);
  return body;
}

function namesOf(body: Body): string[] {
  return body.aliases.map((item: { alias: string }) => item.alias);
}

describe('v4: Aliases: list', () => {
  test('the answer has aliases, limit, page and total', async () => {
    expect(await list('')).toEqual({ aliases: expect.any(Array), limit: 20, page: 1, total: 5 });
  });

  test('an item has every field of an alias', async () => {
    const item = (await list('limit=1')).aliases[0];
    const { body } = await target.send('GET', `/domains/${domain}/aliases/${item.id}`);
    expect(body.alias).toEqual(item);
  });

  const byName = ['alpha', 'bravo', 'kilo', 'mike', 'zulu'];
  test.each([
    ['', byName],
    ['name_asc', byName],
    ['name_desc', byName.toReversed()],
    ['created_asc', names],
    ['created_desc', names.toReversed()],
  ])('order %j', async (order, expected) => {
    expect(namesOf(await list(`order=${order}`))).toEqual(expected);
  });

  test.each(['name_asc', 'name_desc', 'created_asc', 'created_desc'])(
    'pages of two in order %s hold everything once',
    async (order) => {
      const all = namesOf(await list(`order=${order}`));
      const pages = [];
      for (const page of [1, 2, 3]) pages.push(await list(`order=${order}&limit=2&page=${page}`));
      expect(pages.flatMap(namesOf)).toEqual(all);
      expect(pages.map((page) => [page.page, page.limit, page.total])).toEqual([
        [1, 2, 5],
        [2, 2, 5],
        [3, 2, 5],
      ]);
    },
  );

  test('a page after the last is empty', async () => {
    const answer = await target.send('GET', `/domains/${domain}/aliases?page=3`);
    expectAfterEnd(answer, { aliases: [], limit: 20, page: 3, total: 5 });
  });

  test.each([
    ['rav', ['bravo']],
    ['kilo-inbox', ['kilo']],
    ['corp.example', byName],
    ['BRAVO', ['bravo']],
    ['no-such', []],
    ['', byName],
  ])('query %j finds in alias and destination', async (query, expected) => {
    expect(namesOf(await list(`query=${query}`))).toEqual(expected);
  });

  test('total counts what the query finds', async () => {
    expect(await list('query=inbox&limit=1')).toMatchObject({ total: 5, limit: 1 });
    expect(await list('query=rav&limit=1')).toMatchObject({ total: 1 });
  });

  test('default limit is 20, maximum 200', async () => {
    const name = await target.emptyDomain();
    const aliases = Array.from({ length: 205 }, (_, index) => ({
      alias: `n${String(index).padStart(3, '0')}`,
      forward: 'x@corp.example',
    }));
    await target.send('POST', `/domains/${name}/aliases/batch`, { aliases });
    expect((await list('', name)).aliases).toHaveLength(20);
    const first = await list('limit=200', name);
    expect(first.aliases).toHaveLength(200);
    expect(first.total).toBe(205);
    const second = await list('limit=200&page=2', name);
    expect(namesOf(first).concat(namesOf(second))).toEqual(aliases.map(({ alias }) => alias));
    const over = await target.send('GET', `/domains/${name}/aliases?limit=201`);
    expect(over.status === 400 || over.body.aliases.length <= 200).toBe(true);
  });

  test.each([
    ['order=rank_asc', 'order'],
    ['limit=x', 'limit'],
    ['limit=1e2', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
  ])('%s is an incorrect parameter', async (query, field) => {
    const answer = await target.send('GET', `/domains/${domain}/aliases?${query}`);
    expect(expectFailure(answer, 400).errors).toHaveProperty(field);
  });
});
