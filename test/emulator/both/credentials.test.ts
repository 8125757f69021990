import { describe, expect, test } from 'vitest';
import { password, useEmptyList } from '../support/empty-domain.ts';
import { assumed, useTarget, VERSIONS } from '../support/target.ts';

describe.each(VERSIONS)('%s: SMTP credentials', (version) => {
  const target = useTarget(version);
  const { post, one, root, live } = useEmptyList(target, 'credentials');

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
    expect(target.expectFailure(await post(fields), 400).errors).toHaveProperty(field);
    expect(await live()).toEqual([]);
  });

  test('a password of 8 characters is taken (field notes)', async () => {
    expect((await post({ username: 'a', password: '12345678' })).status).toBe(200);
  });

  test('a username that exists is an error, not an update (field notes)', async () => {
    await post({ username: 'a', password });
    target.expectFailure(await post({ username: 'a', password }), 400);
    expect(await live()).toHaveLength(1);
  });

  test.each(['limit=x', 'page=0'])('%s is an incorrect parameter', async (query) => {
    target.expectFailure(await target.send('GET', `${root()}/credentials?${query}`), 400);
  });

  test('a short password is refused', async () => {
    await post({ username: 'a', password });
    const answer = await target.send('PUT', one('a'), { password: 'short' });
    expect(target.expectFailure(answer, 400).errors).toHaveProperty('password');
  });

  test('an unknown username is 404', async () => {
    target.expectFailure(await target.send('PUT', one('nobody'), { password }), assumed(404));
    target.expectFailure(await target.send('DELETE', one('nobody')), assumed(404));
  });

  test('everything in an unknown domain is 404', async () => {
    const root = `/domains/${target.freshName()}/credentials`;
    target.expectFailure(await target.send('GET', root), assumed(404));
    target.expectFailure(await target.send('POST', root, { username: 'a', password }), assumed(404));
    target.expectFailure(await target.send('PUT', `${root}/a`, { password }), assumed(404));
    target.expectFailure(await target.send('DELETE', `${root}/a`), assumed(404));
  });

  test('the first credential after all were deleted asks for the check again', async () => {
    await post({ username: 'a', password });
    await target.send('DELETE', one('a'));
    expect((await post({ username: 'b', password })).body.requires_new_mx_check).toBe(true);
  });
});
