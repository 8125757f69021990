import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, useTarget, type Body } from '../support/target.ts';

const target = useTarget();
let domain = '';
/** In order of creation: [name, rank]. */
const rules: readonly (readonly [string, number])[] = [
  ['charlie', 30],
  ['alpha', 2.5],
  ['delta', -1],
  ['bravo', 2.25],
  ['echo', 100],
];

beforeAll(async () => {
  domain = await target.emptyDomain();
  for (const [name, rank] of rules) {
    const config = { alias: name, forward: `${name}-inbox@corp.example` };
    await target.send('POST', `/domains/${domain}/rules`, { type: 'alias', config, rank });
    await target.passSecond();
  }
});

async function list(query: string, name: string = domain): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains/${name}/rules?${query}`);
  expect(status).toBe(200);
  return body;
}

function namesOf(body: Body): string[] {
  return body.rules.map((rule: { config: { alias: string } }) => rule.config.alias);
}

describe('v4: Rules: list', () => {
  test('the answer has rules, limit, page and total', async () => {
    expect(await list('')).toEqual({ rules: expect.any(Array), limit: 20, page: 1, total: 5 });
  });

  test('an item has every field of a rule', async () => {
    const item = (await list('limit=1')).rules[0];
    const { body } = await target.send('GET', `/domains/${domain}/rules/${item.id}`);
    expect(body.rule).toEqual(item);
  });

  const created = rules.map(([name]) => name);
  const ranked = ['delta', 'bravo', 'alpha', 'charlie', 'echo'];
  test.each([
    ['', ranked],
    ['rank_asc', ranked],
    ['rank_desc', ranked.toReversed()],
    ['created_asc', created],
    ['created_desc', created.toReversed()],
  ])('order %j', async (order, expected) => {
    expect(namesOf(await list(`order=${order}`))).toEqual(expected);
  });

  test('pages of two hold everything once', async () => {
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(await list(`limit=2&page=${page}`));
    expect(pages.flatMap(namesOf)).toEqual(ranked);
    expect(pages.map((page) => page.total)).toEqual([5, 5, 5]);
  });

  test.each([
    ['rav', ['bravo']],
    ['echo-inbox', ['echo']],
    ['no-such', []],
  ])('query %j is a substring', async (query, expected) => {
    const body = await list(`query=${query}`);
    expect(namesOf(body)).toEqual(expected);
    expect(body.total).toBe(expected.length);
  });

  test('an update of the rank moves a rule', async () => {
    const name = await target.emptyDomain();
    const ids = [];
    for (const alias of ['a', 'b', 'c']) {
      const config = { alias, forward: 'x@corp.example' };
      const { body } = await target.send('POST', `/domains/${name}/rules`, { type: 'alias', config });
      ids.push(body.rule.id);
    }
    expect(namesOf(await list('', name))).toEqual(['a', 'b', 'c']);
    await target.send('PUT', `/domains/${name}/rules/batch`, { rules: [{ id: ids[2], rank: -10 }] });
    expect(namesOf(await list('', name))).toEqual(['c', 'a', 'b']);
  });

  test('default limit is 20, maximum 200', async () => {
    const name = await target.emptyDomain();
    const config = { alias: 'a', forward: 'x@corp.example' };
    const batch = Array.from({ length: 205 }, () => ({ type: 'alias', config }));
    await target.send('POST', `/domains/${name}/rules/batch`, { rules: batch });
    expect((await list('', name)).rules).toHaveLength(20);
    expect((await list('limit=200', name)).rules).toHaveLength(200);
    expect((await list('limit=200&page=2', name)).rules).toHaveLength(5);
    const over = await target.send('GET', `/domains/${name}/rules?limit=201`);
    expect(over.status === 400 || over.body.rules.length <= 200).toBe(true);
  });

  test.each([
    ['order=name_asc', 'order'],
    ['limit=x', 'limit'],
    ['page=0', 'page'],
  ])('%s is an incorrect parameter', async (query, field) => {
    const answer = await target.send('GET', `/domains/${domain}/rules?${query}`);
    expect(expectFailure(answer, 400).errors).toHaveProperty(field);
  });
});
