import { describe, expect, test } from 'vitest';
import { assumed, expectV3Failure, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const forward = 'ana@corp.example';

async function addDomain(fields: Record<string, unknown> = {}): Promise<Body> {
  const { status, body } = await target.send('POST', '/domains', { domain: target.freshName(), ...fields });
  expect(status).toBe(200);
  return body.domain;
}

async function get(domain: string): Promise<Body> {
  return (await target.send('GET', `/domains/${domain}`)).body.domain;
}

async function accountEmail(): Promise<string> {
  return (await target.send('GET', '/account')).body.account.email;
}

describe('v3: Domains: add', () => {
  test('the answer has domain and success', async () => {
    const { status, body } = await target.send('POST', '/domains', { domain: target.freshName() });
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['domain', 'success']);
    expect(body.success).toBe(true);
  });

  test.each([
    ['active', false],
    ['display', expect.any(String)],
    ['dkim_selector', expect.any(String)],
    ['webhook', null],
    ['whitelabel', null],
    ['aliases', expect.any(Array)],
  ])('field %s of a new domain', async (field, shape) => {
    expect((await addDomain())[field]).toEqual(shape);
  });

  test('added is in epoch milliseconds', async () => {
    const { domain, added } = await addDomain();
    const v4 = (await target.v4('GET', `/domains/${domain}`)).body.domain;
    expect(Math.floor(added / 1000)).toBe(Date.parse(v4.created_at) / 1000);
  });

  test('it has none of the fields that v4 has in place of these', async () => {
    const domain = await addDomain();
    for (const field of ['forwarding_ready', 'send_ready', 'created_at', 'updated_at']) {
      expect(domain).not.toHaveProperty(field);
    }
  });

  test('the aliases that came with it are embedded (field notes)', async () => {
    const { domain, aliases } = await addDomain();
    const listed = await target.send('GET', `/domains/${domain}/aliases`);
    expect(aliases).toEqual(listed.body.aliases);
  });

  test('notification_email defaults to the account email', async () => {
    expect((await addDomain()).notification_email).toBe(await accountEmail());
  });

  test('notification_email and whitelabel are kept', async () => {
    const fields = { notification_email: 'ops@corp.example', whitelabel: 'mail.partner.example' };
    const { domain } = await addDomain(fields);
    expect(await get(domain)).toMatchObject(fields);
  });

  test.each([
    ['no domain', {}, 'domain'],
    ['a number', { domain: 7 }, 'domain'],
    ['no domain name', { domain: 'not a domain' }, 'domain'],
  ])('%s is a field error', async (_name, fields, field) => {
    expect(expectV3Failure(await target.send('POST', '/domains', fields), 400).errors).toHaveProperty(field);
  });

  test('a notification_email that is no address is a field error', async () => {
    const fields = { domain: target.freshName(), notification_email: 'nobody' };
    const body = expectV3Failure(await target.send('POST', '/domains', fields), 400);
    expect(body.errors).toHaveProperty('notification_email');
  });

  test('a domain that exists is a field error that says "already" (field notes)', async () => {
    const { domain } = await addDomain();
    const body = expectV3Failure(await target.send('POST', '/domains', { domain }), 400);
    expect(body.errors.domain[0]).toContain('already');
  });
});

describe('v3: Domains: get', () => {
  test('the answer has domain and success', async () => {
    const { domain } = await addDomain();
    const { status, body } = await target.send('GET', `/domains/${domain}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, domain: { domain } });
    expect(Object.keys(body)).toHaveLength(2);
  });

  test('daily_quota is an integer where it is there', async () => {
    const { domain } = await addDomain();
    const { daily_quota = 0 } = await get(domain);
    expect(Number.isInteger(daily_quota)).toBe(true);
  });

  test('embedded aliases have alias, forward and id', async () => {
    const domain = await target.emptyDomain();
    await target.send('POST', `/domains/${domain}/aliases`, { alias: 'sales', forward });
    const { aliases } = await get(domain);
    expect(aliases).toMatchObject([{ alias: 'sales', forward, id: expect.any(Number) }]);
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s of an unknown domain is 404 (field notes)', async (method) => {
    const path = `/domains/${target.freshName()}`;
    expectV3Failure(await target.send(method, path, method === 'PUT' ? {} : undefined), assumed(404));
  });
});

describe('v3: Limits: aliases embedded per domain', () => {
  test('200 of 201; the list-aliases endpoint serves the rest', async () => {
    const domain = await target.emptyDomain();
    const aliases = Array.from({ length: 201 }, (_, n) => ({ alias: `a${n}`, forward }));
    await target.send('POST', `/domains/${domain}/aliases/batch`, { aliases });
    expect((await get(domain)).aliases).toHaveLength(200);
    const listed = (await target.send('GET', `/domains?q=${domain}`)).body.domains[0];
    expect(listed.aliases).toHaveLength(200);
    expect((await target.send('GET', `/domains/${domain}/aliases`)).body.total).toBe(201);
  });
});

describe('v3: Domains: update', () => {
  test('notification_email, webhook and whitelabel are set', async () => {
    const { domain } = await addDomain();
    const fields = {
      notification_email: 'new@corp.example',
      webhook: 'https://hooks.corp.example/events',
      whitelabel: 'w.example',
    };
    const { status, body } = await target.send('PUT', `/domains/${domain}`, fields);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, domain: { domain, ...fields } });
    expect(await get(domain)).toMatchObject(fields);
  });

  test('the domain name cannot be changed', async () => {
    const { domain } = await addDomain();
    await target.send('PUT', `/domains/${domain}`, { domain: target.freshName() });
    expect((await get(domain)).domain).toBe(domain);
  });

  test.each([
    ['notification_email', 5],
    ['notification_email', 'nobody'],
    ['webhook', 5],
    ['webhook', 'nowhere'],
    ['webhook', 'ftp://files.example/'],
    ['whitelabel', ['x']],
  ])('%s of %j is a field error', async (field, value) => {
    const { domain } = await addDomain();
    const answer = await target.send('PUT', `/domains/${domain}`, { [field]: value });
    expect(expectV3Failure(answer, 400).errors).toHaveProperty(field);
  });
});

describe('v3: Domains: check', () => {
  test('200 with records and success, which says whether MX is right', async () => {
    const { domain } = await addDomain();
    const { status, body } = await target.send('GET', `/domains/${domain}/check`);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['records', 'success']);
    expect(body.success).toBe(body.records.mx.valid);
  });

  test('records.error holds the reason when MX is not right', async () => {
    const { domain } = await addDomain();
    const { body } = await target.send('GET', `/domains/${domain}/check`);
    expect(body.records.error === null).toBe(body.success);
  });

  test('records have the shape of v4', async () => {
    const { domain } = await addDomain();
    const { body } = await target.send('GET', `/domains/${domain}/check`);
    expect(body.records).toEqual((await target.v4('POST', `/domains/${domain}/verify`)).body.records);
  });

  test('an unknown domain is 404 (field notes)', async () => {
    expectV3Failure(await target.send('GET', `/domains/${target.freshName()}/check`), assumed(404));
  });
});

describe('v3: Domains: delete', () => {
  test('200 with success alone, and the domain is gone', async () => {
    const { domain } = await addDomain();
    const { status, body } = await target.send('DELETE', `/domains/${domain}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expectV3Failure(await target.send('GET', `/domains/${domain}`), assumed(404));
  });

  test('aliases, rules and credentials go with it (field notes)', async () => {
    const domain = await target.emptyDomain();
    const root = `/domains/${domain}`;
    await target.send('POST', `${root}/aliases`, { alias: 'a', forward });
    await target.send('POST', `${root}/rules`, { type: 'alias', config: { alias: 'a', forward } });
    await target.send('POST', `${root}/credentials`, { username: 'a', password: 'long enough' });
    await target.send('DELETE', root);
    await target.send('POST', '/domains', { domain });
    const { aliases } = (await target.send('GET', `${root}/aliases`)).body;
    expect(aliases.map((alias: Body) => alias.alias)).not.toContain('a');
    expect((await target.send('GET', `${root}/rules`)).body.total).toBe(0);
    expect((await target.send('GET', `${root}/credentials`)).body.credentials).toEqual([]);
  });
});
