import { describe, expect, test } from 'vitest';
import { password, useEmptyList } from '../support/empty-domain.ts';
import { TIMESTAMP, useTarget, type Body } from '../support/target.ts';

const target = useTarget();
const credentials = useEmptyList(target, 'credentials');
const { post, one } = credentials;

async function list(query: string = ''): Promise<Body> {
  const { status, body } = await credentials.send('GET', `/credentials${query}`);
  expect(status).toBe(200);
  return body;
}

describe('v4: SMTP credentials: add', () => {
  test('the answer has the credential and requires_new_mx_check, never the password', async () => {
    const { status, body } = await post({ username: 'carol', password });
    expect(status).toBe(200);
    expect(body).toEqual({
      credential: { username: 'carol', created_at: expect.stringMatching(TIMESTAMP), usage: 0 },
      requires_new_mx_check: true,
    });
    expect(JSON.stringify(body)).not.toContain(password);
  });
});

describe('v4: SMTP credentials: list', () => {
  test('the answer has credentials, limit, page and total', async () => {
    await post({ username: 'a', password });
    expect(await list()).toEqual({
      credentials: [{ username: 'a', created_at: expect.any(String), usage: 0 }],
      limit: 20,
      page: 1,
      total: 1,
    });
  });

  test('default limit is 20, and pages hold everything once', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `user${index}`);
    for (const username of names) await post({ username, password });
    expect((await list()).credentials).toHaveLength(20);
    expect((await list('?limit=200')).limit).toBe(200);
    const pages = [await list('?limit=10'), await list('?limit=10&page=2'), await list('?limit=10&page=3')];
    const found: string[] = pages.flatMap((page) => page.credentials.map((item: Body) => item.username));
    expect(found.toSorted()).toEqual(names.toSorted());
    expect(pages.map((page) => page.total)).toEqual([23, 23, 23]);
  });

  test('no page has more than 200', async () => {
    const { status, body } = await target.send('GET', `${credentials.root()}/credentials?limit=201`);
    expect(status === 400 || body.limit <= 200).toBe(true);
  });
});

describe('v4: SMTP credentials: update and delete', () => {
  test('update gives the credential without the password', async () => {
    await post({ username: 'a', password });
    const { status, body } = await target.send('PUT', one('a'), { password: 'another password' });
    expect(status).toBe(200);
    expect(body).toEqual({ credential: { username: 'a', created_at: expect.any(String), usage: 0 } });
  });

  test('delete is 204 without body, and the credential is gone', async () => {
    await post({ username: 'a', password });
    expect(await target.send('DELETE', one('a'))).toMatchObject({ status: 204, body: undefined });
    expect((await list()).total).toBe(0);
  });
});
