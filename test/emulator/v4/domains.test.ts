import { describe, expect, test } from 'vitest';
import { isExternal, assumed, expectFailure, TIMESTAMP, useTarget } from '../support/target.ts';

const target = useTarget();

async function addDomain(fields: Record<string, unknown> = {}): Promise<string> {
  const domain = target.freshName();
  expect((await target.send('POST', '/domains', { domain, ...fields })).status).toBe(200);
  return domain;
}

async function accountEmail(): Promise<string> {
  return (await target.send('GET', '/account')).body.account.email;
}

describe('v4: Domains: add', () => {
  test('the answer has the key domain alone', async () => {
    const { status, body } = await target.send('POST', '/domains', { domain: target.freshName() });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['domain']);
  });

  test.each([
    ['forwarding_ready', false],
    ['send_ready', false],
    ['banned', expect.any(Boolean)],
    ['notify_when_spam_blocked', expect.any(Boolean)],
    ['strict_mxes', expect.any(Boolean)],
    ['whitelabel', null],
    ['created_at', expect.stringMatching(TIMESTAMP)],
    ['updated_at', expect.stringMatching(TIMESTAMP)],
  ])('field %s of a new domain', async (field, shape) => {
    const { body } = await target.send('POST', '/domains', { domain: target.freshName() });
    expect(body.domain[field]).toEqual(shape);
  });

  test('there is no field beside those of the table', async () => {
    const { body } = await target.send('POST', '/domains', { domain: target.freshName() });
    expect(Object.keys(body.domain).toSorted()).toEqual([
      'banned',
      'created_at',
      'domain',
      'forwarding_ready',
      'notification_email',
      'notify_when_spam_blocked',
      'routing_engine',
      'rules_fallback_email',
      'send_ready',
      'strict_mxes',
      'updated_at',
      'whitelabel',
    ]);
  });

  test('routing_engine is alias unless it is set', async () => {
    const { body } = await target.send('POST', '/domains', { domain: target.freshName() });
    // The specification does not state the default, so another service may have a different one.
    expect(isExternal ? [null, 'alias', 'rules'] : ['alias']).toContain(body.domain.routing_engine);
  });

  test('notification_email defaults to the account email', async () => {
    const domain = await addDomain();
    const { body } = await target.send('GET', `/domains/${domain}`);
    expect(body.domain.notification_email).toBe(await accountEmail());
  });

  test('notification_email and whitelabel are kept', async () => {
    const domain = await addDomain({
      notification_email: 'ops@corp.example',
      whitelabel: 'mail.partner.example',
    });
    const { body } = await target.send('GET', `/domains/${domain}`);
    expect(body.domain).toMatchObject({
      notification_email: 'ops@corp.example',
      whitelabel: 'mail.partner.example',
    });
  });

  test('domain is required', async () => {
    const body = expectFailure(await target.send('POST', '/domains', {}), 400);
    expect(body.errors).toHaveProperty('domain');
  });

  test.each([
    ['a number', { domain: 7 }, 'domain'],
    ['null', { domain: null }, 'domain'],
    ['an empty string', { domain: '' }, 'domain'],
    ['no domain name', { domain: 'not a domain' }, 'domain'],
    ['a single label', { domain: 'localhost' }, 'domain'],
    ['a path', { domain: '../account' }, 'domain'],
  ])('%s as domain is a field error', async (_name, fields, field) => {
    const body = expectFailure(await target.send('POST', '/domains', fields), 400);
    expect(body.errors).toHaveProperty(field);
  });

  test('a notification_email that is no address is a field error', async () => {
    const domain = target.freshName();
    const answer = await target.send('POST', '/domains', { domain, notification_email: 'nobody' });
    expect(expectFailure(answer, 400).errors).toHaveProperty('notification_email');
  });

  test('a domain that exists is a field error that says "already" (field notes)', async () => {
    const domain = await addDomain();
    const body = expectFailure(await target.send('POST', '/domains', { domain }), 400);
    expect(body.errors.domain[0]).toContain('already');
  });

  test('a domain that exists in other case is the same one', async () => {
    const domain = await addDomain();
    expectFailure(await target.send('POST', '/domains', { domain: domain.toUpperCase() }), 400);
  });
});

describe('v4: Domains: get', () => {
  test('a domain is found', async () => {
    const domain = await addDomain();
    const { status, body } = await target.send('GET', `/domains/${domain}`);
    expect(status).toBe(200);
    expect(body.domain.domain).toBe(domain);
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s of an unknown domain is 404', async (method) => {
    expectFailure(
      await target.send(method, `/domains/${target.freshName()}`, method === 'PUT' ? {} : undefined),
      assumed(404),
    );
  });
});

describe('v4: Domains: update', () => {
  test('the answer is the domain with updated values and a new updated_at', async () => {
    const domain = await addDomain();
    const before = (await target.send('GET', `/domains/${domain}`)).body.domain;
    await target.passSecond();
    const { status, body } = await target.send('PUT', `/domains/${domain}`, {
      notification_email: 'new@corp.example',
      whitelabel: 'w.example',
    });
    expect(status).toBe(200);
    expect(body.domain).toMatchObject({
      notification_email: 'new@corp.example',
      whitelabel: 'w.example',
      created_at: before.created_at,
    });
    expect(body.domain.updated_at > before.updated_at).toBe(true);
  });

  test('the domain name cannot be changed', async () => {
    const domain = await addDomain();
    await target.send('PUT', `/domains/${domain}`, { domain: target.freshName() });
    expect((await target.send('GET', `/domains/${domain}`)).body.domain.domain).toBe(domain);
  });

  test('notification_email left out is the account email afterwards', async () => {
    const domain = await addDomain({ notification_email: 'ops@corp.example' });
    await target.send('PUT', `/domains/${domain}`, { whitelabel: 'w.example' });
    const { body } = await target.send('GET', `/domains/${domain}`);
    // The API does not state whether a missing field returns to its default.
    const stated = isExternal ? (expect.any(String) as unknown) : await accountEmail();
    expect(body.domain.notification_email).toEqual(stated);
  });

  test.each([
    ['routing_engine', 'rules'],
    ['rules_fallback_email', 'x@corp.example'],
    ['strict_mxes', true],
    ['banned', true],
  ])('%s cannot be set', async (field, value) => {
    const domain = await addDomain();
    const before = (await target.send('GET', `/domains/${domain}`)).body.domain;
    await target.send('PUT', `/domains/${domain}`, { [field]: value });
    const after = (await target.send('GET', `/domains/${domain}`)).body.domain;
    expect(after[field]).toEqual(before[field]);
  });

  test.each([
    ['notification_email', 5],
    ['notification_email', 'nobody'],
    ['whitelabel', ['x']],
  ])('%s of %j is a field error', async (field, value) => {
    const domain = await addDomain();
    const answer = await target.send('PUT', `/domains/${domain}`, { [field]: value });
    expect(expectFailure(answer, 400).errors).toHaveProperty(field);
  });
});

describe('v4: Domains: delete', () => {
  test('the answer is 204 without body', async () => {
    const domain = await addDomain();
    const { status, body } = await target.send('DELETE', `/domains/${domain}`);
    expect(status).toBe(204);
    expect(body).toBeUndefined();
  });

  test('the domain is gone', async () => {
    const domain = await addDomain();
    await target.send('DELETE', `/domains/${domain}`);
    expectFailure(await target.send('GET', `/domains/${domain}`), assumed(404));
  });

  test('aliases, rules and credentials go with it (field notes)', async () => {
    const domain = await target.emptyDomain();
    const forward = 'x@corp.example';
    await target.send('POST', `/domains/${domain}/aliases`, { alias: 'a', forward });
    await target.send('POST', `/domains/${domain}/rules`, {
      type: 'alias',
      config: { alias: 'a', forward },
    });
    await target.send('POST', `/domains/${domain}/credentials`, {
      username: 'a',
      password: 'long enough',
    });
    await target.send('DELETE', `/domains/${domain}`);
    await target.send('POST', '/domains', { domain });
    const aliases = (await target.send('GET', `/domains/${domain}/aliases`)).body.aliases;
    expect(aliases.map((alias: { alias: string }) => alias.alias)).not.toContain('a');
    expect((await target.send('GET', `/domains/${domain}/rules`)).body.total).toBe(0);
    expect((await target.send('GET', `/domains/${domain}/credentials`)).body.total).toBe(0);
  });
});

describe('v4: Domain verification', () => {
  test('the answer has the key records alone', async () => {
    const domain = await addDomain();
    const { status, body } = await target.send('POST', `/domains/${domain}/verify`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['records']);
  });

  test.each(['dkim1', 'dkim2', 'dmarc', 'spf'])('record %s', async (name) => {
    const domain = await addDomain();
    const { body } = await target.send('POST', `/domains/${domain}/verify`);
    const record = body.records[name];
    expect(record).toMatchObject({ expected: expect.any(String), valid: expect.any(Boolean) });
    expect(record.values === null || typeof record.values === 'string').toBe(true);
  });

  test('record mx', async () => {
    const domain = await addDomain();
    const { body } = await target.send('POST', `/domains/${domain}/verify`);
    expect(body.records.mx).toMatchObject({
      expected: expect.any(Array),
      valid: expect.any(Boolean),
      values: expect.any(Array),
    });
  });

  test('provider, advanced, valid', async () => {
    const domain = await addDomain();
    const { body } = await target.send('POST', `/domains/${domain}/verify`);
    expect(body.records).toMatchObject({
      provider: expect.any(String),
      advanced: expect.any(Boolean),
      valid: expect.any(Boolean),
    });
  });

  test('error holds the reason when MX is not right', async () => {
    const domain = await addDomain();
    const { records } = (await target.send('POST', `/domains/${domain}/verify`)).body;
    expect(records.error === null).toBe(records.mx.valid);
  });

  test('an unknown domain is 404', async () => {
    expectFailure(await target.send('POST', `/domains/${target.freshName()}/verify`), assumed(404));
  });
});
