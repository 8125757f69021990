import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAfterEnd, expectV3Failure, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const mark = randomUUID().slice(0, 8);
const names = Array.from({ length: 7 }, (_, index) => `${mark}-${index}.suite.example`);

beforeAll(async () => {
  for (const domain of names) {
    target.claim(domain);
    expect((await target.send('POST', '/domains', { domain })).status).toBe(200);
  }
});

async function list(query: string): Promise<Body> {
  const { status, body } = await target.send('GET', `/domains?${query}`);
  expect(status).toBe(200);
  return body;
}

function namesOf(body: Body): string[] {
  return body.domains.map((domain: Body) => domain.domain);
}

describe('v3: Domains: list', () => {
  test('the answer has domains, total, limit, page and success', async () => {
    const body = await list(`q=${mark}`);
    expect(Object.keys(body).toSorted()).toEqual(['domains', 'limit', 'page', 'success', 'total']);
    expect(body).toMatchObject({ total: 7, page: 1, success: true });
  });

  test('q filters by substring', async () => {
    expect(namesOf(await list(`q=${mark}-3`))).toEqual([names[3]]);
    expect(namesOf(await list(`q=${mark.slice(2)}-4.suite`))).toEqual([names[4]]);
    expect((await list(`q=${mark}-nothing`)).total).toBe(0);
  });

  test('is_active 1 gives the active ones only, 0 the inactive ones only', async () => {
    for (const [flag, active] of [
      ['1', true],
      ['0', false],
    ] as const) {
      const body = await list(`q=${mark}&is_active=${flag}`);
      for (const domain of body.domains) expect(domain.active).toBe(active);
    }
    const both = (await list(`q=${mark}&is_active=1`)).total + (await list(`q=${mark}&is_active=0`)).total;
    expect(both).toBe(7);
  });

  test('pages hold everything once', async () => {
    const pages = await Promise.all([1, 2].map((page) => list(`q=${mark}&limit=5&page=${page}`)));
    expect(pages.map((page) => page.domains.length)).toEqual([5, 2]);
    expect(pages.map(({ total, limit, page }) => [total, limit, page])).toEqual([
      [7, 5, 1],
      [7, 5, 2],
    ]);
    expect(pages.flatMap(namesOf).toSorted()).toEqual(names);
  });

  test('a page after the last is empty', async () => {
    const answer = await target.send('GET', `/domains?q=${mark}&limit=5&page=9`);
    expectAfterEnd(answer, { domains: [], total: 7 });
  });

  test.each(['is_active=yes', 'limit=x', 'limit=0', 'page=0', 'page=-1'])(
    '%s is an incorrect parameter',
    async (query) => {
      expectV3Failure(await target.send('GET', `/domains?${query}`), 400);
    },
  );
});

describe('v3: Limits: list domains page size', () => {
  test('default 50', async () => {
    expect((await list(`q=${mark}`)).limit).toBe(50);
  });

  test('100 is taken, more is not served', async () => {
    expect((await list(`q=${mark}&limit=100`)).limit).toBe(100);
    const { status, body } = await target.send('GET', `/domains?q=${mark}&limit=101`);
    expect(status === 400 || body.limit <= 100).toBe(true);
  });
});
