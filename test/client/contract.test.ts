import { decodeForward } from '../../src/core/model/destinations.ts';
import { plainCommand } from '../../src/core/model/text/command-line.ts';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Result } from '../../src/core/model/result.ts';
import type { CredentialName, DomainName } from '../../src/core/model/names.ts';
import type { Seed } from '../../src/emulator/account/seed.ts';
import { EMAIL, testAccount, type TestAccount, type TestAccountOptions } from '../support/account.ts';

const DOMAIN = 'acme.example' as DomainName;
const NOWHERE = 'nowhere.example' as DomainName;
const CAROL = 'carol' as CredentialName;
const RULE = '64cffc51-580c-56bc-b6a5-d741eea021e1';
const OTHER_RULE = '28de9cce-a07a-5dba-bcb0-08d5672ef44a';

const SEED: Seed = {
  account: { email: EMAIL },
  domains: [
    {
      domain: DOMAIN,
      notification_email: 'ops@corp.example',
      whitelabel: null,
      routing_engine: 'rules',
      created_at: '2026-01-02T03:04:05Z',
      aliases: [
        { id: 7, alias: 'sales', forward: 'ana@corp.example', created_at: '2026-01-02T03:04:06Z' },
        { id: 8, alias: '*', forward: 'null' },
      ],
      rules: [
        {
          id: RULE,
          type: 'alias',
          config: { alias: 'jobs', forward: 'hr@corp.example' },
          rank: 10,
          active: false,
        },
        {
          id: OTHER_RULE,
          type: 'regex',
          config: { regex: '.*x.*', scopes: ['subject', 'body'], forward: 'ana@corp.example' },
          rank: 2.5,
        },
      ],
      credentials: [{ username: 'carol', password: 'correct horse' }],
    },
  ],
};

function valueOf<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Every expectation holds for either generation of the API: the interface is the same. */
describe.each(['v4', 'v3'] as const)('a client of %s', (version) => {
  async function connect(
    seed: Seed = SEED,
    options: TestAccountOptions = {},
  ): Promise<{ readonly account: TestAccount; readonly client: Client }> {
    const account = await testAccount(seed, { version, ...options });
    return { account, client: account.client() };
  }

  test('reads the account', async () => {
    const { client } = await connect();
    const account = valueOf(await client.getAccount());
    expect(account).toMatchObject({ email: EMAIL, locked: false, lockReason: null, overQuota: false });
    expect(account.plan.domainsLimit).toBeGreaterThan(0);
  });

  test('lists and gets domains', async () => {
    const { client } = await connect();
    const domain = {
      domain: DOMAIN,
      notification_email: 'ops@corp.example',
      whitelabel: null,
      routingEngine: 'rules',
      createdAt: Date.parse('2026-01-02T03:04:05Z'),
      readAt: null,
    };
    expect(valueOf(await client.listDomains())).toEqual([expect.objectContaining(domain)]);
    expect(valueOf(await client.getDomain(DOMAIN))).toMatchObject(domain);
    expect(valueOf(await client.listDomains({ query: 'cme' }))).toHaveLength(1);
    expect(valueOf(await client.listDomains({ query: 'other' }))).toEqual([]);
    expect(await client.getDomain(NOWHERE)).toMatchObject({
      ok: false,
      error: { kind: 'not-found', status: 404 },
    });
  });

  test('adds, updates and deletes domains', async () => {
    const { client } = await connect();
    const name = 'new.example' as DomainName;
    const added = valueOf(await client.addDomain(name, { notification_email: 'ana@corp.example' }));
    expect(added).toMatchObject({ domain: name, notification_email: 'ana@corp.example' });
    const updated = valueOf(
      await client.updateDomain(name, {
        notification_email: 'ben@corp.example',
        whitelabel: 'mail.partner.example',
      }),
    );
    expect(updated).toMatchObject({
      before: { notification_email: 'ana@corp.example', whitelabel: null },
      after: { notification_email: 'ben@corp.example', whitelabel: 'mail.partner.example' },
    });
    const kept = valueOf(await client.updateDomain(name, { whitelabel: null }));
    expect(kept.after).toMatchObject({ notification_email: 'ben@corp.example', whitelabel: null });
    expect(await client.deleteDomain(name)).toEqual({ ok: true, value: undefined });
    expect(await client.getDomain(name)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    const again = await client.addDomain(DOMAIN, {});
    expect(again).toMatchObject({ ok: false, error: { kind: 'rejected', status: 400 } });
    if (!again.ok && again.error.kind === 'rejected') expect(again.error.errors).toHaveProperty('domain');
  });

  test('lists, adds, updates and deletes aliases', async () => {
    const { client } = await connect();
    const aliases = valueOf(await client.items('alias').list(DOMAIN));
    expect(aliases.toSorted((a, b) => Number(a.id) - Number(b.id))).toMatchObject([
      {
        id: '7',
        name: 'sales',
        forward: decodeForward('ana@corp.example'),
      },
      { id: '8', name: '*', forward: decodeForward('null') },
    ]);
    const added = valueOf(
      await client.items('alias').add(DOMAIN, { name: '(a|b)', forward: decodeForward('x@corp.example') }),
    );
    expect(added).toMatchObject({ name: '(a|b)', forward: decodeForward('x@corp.example') });
    const updated = valueOf(
      await client.items('alias').update(DOMAIN, { id: added.id, forward: decodeForward('y@corp.example') }),
    );
    expect(updated).toMatchObject({ id: added.id, forward: decodeForward('y@corp.example') });
    expect(await client.items('alias').delete(DOMAIN, added.id)).toMatchObject({ ok: true });
    expect(await client.items('alias').delete(DOMAIN, added.id)).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
    expect(
      await client.items('alias').add(DOMAIN, { name: 'sales', forward: decodeForward('x@corp.example') }),
    ).toMatchObject({
      ok: false,
      error: { kind: 'rejected', status: 400, message: expect.stringContaining('update the existing') },
    });
  });

  test('adds, updates and deletes aliases in batches, each item with its own outcome', async () => {
    const { client } = await connect();
    const added = valueOf(
      await client.items('alias').addAll(DOMAIN, [
        { name: 'one', forward: decodeForward('x@corp.example') },
        { name: 'SALES', forward: decodeForward('x@corp.example') },
        { name: 'two', forward: decodeForward('not an address') },
        { name: 'three', forward: decodeForward('y@corp.example') },
      ]),
    );
    expect(added.map(({ ok }) => ok)).toEqual([true, false, false, true]);
    const one = added[0];
    const id = one?.ok === true ? one.value.id : '';
    const updated = valueOf(
      await client.items('alias').updateAll(DOMAIN, [
        { id: '999', forward: decodeForward('x@corp.example') },
        { id, forward: decodeForward('z@corp.example') },
      ]),
    );
    expect(updated).toMatchObject([
      { ok: false, error: { message: expect.stringMatching(/not found/i) } },
      { ok: true, value: { id, name: 'one', forward: decodeForward('z@corp.example') } },
    ]);
    const deleted = valueOf(await client.items('alias').deleteAll(DOMAIN, [id, '999']));
    expect(deleted).toMatchObject([{ ok: true, value: undefined }, { ok: false }]);
  });

  test('lists, adds, updates and deletes rules', async () => {
    const { client } = await connect();
    const rules = valueOf(await client.items('rule').list(DOMAIN));
    expect(rules.toSorted((a, b) => a.rank - b.rank)).toEqual([
      {
        id: OTHER_RULE,
        match: { type: 'regex', regex: '.*x.*', scopes: ['subject', 'body'] },
        forward: decodeForward('ana@corp.example'),
        rank: 2.5,
        active: true,
      },
      {
        id: RULE,
        match: { type: 'alias', alias: 'jobs' },
        forward: decodeForward('hr@corp.example'),
        rank: 10,
        active: false,
      },
    ]);
    const id = '11111111-2222-5333-8444-555555555555';
    const match = { type: 'cel', expression: 'sender.endsWith("@vip.example")' } as const;
    const added = valueOf(
      await client.items('rule').add(DOMAIN, {
        id,
        match,
        forward: decodeForward('x@corp.example'),
        rank: 5,
        active: false,
      }),
    );
    expect(added).toEqual({ id, match, forward: decodeForward('x@corp.example'), rank: 5, active: false });
    const updated = valueOf(
      await client.items('rule').update(DOMAIN, {
        id,
        match,
        forward: decodeForward('y@corp.example'),
        rank: 6,
        active: true,
      }),
    );
    expect(updated).toEqual({ id, match, forward: decodeForward('y@corp.example'), rank: 6, active: true });
    expect(await client.items('rule').delete(DOMAIN, id)).toMatchObject({ ok: true });
    expect(await client.items('rule').delete(DOMAIN, id)).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
  });

  test('adds, updates and deletes rules in batches', async () => {
    const { client } = await connect();
    const match = { type: 'alias', alias: 'press' } as const;
    const added = valueOf(
      await client.items('rule').addAll(DOMAIN, [
        {
          id: '11111111-2222-5333-8444-555555555555',
          match,
          forward: decodeForward('x@corp.example'),
          rank: 20,
        },
        { match, forward: decodeForward('nonsense'), rank: 30 },
        { match: { type: 'alias', alias: 'second' }, forward: decodeForward('y@corp.example') },
      ]),
    );
    expect(added).toMatchObject([
      { ok: true, value: { rank: 20, match } },
      { ok: false },
      { ok: true, value: { match: { alias: 'second' } } },
    ]);
    const updates = [RULE, '99999999-2222-5333-8444-555555555555'].map((id) => ({
      id,
      match,
      forward: decodeForward('z@corp.example'),
      active: true,
    }));
    expect(valueOf(await client.items('rule').updateAll(DOMAIN, updates))).toMatchObject([
      {
        ok: true,
        value: { id: RULE, match, forward: decodeForward('z@corp.example'), active: true, rank: 10 },
      },
      { ok: false, error: { message: expect.stringMatching(/not found/i) } },
    ]);
    expect(valueOf(await client.items('rule').deleteAll(DOMAIN, [RULE, 'missing']))).toMatchObject([
      { ok: true },
      { ok: false },
    ]);
  });

  test('lists, adds, updates and deletes credentials', async () => {
    const { client } = await connect({ domains: [{ domain: DOMAIN }] });
    expect(valueOf(await client.items('credential').list(DOMAIN))).toEqual([]);
    const { name, note } = valueOf(
      await client.items('credential').add(DOMAIN, { name: CAROL, password: 'correct horse' }),
    );
    expect([name, note?.(plainCommand)]).toEqual(['carol', expect.stringContaining('fwdsync verify')]);
    expect(valueOf(await client.items('credential').list(DOMAIN))).toEqual([{ name: 'carol' }]);
    expect(
      await client.items('credential').update(DOMAIN, { name: CAROL, password: 'battery staple' }),
    ).toMatchObject({ ok: true });
    expect(
      await client.items('credential').add(DOMAIN, { name: CAROL, password: 'correct horse' }),
    ).toMatchObject({
      ok: false,
      error: { kind: 'rejected' },
    });
    expect(await client.items('credential').delete(DOMAIN, CAROL)).toEqual({ ok: true, value: undefined });
    expect(await client.items('credential').delete(DOMAIN, CAROL)).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
  });

  test('reads listings of many pages, whole', async () => {
    const aliases = Array.from({ length: 1234 }, (_, index) => ({
      alias: `a${index}`,
      forward: 'x@corp.example',
    }));
    const credentials = Array.from({ length: 450 }, (_, index) => ({
      username: `u${index}`,
      password: 'correct horse',
    }));
    const rules = Array.from({ length: 201 }, (_, index) => ({
      type: 'alias' as const,
      config: { alias: `r${index}`, forward: 'x@corp.example' },
      rank: 7,
    }));
    const { client } = await connect({ domains: [{ domain: DOMAIN, aliases, credentials, rules }] });
    expect(valueOf(await client.items('alias').list(DOMAIN))).toHaveLength(1234);
    expect(valueOf(await client.items('credential').list(DOMAIN))).toHaveLength(450);
    expect(valueOf(await client.items('rule').list(DOMAIN))).toHaveLength(201);
  });

  test('scenario 15: a wrong key is one request and an error', async () => {
    const { account } = await connect();
    const client = account.client({ key: 'sk_wrong_key_of_somebody' });
    const answer = await client.getAccount();
    expect(answer).toMatchObject({ ok: false, error: { kind: 'unauthorised', status: 401 } });
    expect(account.requests()).toHaveLength(1);
    expect(JSON.stringify(answer)).not.toContain('sk_wrong');
  });

  test('scenario 17: a batch create on a free account is forbidden', async () => {
    const { client } = await connect(SEED, { plan: 'free' });
    const answer = await client.items('alias').addAll(DOMAIN, [
      { name: 'one', forward: decodeForward('x@corp.example') },
      { name: 'two', forward: decodeForward('x@corp.example') },
    ]);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'forbidden', status: 403 } });
  });

  test('a read-only client sends nothing but GET', async () => {
    const { account } = await connect();
    const client = account.client({ mode: 'read-only' });
    await client.getAccount();
    await expect(
      client.items('alias').add(DOMAIN, { name: 'x', forward: decodeForward('x@corp.example') }),
    ).rejects.toThrow('read-only');
    await expect(client.deleteDomain(DOMAIN)).rejects.toThrow('read-only');
    expect(account.requests().map(({ method }) => method)).toEqual(['GET']);
  });

  test('nothing is sent for an empty batch, and one that is too long is a bug', async () => {
    const { account, client } = await connect();
    expect(await client.items('alias').deleteAll(DOMAIN, [])).toEqual({ ok: true, value: [] });
    const ids = Array.from({ length: 501 }, (_, index) => String(index));
    await expect(client.items('alias').deleteAll(DOMAIN, ids)).rejects.toThrow('500');
    expect(account.requests()).toEqual([]);
  });
});
