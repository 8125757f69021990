import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { targetKey, useTarget, type Body } from '../support/target.ts';

/**
 * Requests as the known public clients of v3 send them: the key in plain text, a slash at the end, a JSON content type and
 * a body with every method. Such a client must work when only its address is changed.
 */
const target = useTarget('v3');
const forward = 'ana@corp.example';

/** Result that these clients report for a failure. */
class ClientError extends Error {
  readonly code: number;
  readonly errors: Body;

  constructor(answer: Body) {
    super(answer.error);
    this.code = answer.code;
    this.errors = answer.errors;
  }
}

/** `payload` undefined: the clients encode it as `null`. */
async function call(method: string, path: string, payload?: object): Promise<Body> {
  const sent = request(target.url('v3') + path, {
    method,
    headers: {
      Authorization: `Basic api:${targetKey()}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'client/1.0',
      'Transfer-Encoding': 'chunked',
    },
  });
  sent.end(JSON.stringify(payload ?? null));
  const [response] = await once(sent, 'response');
  const answer = JSON.parse(await text(response));
  if (answer.success === true) return answer;
  throw new ClientError(answer);
}

async function failure(call: Promise<Body>): Promise<ClientError> {
  return call.then(
    () => expect.unreachable('it must fail'),
    (error: unknown) => error as ClientError,
  );
}

describe('v3: Protocol (field notes): a client of the public service', () => {
  test('account', async () => {
    expect((await call('GET', '/account/')).account.email).toContain('@');
    expect((await call('GET', '/account/whitelabels/')).whitelabels).toEqual(expect.any(Array));
  });

  test('a domain from its first to its last day', async () => {
    const domain = target.freshName();
    const added = await call('POST', '/domains/', { domain });
    expect(added.domain).toMatchObject({ domain, active: expect.any(Boolean), aliases: expect.any(Array) });
    expect((await call('GET', `/domains/?q=${domain}&limit=50&page=1`)).domains).toHaveLength(1);
    const changed = await call('PUT', `/domains/${domain}/`, { notification_email: 'ops@corp.example' });
    expect(changed.domain.notification_email).toBe('ops@corp.example');
    await call('DELETE', `/domains/${domain}/`);
    const error = await failure(call('GET', `/domains/${domain}/`));
    expect([error.message === '', error.code >= 400]).toEqual([false, true]);
  });

  test('aliases by name and by integer id', async () => {
    const root = `/domains/${await target.emptyDomain()}/aliases`;
    const { alias } = await call('POST', `${root}/`, { alias: 'sales', forward });
    expect(Number.isInteger(alias.id)).toBe(true);
    for (const key of [alias.alias, alias.id]) {
      expect((await call('GET', `${root}/${key}`)).alias).toMatchObject({ alias: 'sales', id: alias.id });
      const changed = await call('PUT', `${root}/${key}/`, { forward: `${key}@corp.example` });
      expect(changed.alias.forward).toBe(`${key}@corp.example`);
    }
    await call('DELETE', `${root}/sales`);
    const again = await call('POST', `${root}/`, { alias: 'sales', forward });
    expect(await call('DELETE', `${root}/${again.alias.id}/`)).toEqual({ success: true });
    expect((await call('GET', `${root}/?page=1`)).total).toBe(0);
  });

  test('the catch-all is there, or can be made', async () => {
    const root = `/domains/${await target.emptyDomain()}/aliases`;
    await call('POST', root, { alias: '*', forward });
    expect((await call('PUT', `${root}/*`, { forward: 'ben@corp.example' })).alias.alias).toBe('*');
    expect((await call('GET', `${root}/%2A/`)).alias.forward).toBe('ben@corp.example');
  });

  test('errors are read from error, code and errors', async () => {
    const root = `/domains/${await target.emptyDomain()}/aliases`;
    const missing = await failure(call('POST', root, { alias: 'sales' }));
    expect(missing).toMatchObject({ code: 400, errors: { forward: [expect.any(String)] } });
    await call('POST', root, { alias: 'sales', forward });
    const double = await failure(call('POST', root, { alias: 'sales', forward }));
    expect(double.code).toBe(400);
    expect(double.errors.alias[0]).toContain('update the existing');
    expect(double.message).toBe(double.errors.alias[0]);
  });

  test('rules, credentials, verification and logs', async () => {
    const root = `/domains/${await target.emptyDomain()}`;
    const config = { alias: 'jobs', forward };
    const { rule } = await call('POST', `${root}/rules/`, { type: 'alias', config });
    expect((await call('GET', `${root}/rules/`)).rules).toEqual([rule]);
    await call('DELETE', `${root}/rules/${rule.id}/`);
    const credential = { username: 'carol', password: 'correct horse' };
    expect((await call('POST', `${root}/credentials/`, credential)).requires_new_mx_check).toBe(true);
    await call('DELETE', `${root}/credentials/carol/`);
    expect((await call('GET', `${root}/logs/`)).logs).toEqual([]);
    const { body } = await target.send('GET', `${root}/check/`);
    expect(body).toMatchObject({ records: { mx: expect.any(Object) }, success: expect.any(Boolean) });
  });
});
