import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import { expectFailure, startTestEmulator, type Answer, type Send } from '../support/target.ts';

const forward = 'ana@corp.example';
const ROOT = '/domains/acme.example';

async function start(switches: Partial<Switches>): Promise<{ emulator: Emulator; send: Send }> {
  const { emulator, send } = await startTestEmulator({
    switches,
    state: { domains: [{ domain: 'acme.example' }, { domain: 'other.example' }] },
  });
  return { emulator, send };
}

describe('switch catchAllOnCreate', () => {
  test.each([
    ['both', ['*']],
    ['v4', ['*']],
    ['v3', []],
    ['none', []],
  ] as const)('%s, domain added through v4', async (catchAllOnCreate, names) => {
    const { send } = await start({ catchAllOnCreate });
    await send('POST', '/domains', { domain: 'new.example' });
    const { body } = await send('GET', '/domains/new.example/aliases');
    expect(body.aliases.map((item: { alias: string }) => item.alias)).toEqual(names);
  });

  test('the alias forwards to the account email', async () => {
    const { send } = await start({});
    await send('POST', '/domains', { domain: 'new.example' });
    const { account } = (await send('GET', '/account')).body;
    const { aliases } = (await send('GET', '/domains/new.example/aliases')).body;
    expect(aliases[0].forward).toBe(account.email);
  });
});

describe('switch aliasNameCase', () => {
  test.each([
    ['insensitive', 400, 'Sales'],
    ['sensitive', 200, 'Sales'],
    ['lowered', 400, 'sales'],
  ] as const)('%s', async (aliasNameCase, second, name) => {
    const { send } = await start({ aliasNameCase });
    const added = await send('POST', `${ROOT}/aliases`, { alias: 'Sales', forward });
    expect(added.body.alias.alias).toBe(name);
    const { status } = await send('POST', `${ROOT}/aliases`, { alias: 'sALES', forward });
    expect(status).toBe(second);
  });
});

describe('switch forwardEcho', () => {
  test.each([
    ['as-sent', 'B@Corp.Example ,  a@x.example'],
    ['compact', 'B@corp.example,a@x.example'],
    ['spaced', 'B@Corp.Example, a@x.example'],
    ['reversed', 'a@x.example,B@Corp.Example'],
    ['lower-case', 'b@corp.example,a@x.example'],
  ] as const)('%s', async (forwardEcho, expected) => {
    const { send } = await start({ forwardEcho });
    const sent = { alias: 'a', forward: 'B@Corp.Example ,  a@x.example' };
    const { body } = await send('POST', `${ROOT}/aliases`, sent);
    expect(body.alias.forward).toBe(expected);
  });
});

describe('switch ownDomainForward refuse', () => {
  test('forward and notification_email on the domain itself are refused', async () => {
    const { send } = await start({ ownDomainForward: 'refuse' });
    const alias = { alias: 'a', forward: 'x@ACME.example' };
    expectFailure(await send('POST', `${ROOT}/aliases`, alias), 400);
    expectFailure(await send('PUT', ROOT, { notification_email: 'x@acme.example' }), 400);
    expect((await send('POST', '/domains/other.example/aliases', alias)).status).toBe(200);
  });
});

describe('switch rankDigits', () => {
  test.each([
    [0, 1],
    [1, 1.2],
    [3, 1.235],
    ['all', 1.234_56],
  ] as const)('%s', async (rankDigits, expected) => {
    const { send } = await start({ rankDigits });
    const rule = { type: 'alias', config: { alias: 'a', forward }, rank: 1.234_56 };
    const { body } = await send('POST', `${ROOT}/rules`, rule);
    expect(body.rule.rank).toBe(expected);
    const { id } = body.rule;
    const updated = await send('PUT', `${ROOT}/rules/batch`, { rules: [{ id, rank: rule.rank }] });
    expect(updated.body.updated[0].rank).toBe(expected);
  });
});

describe('switch existingRuleId', () => {
  const id = randomUUID();
  const rule = (alias: string): object => ({ id, type: 'alias', config: { alias, forward } });

  async function addTwice(
    switches: Partial<Switches>,
    second: string,
  ): Promise<{ answer: Answer; send: Send }> {
    const { send } = await start(switches);
    await send('POST', `${ROOT}/rules`, rule('first'));
    return { send, answer: await send('POST', `/domains/${second}/rules`, rule('second')) };
  }

  async function namesIn(send: Send, domain: string): Promise<string[]> {
    const { body } = await send('GET', `/domains/${domain}/rules`);
    return body.rules.map((item: { config: { alias: string } }) => item.config.alias);
  }

  test.each([
    ['refuse', 400, ['first']],
    ['success', 200, ['first']],
    ['overwrite', 200, ['second']],
    ['second', 200, ['first', 'second']],
  ] as const)('%s', async (existingRuleId, status, names) => {
    const { send, answer } = await addTwice({ existingRuleId }, 'acme.example');
    expect(answer.status).toBe(status);
    expect(await namesIn(send, 'acme.example')).toEqual(names);
  });

  test('refuse names the field', async () => {
    const { answer } = await addTwice({ existingRuleId: 'refuse' }, 'acme.example');
    expect(expectFailure(answer, 400).errors).toHaveProperty('id');
  });

  test('an id of another domain is new by default', async () => {
    const { send, answer } = await addTwice({}, 'other.example');
    expect(answer.body.rule.id).toBe(id);
    expect(await namesIn(send, 'acme.example')).toEqual(['first']);
  });

  test.each([
    ['refuse', ['first'], []],
    ['success', ['first'], []],
    ['overwrite', ['second'], []],
    ['second', ['first'], ['second']],
  ] as const)('%s with ruleIdScope account', async (existingRuleId, here, there) => {
    const { send } = await addTwice({ existingRuleId, ruleIdScope: 'account' }, 'other.example');
    expect(await namesIn(send, 'acme.example')).toEqual(here);
    expect(await namesIn(send, 'other.example')).toEqual(there);
  });

  test('a batch follows the same switch', async () => {
    const { send } = await start({ existingRuleId: 'refuse' });
    const { body } = await send('POST', `${ROOT}/rules/batch`, { rules: [rule('a'), rule('b')] });
    expect(body).toMatchObject({ added_count: 1, failed: [{ index: 1 }] });
  });
});

describe('switch ruleIdScope account', () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const rule = { id, type: 'alias', config: { alias: 'jobs', forward } };

  test.each([
    ['the rule', `${ROOT}/rules/${id}`],
    ['all rules', `${ROOT}/rules?all=true`],
    ['the domain', ROOT],
  ])('an id is free again after the delete of %s', async (_what, path) => {
    const { send } = await start({ ruleIdScope: 'account' });
    const elsewhere = async (): Promise<number> =>
      (await send('POST', '/domains/other.example/rules', rule)).status;
    await send('POST', `${ROOT}/rules`, rule);
    expect(await elsewhere()).toBe(400);
    await send('DELETE', path);
    expect(await elsewhere()).toBe(200);
  });
});

describe('switch equalRanks', () => {
  test.each([
    ['created', ['b', 'a']],
    ['created-reversed', ['a', 'b']],
    ['id', ['a', 'b']],
  ] as const)('%s', async (equalRanks, expected) => {
    const { send } = await start({ equalRanks });
    for (const letter of ['b', 'a']) {
      const id = `${letter.repeat(8)}-0000-4000-8000-000000000000`;
      await send('POST', `${ROOT}/rules`, { id, type: 'alias', config: { alias: letter, forward }, rank: 1 });
    }
    const { body } = await send('GET', `${ROOT}/rules`);
    expect(body.rules.map((rule: { config: { alias: string } }) => rule.config.alias)).toEqual(expected);
  });
});

describe('switches of PUT /domains/:domain', () => {
  const stated = { notification_email: 'ops@corp.example', whitelabel: 'w.example' };

  test.each([
    ['clear', 200, { notification_email: null, whitelabel: null }],
    ['ignore', 200, stated],
    ['refuse', 400, stated],
  ] as const)('nullOnUpdate %s', async (nullOnUpdate, status, expected) => {
    const { send } = await start({ nullOnUpdate });
    await send('PUT', ROOT, stated);
    const answer = await send('PUT', ROOT, { notification_email: null, whitelabel: null });
    expect(answer.status).toBe(status);
    expect((await send('GET', ROOT)).body.domain).toMatchObject(expected);
  });

  test.each([
    ['reset', { notification_email: 'owner@account.example', whitelabel: null }],
    ['keep', stated],
  ] as const)('leftOutOnUpdate %s', async (leftOutOnUpdate, expected) => {
    const { send } = await start({ leftOutOnUpdate });
    await send('PUT', ROOT, stated);
    expect((await send('PUT', ROOT, {})).body.domain).toMatchObject(expected);
  });
});

describe('switches of status codes', () => {
  test('unknownStatus and unknownRuleStatus', async () => {
    const { send } = await start({ unknownStatus: 400, unknownRuleStatus: 410 });
    expectFailure(await send('GET', '/domains/unknown.example'), 400);
    expectFailure(await send('DELETE', `${ROOT}/aliases/7`), 400);
    expectFailure(await send('DELETE', `${ROOT}/credentials/x`), 400);
    expectFailure(await send('GET', `${ROOT}/rules/x`), 410);
  });

  test('unguardedDeleteAllStatus', async () => {
    const { send } = await start({ unguardedDeleteAllStatus: 403 });
    expectFailure(await send('DELETE', `${ROOT}/aliases`), 403);
    expectFailure(await send('DELETE', `${ROOT}/rules`), 403);
  });

  test('oversizedBatchStatus', async () => {
    const { send } = await start({ oversizedBatchStatus: 413 });
    const ids = Array.from({ length: 501 }, String);
    expectFailure(await send('DELETE', `${ROOT}/aliases/batch`, { ids }), 413);
  });

  test.each([
    ['clamp', 200],
    ['refuse', 400],
  ] as const)('limitOverMaximum %s', async (limitOverMaximum, status) => {
    const { send } = await start({ limitOverMaximum });
    const answer = await send('GET', `${ROOT}/aliases?limit=201`);
    expect(answer.status).toBe(status);
    expect((await send('GET', `${ROOT}/aliases?limit=200`)).body.limit).toBe(200);
  });

  test.each([
    ['ignore', 200],
    ['refuse', 400],
  ] as const)('unknownFields %s', async (unknownFields, status) => {
    const { send } = await start({ unknownFields });
    const answer = await send('POST', `${ROOT}/aliases`, { alias: 'a', forward, colour: 'blue' });
    expect(answer.status).toBe(status);
    if (status === 400) expect(expectFailure(answer, 400).errors).toHaveProperty('colour');
  });

  test.each([
    ['required', 400],
    ['optional', 200],
  ] as const)('passwordOnUpdate %s', async (passwordOnUpdate, status) => {
    const { send } = await start({ passwordOnUpdate });
    await send('POST', `${ROOT}/credentials`, { username: 'a', password: 'long enough' });
    expect((await send('PUT', `${ROOT}/credentials/a`, {})).status).toBe(status);
  });
});

describe('switch dnsOnCreate', () => {
  test.each([
    ['missing', false],
    ['valid', true],
  ] as const)('%s: a verification moves the flags', async (dnsOnCreate, ready) => {
    const { send } = await start({ dnsOnCreate });
    await send('POST', '/domains', { domain: 'new.example' });
    const { records } = (await send('POST', '/domains/new.example/verify')).body;
    expect(records).toMatchObject({ valid: ready, mx: { valid: ready }, spf: { valid: ready } });
    const { domain } = (await send('GET', '/domains/new.example')).body;
    expect(domain).toMatchObject({ forwarding_ready: ready, send_ready: ready });
  });
});

test('DNS can be put right later, record by record', async () => {
  const { emulator, send } = await start({});
  await send('POST', '/domains', { domain: 'new.example' });
  const domain = emulator.store.state.domains.get('new.example');
  Object.assign(domain?.fields.dns ?? {}, { mx: true, spf: true });
  expect((await send('GET', '/domains/new.example')).body.domain.forwarding_ready).toBe(false);
  const { records } = (await send('POST', '/domains/new.example/verify')).body;
  expect(records).toMatchObject({ valid: false, error: null, dkim1: { valid: false, values: null } });
  const after = (await send('GET', '/domains/new.example')).body.domain;
  expect(after).toMatchObject({ forwarding_ready: true, send_ready: false });
});

test('switches can be changed at run time', async () => {
  const { emulator, send } = await start({});
  emulator.store.state.switches.unknownStatus = 418;
  expectFailure(await send('GET', '/domains/unknown.example'), 418);
});
