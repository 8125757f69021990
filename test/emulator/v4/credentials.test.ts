import { describe, expect, test } from 'vitest';
import { password, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectFailure, TIMESTAMP, useTarget, type Body } from '../support/target.ts';

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

  test('requires_new_mx_check is true for the first of a domain only', async () => {
    expect((await post({ username: 'a', password })).body.requires_new_mx_check).toBe(true);
    expect((await post({ username: 'b', password })).body.requires_new_mx_check).toBe(false);
  });

  test.each([
    ['no username', { password }, 'username'],
    ['no password', { username: 'a' }, 'password'],
    ['a number as username', { username: 1, password }, 'username'],
    ['a number as password', { username: 'a', password: 12_345_678 }, 'password'],
    ['an empty username', { username: '', password }, 'username'],
    ['a password of 7 characters (field notes)', { username: 'a', password: '1234567' }, 'password'],
  ])('%s is a field error', async (_name, fields, field) => {
    expect(expectFailure(await post(fields), 400).errors).toHaveProperty(field);
    expect((await list()).total).toBe(0);
  });

  test('a password of 8 characters is taken (field notes)', async () => {
    expect((await post({ username: 'a', password: '12345678' })).status).toBe(200);
  });

  test('a username that exists is an error, not an update (field notes)', async () => {
    await post({ username: 'a', password });
    expectFailure(await post({ username: 'a', password }), 400);
    expect((await list()).total).toBe(1);
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

  test.each(['limit=x', 'page=0'])('%s is an incorrect parameter', async (query) => {
    expectFailure(await target.send('GET', `${credentials.root()}/credentials?${query}`), 400);
  });
});

describe('v4: SMTP credentials: update and delete', () => {
  test('update gives the credential without the password', async () => {
    await post({ username: 'a', password });
    const { status, body } = await target.send('PUT', one('a'), { password: 'another password' });
    expect(status).toBe(200);
    expect(body).toEqual({ credential: { username: 'a', created_at: expect.any(String), usage: 0 } });
  });

  test('a short password is refused', async () => {
    await post({ username: 'a', password });
    const answer = await target.send('PUT', one('a'), { password: 'short' });
    expect(expectFailure(answer, 400).errors).toHaveProperty('password');
  });

  test('delete is 204 without body, and the credential is gone', async () => {
    await post({ username: 'a', password });
    expect(await target.send('DELETE', one('a'))).toMatchObject({ status: 204, body: undefined });
    expect((await list()).total).toBe(0);
  });

  test('an unknown username is 404', async () => {
    expectFailure(await target.send('PUT', one('nobody'), { password }), assumed(404));
    expectFailure(await target.send('DELETE', one('nobody')), assumed(404));
  });

  test('everything in an unknown domain is 404', async () => {
    const root = `/domains/${target.freshName()}/credentials`;
    expectFailure(await target.send('GET', root), assumed(404));
    expectFailure(await target.send('POST', root, { username: 'a', password }), assumed(404));
    expectFailure(await target.send('PUT', `${root}/a`, { password }), assumed(404));
    expectFailure(await target.send('DELETE', `${root}/a`), assumed(404));
  });

  test('the first credential after all were deleted asks for the check again', async () => {
    await post({ username: 'a', password });
    await target.send('DELETE', one('a'));
    expect((await post({ username: 'b', password })).body.requires_new_mx_check).toBe(true);
  });
});
