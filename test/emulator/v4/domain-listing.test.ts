import { beforeAll, describe, expect, test } from 'vitest';
import { expectAfterEnd, expectFailure, useTarget, type Body } from '../support/target.ts';

const target = useTarget();
const MARK = 'zq7list';

/** In order of creation. */
const names = ['c', 'a', 'b', 'e', 'd'].map((letter) => `${letter}.${MARK}.suite.example`);

async function list(query: string): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains?${query}`);
  expect(status).toBe(200);
  return body;
}

function namesOf(body: Body): string[] {
  return body.domains.map((item: { domain: string }) => item.domain);
}

beforeAll(async () => {
  for (const [index, domain] of names.entries()) {
    target.claim(domain);
    await target.send('DELETE', `/domains/${domain}`);
    const whitelabel = index === 0 ? { whitelabel: `w.${MARK}.example` } : {};
    await target.send('POST', '/domains', { domain, ...whitelabel });
    await target.passSecond();
  }
  for (let index = 0; index < 20; index += 1) {
    await target.send('POST', '/domains', { domain: target.freshName() });
  }
});

describe('v4: Domains: list', () => {
  test('the answer has domains, total, limit and page', async () => {
    expect(await list('')).toEqual({
      domains: expect.any(Array),
      total: expect.any(Number),
      limit: expect.any(Number),
      page: expect.any(Number),
    });
  });

  test('default limit is 20, default page 1', async () => {
    const body = await list('');
    expect(body).toMatchObject({ limit: 20, page: 1 });
    expect(body.domains).toHaveLength(20);
  });

  test('an item has every field of a domain', async () => {
    const { body } = await target.send('GET', `/domains/${names[0]}`);
    expect((await list(`query=c.${MARK}`)).domains[0]).toEqual(body.domain);
  });

  test('limit goes up to 200', async () => {
    expect((await list('limit=200')).limit).toBe(200);
  });

  test('no page has more than 200', async () => {
    const { status, body } = await target.send('GET', '/domains?limit=1000');
    expect(status === 400 || body.limit <= 200).toBe(true);
  });

  test('pages of two hold everything once', async () => {
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(await list(`query=${MARK}&limit=2&page=${page}`));
    expect(pages.flatMap(namesOf)).toEqual(names.toSorted());
    expect(pages.map((page) => page.total)).toEqual([5, 5, 5]);
    expect(pages.map((page) => page.page)).toEqual([1, 2, 3]);
  });

  test('a page after the last is empty', async () => {
    const answer = await target.send('GET', `/domains?query=${MARK}&page=9`);
    expectAfterEnd(answer, { domains: [], total: 5, page: 9 });
  });

  test.each([
    ['', names.toSorted()],
    ['name_asc', names.toSorted()],
    ['name_desc', names.toSorted().reverse()],
    ['created_asc', names],
    ['created_desc', names.toReversed()],
  ])('order %j', async (order, expected) => {
    expect(namesOf(await list(`query=${MARK}&order=${order}`))).toEqual(expected);
  });

  test('query is a substring', async () => {
    expect(namesOf(await list(`query=b.${MARK}`))).toEqual([`b.${MARK}.suite.example`]);
    expect((await list('query=no-such-domain')).total).toBe(0);
  });

  test.each([
    ['forwarding_ready=false', 5],
    ['forwarding_ready=true', 0],
    ['send_ready=false', 5],
    ['send_ready=true', 0],
    [`whitelabel=w.${MARK}.example`, 1],
    [`whitelabel=w.${MARK}`, 0],
    ['whitelabel=null', 4],
  ])('filter %s', async (filter, total) => {
    expect((await list(`query=${MARK}&${filter}`)).total).toBe(total);
  });

  test('the routing_engine filters split the domains', async () => {
    const totals = [];
    for (const engine of ['alias', 'rules', 'null']) {
      totals.push((await list(`query=${MARK}&routing_engine=${engine}`)).total);
    }
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(5);
  });

  test('filters combine', async () => {
    expect((await list(`query=${MARK}&whitelabel=null&forwarding_ready=true`)).total).toBe(0);
  });

  test.each([
    ['order=sideways', 'order'],
    ['limit=abc', 'limit'],
    ['limit=-1', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['forwarding_ready=maybe', 'forwarding_ready'],
    ['send_ready=1', 'send_ready'],
    ['routing_engine=other', 'routing_engine'],
  ])('%s is an incorrect parameter', async (query, field) => {
    const body = expectFailure(await target.send('GET', `/domains?${query}`), 400);
    expect(body.errors).toHaveProperty(field);
  });
});
