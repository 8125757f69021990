import { Buffer } from 'node:buffer';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  assumed,
  authorization,
  expectV3Failure,
  targetKey,
  useTarget,
  type Answer,
  isExternal,
} from '../support/target.ts';

const target = useTarget('v3');
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** Unlike fetch, sends a body with any method. */
async function sendWithBody(method: 'GET' | 'DELETE', path: string, body: string): Promise<Answer> {
  const answer = await request(target.url('v3') + path, {
    method,
    body,
    headers: { Authorization: authorization(targetKey()), 'Content-Type': 'application/json' },
  });
  return { status: answer.statusCode, headers: new Headers(), body: await answer.body.json() };
}

describe('v3: Errors', () => {
  test('message is displayable, errors maps fields to messages, success is false', async () => {
    const body = expectV3Failure(await target.send('POST', '/domains', {}), 400);
    expect(body.errors.domain).toEqual([expect.any(String)]);
    expect(body.message).toBe(body.errors.domain[0]);
  });

  test('errors is empty when there are no field messages', async () => {
    const body = expectV3Failure(await target.send('GET', `/domains/${target.freshName()}`), assumed(404));
    expect(body.errors).toEqual({});
  });

  test('error and code are there beside them (field notes)', async () => {
    const { status, body } = await target.send('POST', '/domains', {});
    expect(body).toMatchObject({ error: body.message, code: status });
  });

  test.each([
    ['a wrong key', 'GET', '/account', undefined, { Authorization: basic('api:wrong-key') }, 401],
    ['an unknown path', 'GET', '/nothing', undefined, {}, 404],
    ['a method that nothing serves', 'PATCH', '/domains', undefined, {}, 404],
    ['malformed JSON', 'POST', '/domains', '{"domain": ', {}, 400],
    ['a body that is no object', 'POST', '/domains', '[]', {}, 400],
    ['a batch that is none', 'POST', '/domains/DOMAIN/aliases/batch', {}, {}, 400],
  ])('%s has the same shape', async (_name, method, path, body, headers, status) => {
    const domain = path.includes('DOMAIN') ? await target.emptyDomain() : '';
    const answer = await target.send(method, path.replace('DOMAIN', domain), body, headers);
    const { message } = expectV3Failure(answer, status);
    expect(answer.body).toMatchObject({ error: message, code: status, success: false });
  });

  test('a body of 32 MiB is refused', async () => {
    const text = JSON.stringify({ domain: 'x'.repeat(32 * 1024 * 1024) });
    const refused = await target.send('POST', '/domains', text).then(
      (answer) => expectV3Failure(answer, answer.status).code,
      // The connection may end while the body is being sent.
      () => 413,
    );
    expect(refused).toEqual(isExternal ? expect.any(Number) : 413);
    expect((await target.send('GET', '/account')).status).toBe(200);
  });

  test('v4 has none of the fields that only v3 has', async () => {
    for (const [method, path, headers] of [
      ['POST', '/domains', {}],
      ['GET', '/nothing', {}],
      ['GET', '/account', { Authorization: basic('api:wrong-key') }],
    ] as const) {
      const { body } = await target.v4(method, path, method === 'POST' ? '{' : undefined, headers);
      expect(Object.keys(body).toSorted()).toEqual(['errors', 'message']);
    }
  });
});

describe('v3: Authentication', () => {
  test('base64, as v4 has it', async () => {
    const headers = { Authorization: basic(`api:${targetKey()}`) };
    expect((await target.send('GET', '/account', undefined, headers)).status).toBe(200);
  });

  test('plain text, which v4 refuses (field notes)', async () => {
    const headers = { Authorization: `Basic api:${targetKey()}` };
    expect((await target.send('GET', '/account', undefined, headers)).status).toBe(200);
    expect((await target.v4('GET', '/account', undefined, headers)).status).toBe(401);
  });

  test.each([
    ['a wrong key', basic('api:wrong-key')],
    ['a wrong key in plain text', 'Basic api:wrong-key'],
    ['an empty key', basic('api:')],
    ['a wrong user', basic(`root:wrong-key`)],
    ['a bearer token', 'Bearer wrong-key'],
    ['an empty value', ''],
  ])('%s is 401', async (_name, value) => {
    expectV3Failure(await target.send('GET', '/account', undefined, { Authorization: value }), 401);
  });

  test('a wrong key changes nothing', async () => {
    const domain = await target.emptyDomain();
    const headers = { Authorization: 'Basic api:wrong-key' };
    expectV3Failure(await target.send('DELETE', `/domains/${domain}`, undefined, headers), 401);
    expect((await target.send('GET', `/domains/${domain}`)).status).toBe(200);
  });
});

describe('v3: Protocol (field notes)', () => {
  test.each(['/account', '/domains', '/domains/DOMAIN', '/domains/DOMAIN/aliases', '/domains/DOMAIN/rules'])(
    'one slash at the end of %s is ignored',
    async (template) => {
      const path = template.replace('DOMAIN', await target.emptyDomain());
      const plain = await target.send('GET', path);
      expect(await target.send('GET', `${path}/`)).toMatchObject({ status: 200, body: plain.body });
    },
  );

  test('a slash before the query is ignored, a second one is not', async () => {
    expect((await target.send('GET', '/domains/?limit=5')).body.limit).toBe(5);
    expectV3Failure(await target.send('GET', '/domains//'), assumed(404));
  });

  test('writes ignore the slash too', async () => {
    const domain = target.freshName();
    expect((await target.send('POST', '/domains/', { domain })).status).toBe(200);
    expect((await target.send('DELETE', `/domains/${domain}/`)).status).toBe(200);
  });

  test.each(['null', '{}', '[]', '{"alias": "x"}'])('GET with the body %s', async (text) => {
    const answer = await sendWithBody('GET', '/account', text);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
  });

  test.each(['null', '{}', '[]', '{"alias": "x"}'])('DELETE with the body %s', async (text) => {
    const domain = await target.emptyDomain();
    const answer = await sendWithBody('DELETE', `/domains/${domain}`, text);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
  });

  test('DELETE with a JSON content type and no body', async () => {
    const domain = await target.emptyDomain();
    const answer = await target.send('DELETE', `/domains/${domain}`, '', {
      'Content-Type': 'application/json',
    });
    expect(answer.status).toBe(200);
  });
});

describe('v3: Limits: rate-limit headers', () => {
  test.each([
    ['a success', 'GET', '/domains', undefined],
    ['a bad request', 'POST', '/domains', {}],
    ['malformed JSON', 'POST', '/domains', '{'],
    ['an unknown domain', 'GET', '/domains/unknown.suite.example', undefined],
    ['an unknown path', 'GET', '/nothing', undefined],
  ])('%s carries them', async (_name, method, path, body) => {
    const { headers } = await target.send(method, path, body);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(headers.get(name)).toMatch(/^\d+$/);
    }
    expect(headers.get('retry-after')).toBeNull();
  });
});
