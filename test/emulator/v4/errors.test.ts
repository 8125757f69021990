import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { isExternal, assumed, expectFailure, useTarget } from '../support/target.ts';

const target = useTarget();
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('v4: Authentication', () => {
  test.each([
    ['no scheme', 'x'],
    ['a wrong key', basic('api:wrong-key')],
    ['an empty key', basic('api:')],
    ['a wrong user', basic('root:wrong-key')],
    ['no colon', basic('api')],
    ['a bearer token', 'Bearer wrong-key'],
    ['no base64', 'Basic !!!'],
    ['plain text, which only v3 takes', 'Basic api:wrong-key'],
    ['an empty value', ''],
  ])('%s is 401', async (_name, value) => {
    expectFailure(await target.send('GET', '/account', undefined, { Authorization: value }), 401);
  });

  test.each([
    ['GET', '/domains'],
    ['POST', '/domains'],
    ['GET', '/domains/acme.example'],
    ['PUT', '/domains/acme.example'],
    ['DELETE', '/domains/acme.example'],
    ['POST', '/domains/acme.example/verify'],
    ['GET', '/domains/acme.example/aliases'],
    ['DELETE', '/domains/acme.example/aliases?all=true'],
    ['POST', '/domains/acme.example/aliases/batch'],
    ['GET', '/domains/acme.example/rules'],
    ['PUT', '/domains/acme.example/rules/batch'],
    ['GET', '/domains/acme.example/credentials'],
    ['DELETE', '/domains/acme.example/credentials/carol'],
  ])('%s %s requires it', async (method, path) => {
    const headers = { Authorization: basic('api:wrong-key') };
    expectFailure(await target.send(method, path, undefined, headers), 401);
  });

  test('a wrong key changes nothing', async () => {
    const domain = await target.emptyDomain();
    const headers = { Authorization: basic('api:wrong-key') };
    await target.send('DELETE', `/domains/${domain}`, undefined, headers);
    expect((await target.send('GET', `/domains/${domain}`)).status).toBe(200);
  });
});

describe('v4: Errors', () => {
  test('on validation failures message repeats the first field message', async () => {
    const body = expectFailure(await target.send('POST', '/domains', {}), 400);
    expect(body.message).toBe(body.errors.domain[0]);
  });

  test('errors is an empty object when no field is at fault', async () => {
    const body = expectFailure(await target.send('GET', `/domains/${target.freshName()}`), assumed(404));
    expect(body.errors).toEqual({});
  });

  test('an error body has message and errors alone', async () => {
    const { body } = await target.send('POST', '/domains', {});
    expect(Object.keys(body).toSorted()).toEqual(['errors', 'message']);
  });

  test.each([
    ['cut JSON', '{"domain": '],
    ['no JSON', 'domain=acme.example'],
    ['a list', '[]'],
    ['a string', '"acme.example"'],
    ['null', 'null'],
    ['a number', '7'],
    ['two values', '{} {}'],
    ['nesting without end', '['.repeat(100_000)],
    ['nothing', ''],
  ])('a body of %s is 400', async (_name, text) => {
    expectFailure(await target.send('POST', '/domains', text), 400);
  });

  test.each(['__proto__', 'constructor', 'toString'])('a field named %s does no harm', async (name) => {
    expectFailure(await target.send('POST', '/domains', `{"${name}": {"domain": "a.example"}}`), 400);
    expect((await target.send('GET', '/account')).status).toBe(200);
  });

  test('a body of 32 MiB is refused', async () => {
    const text = JSON.stringify({ domain: 'x'.repeat(32 * 1024 * 1024) });
    const refused = await target.send('POST', '/domains', text).then(
      ({ status }) => status,
      // The connection may end while the body is being sent.
      () => 413,
    );
    expect(refused).toEqual(isExternal ? expect.any(Number) : 413);
    expect((await target.send('GET', '/account')).status).toBe(200);
  });

  test.each([
    ['GET', '/'],
    ['GET', ''],
    ['GET', '/nothing'],
    ['POST', '/account/x'],
    ['GET', '/domains/a/b/c/d/e'],
    ['GET', '/domains/%ZZ'],
    ['GET', '/domains/%00'],
    ['GET', '/domains//aliases'],
    ['PATCH', '/domains'],
    ['OPTIONS', '/domains'],
    ['PUT', '/domains'],
  ])('%s %s serves nothing', async (method, path) => {
    const answer = await target.send(method, path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expectFailure(answer, answer.status);
  });

  test('answers are JSON', async () => {
    for (const path of ['/account', '/nothing']) {
      const { headers } = await target.send('GET', path);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  test('an unknown query parameter is ignored', async () => {
    expect((await target.send('GET', '/domains?colour=blue')).status).toBe(200);
  });

  test('a percent-encoded segment is decoded', async () => {
    const domain = await target.emptyDomain();
    const answer = await target.send('GET', `/domains/${domain.replaceAll('.', '%2E')}`);
    expect(answer.body.domain.domain).toBe(domain);
  });
});

describe('v4: Limits: headers', () => {
  test.each([
    ['a success', 'GET', '/domains', undefined],
    ['an answer without body', 'DELETE', '/domains/DOMAIN', undefined],
    ['a bad request', 'POST', '/domains', {}],
    ['malformed JSON', 'POST', '/domains', '{'],
    ['an unknown domain', 'GET', '/domains/unknown.suite.example', undefined],
    ['an unknown path', 'GET', '/nothing', undefined],
  ])('%s carries them', async (_name, method, path, body) => {
    const domain = path.includes('DOMAIN') ? await target.emptyDomain() : '';
    const { headers } = await target.send(method, path.replace('DOMAIN', domain), body);
    const limit = Number(headers.get('x-ratelimit-limit'));
    const remaining = Number(headers.get('x-ratelimit-remaining'));
    expect(limit).toBeGreaterThan(0);
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThan(limit);
    const reset = headers.get('x-ratelimit-reset') ?? '';
    expect(reset).toMatch(/^\d+$/);
    const date = Date.parse(headers.get('date') ?? '') / 1000;
    expect(Number(reset)).toBeGreaterThanOrEqual(date);
    expect(Number(reset)).toBeLessThanOrEqual(date + 3600);
    expect(headers.get('retry-after')).toBeNull();
  });

  test('a 401 carries them', async () => {
    const { headers } = await target.send('GET', '/account', undefined, { Authorization: 'x' });
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  });
});
