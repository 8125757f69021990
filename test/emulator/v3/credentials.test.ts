import { describe, expect, test } from 'vitest';
import { password, useEmptyList } from '../support/empty-domain.ts';
import { useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const credentials = useEmptyList(target, 'credentials');
const { post, one } = credentials;

async function list(query: string = ''): Promise<Body> {
  const { status, body } = await target.send('GET', `${credentials.root()}/credentials?${query}`);
  expect(status).toBe(200);
  return body;
}

describe('v3: SMTP credentials: add', () => {
  test('the answer has credential, requires_new_mx_check and success, never the password', async () => {
    const { status, body } = await post({ username: 'carol', password });
    expect(status).toBe(200);
    expect(body).toEqual({
      credential: { username: 'carol', usage: 0, created: expect.any(Number) },
      requires_new_mx_check: true,
      success: true,
    });
    expect(JSON.stringify(body)).not.toContain(password);
  });

  test('created is in epoch milliseconds', async () => {
    const { created } = (await post({ username: 'carol', password })).body.credential;
    const [v4] = (await target.v4('GET', `${credentials.root()}/credentials`)).body.credentials;
    expect(Math.floor(created / 1000)).toBe(Date.parse(v4.created_at) / 1000);
  });
});

describe('v3: SMTP credentials: list', () => {
  test('the answer has credentials and success, and no total', async () => {
    await post({ username: 'a', password });
    expect(await list()).toEqual({
      credentials: [{ username: 'a', usage: 0, created: expect.any(Number) }],
      success: true,
    });
  });

  test('pages hold everything once, and the page after the last is empty', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `user${index}`);
    for (const username of names) await post({ username, password });
    const pages = [await list('limit=6'), await list('limit=6&page=2'), await list('limit=6&page=3')];
    expect(pages.map((page) => page.credentials.length)).toEqual([6, 6, 0]);
    const found: string[] = pages.flatMap((page) => page.credentials.map((item: Body) => item.username));
    expect(found.toSorted()).toEqual(names.toSorted());
  });
});

describe('v3: Limits: list credentials page size', () => {
  test('default 20, at most 200', async () => {
    for (let index = 0; index < 201; index += 1) await post({ username: `user${index}`, password });
    expect((await list()).credentials).toHaveLength(20);
    expect((await list('limit=200')).credentials).toHaveLength(200);
    const more = await target.send('GET', `${credentials.root()}/credentials?limit=201`);
    expect(more.status === 400 || more.body.credentials.length === 200).toBe(true);
  });
});

describe('v3: SMTP credentials: update and delete', () => {
  test('update gives the credential and success, without the password', async () => {
    await post({ username: 'a', password });
    const { status, body } = await target.send('PUT', one('a'), { password: 'another password' });
    expect(status).toBe(200);
    expect(body).toEqual({
      credential: { username: 'a', usage: 0, created: expect.any(Number) },
      success: true,
    });
  });

  test('delete is 200 with success alone, and the credential is gone', async () => {
    await post({ username: 'a', password });
    const { status, body } = await target.send('DELETE', one('a'));
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expect((await list()).credentials).toEqual([]);
  });
});
