import { beforeAll, describe, expect, test } from 'vitest';
import { expectV3Failure, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const names = ['abuse', 'billing', 'sales', 'sales-eu', 'support', 'xsales'];
let domain = '';

beforeAll(async () => {
  domain = await target.emptyDomain();
  for (const alias of names) {
    await target.send('POST', `/domains/${domain}/aliases`, { alias, forward: `${alias}@corp.example` });
  }
});

async function list(query: string = ''): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains/${domain}/aliases?${query}`);
  expect(status).toBe(200);
  return body;
}

async function namesIn(query: string): Promise<string[]> {
  const { aliases } = await list(query);
  return aliases.map((alias: Body) => alias.alias).toSorted();
}

describe('v3: Aliases: list', () => {
  test('the answer has aliases, limit, page, total and success', async () => {
    const body = await list();
    expect(Object.keys(body).toSorted()).toEqual(['aliases', 'limit', 'page', 'success', 'total']);
    expect(body).toMatchObject({ page: 1, total: 6, success: true });
  });

  test('the aliases have alias, forward, integer id and created', async () => {
    for (const alias of (await list()).aliases) {
      expect(alias).toEqual({
        alias: expect.any(String),
        forward: `${alias.alias}@corp.example`,
        id: expect.any(Number),
        created: expect.any(Number),
      });
    }
  });

  test('q filters alias and destination by substring', async () => {
    expect(await namesIn('q=sales')).toEqual(['sales', 'sales-eu', 'xsales']);
    expect(await namesIn('q=support%40corp')).toEqual(['support']);
    expect(await namesIn('q=corp.example')).toEqual(names);
  });

  test('alias filters by the start of the name', async () => {
    expect(await namesIn('alias=sales')).toEqual(['sales', 'sales-eu']);
    expect(await namesIn('alias=ales')).toEqual([]);
  });

  test('q and alias are combined', async () => {
    expect(await namesIn('alias=s&q=-eu')).toEqual(['sales-eu']);
  });

  test('pages hold everything once', async () => {
    const pages = [await list('limit=5'), await list('limit=5&page=2')];
    expect(pages.map((page) => page.aliases.length)).toEqual([5, 1]);
    expect(pages.map((page) => page.total)).toEqual([6, 6]);
    const found: string[] = pages.flatMap((page) => page.aliases.map((alias: Body) => alias.alias));
    expect(found.toSorted()).toEqual(names);
  });

  test.each(['limit=x', 'limit=0', 'page=0', 'page=1.5'])('%s is an incorrect parameter', async (query) => {
    expectV3Failure(await target.send('GET', `/domains/${domain}/aliases?${query}`), 400);
  });
});

describe('v3: Limits: list aliases page size', () => {
  test('default 20', async () => {
    expect((await list()).limit).toBe(20);
  });

  test('100 is taken, more is not served', async () => {
    expect((await list('limit=100')).limit).toBe(100);
    const { status, body } = await target.send('GET', `/domains/${domain}/aliases?limit=101`);
    expect(status === 400 || body.limit <= 100).toBe(true);
  });

  test('no page has more than 100', async () => {
    const name = await target.emptyDomain();
    const aliases = Array.from({ length: 101 }, (_, n) => ({ alias: `a${n}`, forward: 'x@corp.example' }));
    await target.send('POST', `/domains/${name}/aliases/batch`, { aliases });
    const { body } = await target.send('GET', `/domains/${name}/aliases?limit=100`);
    expect(body).toMatchObject({ total: 101 });
    expect(body.aliases).toHaveLength(100);
  });
});
