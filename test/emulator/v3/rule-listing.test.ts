import { beforeAll, describe, expect, test } from 'vitest';
import { expectV3Failure, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const names = ['jobs', 'press', 'sales', 'salesforce', 'support', 'vip'];
let domain = '';

beforeAll(async () => {
  domain = await target.emptyDomain();
  const rules = names.map((alias, rank) => ({
    type: 'alias',
    config: { alias, forward: `${alias}@corp.example` },
    rank,
  }));
  await target.send('POST', `/domains/${domain}/rules/batch`, { rules });
});

async function list(query: string = ''): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains/${domain}/rules?${query}`);
  expect(status).toBe(200);
  return body;
}

function namesOf(body: Body): string[] {
  return body.rules.map((rule: Body) => rule.config.alias);
}

describe('v3: Rules: list', () => {
  test('the answer has rules, limit, page, total and success', async () => {
    const body = await list();
    expect(Object.keys(body).toSorted()).toEqual(['limit', 'page', 'rules', 'success', 'total']);
    expect(body).toMatchObject({ page: 1, total: 6, success: true });
  });

  test('the rules are those that get gives', async () => {
    const [rule] = (await list()).rules;
    expect((await target.send('GET', `/domains/${domain}/rules/${rule.id}`)).body).toEqual(rule);
  });

  test('search filters by substring', async () => {
    expect(namesOf(await list('search=sales')).toSorted()).toEqual(['sales', 'salesforce']);
    expect(namesOf(await list('search=vip'))).toEqual(['vip']);
    expect((await list('search=nothing')).total).toBe(0);
  });

  test('pages hold everything once', async () => {
    const pages = [await list('limit=5'), await list('limit=5&page=2')];
    expect(pages.map((page) => page.rules.length)).toEqual([5, 1]);
    expect(pages.map((page) => page.total)).toEqual([6, 6]);
    expect(pages.flatMap(namesOf).toSorted()).toEqual(names);
  });

  test.each(['limit=x', 'limit=0', 'page=0'])('%s is an incorrect parameter', async (query) => {
    expectV3Failure(await target.send('GET', `/domains/${domain}/rules?${query}`), 400);
  });
});

describe('v3: Limits: list rules page size', () => {
  test('default 100, and no more than 100 on a page', async () => {
    const name = await target.emptyDomain();
    const rules = Array.from({ length: 101 }, () => ({
      type: 'alias',
      config: { alias: 'a', forward: 'x@corp.example' },
    }));
    await target.send('POST', `/domains/${name}/rules/batch`, { rules });
    const { body } = await target.send('GET', `/domains/${name}/rules`);
    expect(body).toMatchObject({ limit: 100, total: 101 });
    expect(body.rules).toHaveLength(100);
    const more = await target.send('GET', `/domains/${name}/rules?limit=101`);
    expect(more.status === 400 || more.body.limit <= 100).toBe(true);
  });
});
