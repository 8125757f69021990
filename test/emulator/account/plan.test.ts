import { afterEach, describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../../src/emulator/http/server.ts';
import { expectFailure, startTestEmulator, type Send } from '../support/target.ts';

const forward = 'ana@corp.example';
let stop = async (): Promise<void> => {};

afterEach(() => stop());

async function start(options: Partial<ServerOptions>): Promise<Send> {
  const { emulator, send } = await startTestEmulator({
    state: { domains: [{ domain: 'acme.example' }, { domain: 'other.example' }] },
    ...options,
  });
  stop = () => emulator.close();
  return send;
}

function addAlias(send: Send, alias: string, domain: string = 'acme.example') {
  return send('POST', `/domains/${domain}/aliases`, { alias, forward });
}

function addRule(send: Send, domain: string = 'acme.example') {
  return send('POST', `/domains/${domain}/rules`, { type: 'alias', config: { alias: 'a', forward } });
}

describe('v4: Aliases: batch create requires a paid plan', () => {
  const body = { aliases: [{ alias: 'a', forward }] };

  test('403 on a free account, and nothing is added', async () => {
    const send = await start({ plan: 'free' });
    expectFailure(await send('POST', '/domains/acme.example/aliases/batch', body), 403);
    expect((await send('GET', '/domains/acme.example/aliases')).body.total).toBe(0);
  });

  test('200 on a paid account', async () => {
    const send = await start({ plan: 'paid' });
    expect((await send('POST', '/domains/acme.example/aliases/batch', body)).status).toBe(200);
  });

  test('update and delete in a batch are for everybody', async () => {
    const send = await start({ plan: 'free' });
    const { id } = (await addAlias(send, 'a')).body.alias;
    const updated = await send('PUT', '/domains/acme.example/aliases/batch', {
      aliases: [{ id, forward: 'b@corp.example' }],
    });
    expect(updated.status).toBe(200);
    const deleted = await send('DELETE', '/domains/acme.example/aliases/batch', { ids: [id] });
    expect(deleted.status).toBe(200);
  });

  test.each([
    ['refuse-aliases', 403, 200],
    ['refuse-all', 403, 403],
    ['allow', 200, 200],
  ] as const)('switch freeBatchCreate %s', async (freeBatchCreate, aliases, rules) => {
    const send = await start({ plan: 'free', switches: { freeBatchCreate } });
    const added = await send('POST', '/domains/acme.example/aliases/batch', body);
    expect(added.status).toBe(aliases);
    const rule = { type: 'alias', config: { alias: 'a', forward } };
    const ruled = await send('POST', '/domains/acme.example/rules/batch', { rules: [rule] });
    expect(ruled.status).toBe(rules);
  });
});

describe('v4: Limits: account plan limits', () => {
  const limited = 'Your account is limited to';

  test('domains_limit', async () => {
    const send = await start({ limits: { domains_limit: 3 } });
    expect((await send('POST', '/domains', { domain: 'third.example' })).status).toBe(200);
    const body = expectFailure(await send('POST', '/domains', { domain: 'fourth.example' }), 400);
    expect(body.message).toMatch(new RegExp(`^${limited}`));
  });

  test('aliases_limit over the account', async () => {
    const send = await start({ limits: { aliases_limit: 2 } });
    expect((await addAlias(send, 'a')).status).toBe(200);
    expect((await addAlias(send, 'a', 'other.example')).status).toBe(200);
    expect(expectFailure(await addAlias(send, 'b'), 400).message).toContain(limited);
  });

  test('a delete makes room', async () => {
    const send = await start({ limits: { aliases_limit: 1 } });
    const { id } = (await addAlias(send, 'a')).body.alias;
    await send('DELETE', `/domains/acme.example/aliases/${id}`);
    expect((await addAlias(send, 'b')).status).toBe(200);
  });

  test('the delete of a domain makes room for aliases and rules', async () => {
    const send = await start({ limits: { aliases_limit: 1, rules_limit: 1 } });
    await addAlias(send, 'a', 'other.example');
    await addRule(send, 'other.example');
    await send('DELETE', '/domains/other.example');
    expect((await addAlias(send, 'b')).status).toBe(200);
    expect((await addRule(send)).status).toBe(200);
  });

  test('switch aliasesLimitPer domain', async () => {
    const send = await start({ limits: { aliases_limit: 1 }, switches: { aliasesLimitPer: 'domain' } });
    expect((await addAlias(send, 'a')).status).toBe(200);
    expect((await addAlias(send, 'a', 'other.example')).status).toBe(200);
    expectFailure(await addAlias(send, 'b'), 400);
  });

  test.each([
    ['account', 400],
    ['domain', 200],
  ] as const)('switch rulesLimitPer %s', async (rulesLimitPer, status) => {
    const send = await start({ limits: { rules_limit: 1 }, switches: { rulesLimitPer } });
    expect((await addRule(send)).status).toBe(200);
    expect((await addRule(send, 'other.example')).status).toBe(status);
    expectFailure(await addRule(send), 400);
  });

  test('in a batch the items beyond the limit fail', async () => {
    const send = await start({ limits: { aliases_limit: 2 } });
    const aliases = ['a', 'b', 'c', 'd'].map((alias) => ({ alias, forward }));
    const { status, body } = await send('POST', '/domains/acme.example/aliases/batch', { aliases });
    expect(status).toBe(207);
    expect(body.added_count).toBe(2);
    expect(body.failed.map((entry: { index: number }) => entry.index)).toEqual([2, 3]);
    expect(body.failed[0].message).toContain(limited);
  });

  test.each([0, null])('a limit of %s lets everything in (field notes)', async (limit) => {
    const send = await start({ limits: { aliases_limit: limit, domains_limit: limit } });
    expect((await addAlias(send, 'a')).status).toBe(200);
    expect((await send('GET', '/account')).body.account.plan.aliases_limit).toBe(limit);
  });

  test('switch overLimitStatus', async () => {
    const send = await start({ limits: { domains_limit: 2 }, switches: { overLimitStatus: 403 } });
    expectFailure(await send('POST', '/domains', { domain: 'third.example' }), 403);
  });
});

describe('a locked account', () => {
  const state = {
    account: { locked: true, lock_reason: 'Payment failed.' },
    domains: [{ domain: 'acme.example' }],
  };

  test('reads are answered, writes refused', async () => {
    const send = await start({ state });
    expect((await send('GET', '/account')).body.account.locked).toBe(true);
    expect((await send('GET', '/domains')).status).toBe(200);
    expect(expectFailure(await addAlias(send, 'a'), 403).message).toBe('Payment failed.');
  });

  test('switch lockedAccount allow', async () => {
    const send = await start({ state, switches: { lockedAccount: 'allow' } });
    expect((await addAlias(send, 'a')).status).toBe(200);
  });
});
