import { decodeForward } from '../../src/core/model/destinations.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/create.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { API_KEY, EMAIL, testAccount } from '../support/account.ts';

const DOMAIN = 'acme.example' as DomainName;
const SECOND = Date.parse('2026-01-02T03:04:05Z');
const ALIASES = Array.from({ length: 250 }, (_, index) => ({
  alias: `a${index}`,
  forward: 'x@corp.example',
  created_at: SECOND,
}));

async function connect(): Promise<Awaited<ReturnType<typeof testAccount>>> {
  const domains = [
    { domain: DOMAIN, webhook: 'https://hooks.corp.example/v3', created_at: SECOND, aliases: ALIASES },
  ];
  return testAccount({ account: { email: EMAIL }, domains }, { version: 'v3' });
}

describe('differences of v3', () => {
  test('pages hold 100 at most, and the filter of domains is q', async () => {
    const account = await connect();
    const client = account.client();
    await client.listDomains({ query: 'acme' });
    await client.items('alias').list(DOMAIN);
    expect(account.requests().map(({ path }) => path.slice(path.lastIndexOf('/') + 1))).toEqual([
      'domains?q=acme&limit=100&page=1',
      'aliases?limit=100&page=1',
      'aliases?limit=100&page=2',
      'aliases?limit=100&page=3',
    ]);
  });

  test('the aliases that a domain embeds are no listing', async () => {
    const account = await connect();
    const domain = await account.client().getDomain(DOMAIN);
    expect(domain.ok && domain.value).not.toHaveProperty('aliases');
  });

  test('the list of domains has the aliases that it embeds, where they are certainly all', async () => {
    const aliases = (count: number) => ALIASES.slice(0, count);
    const account = await testAccount(
      {
        account: { email: EMAIL },
        domains: [0, 1, 199, 200, 250].map((count) => ({
          domain: `d${count}.example`,
          aliases: aliases(count),
        })),
      },
      { version: 'v3' },
    );
    const listed = await account.client().listDomainsWithAliases();
    if (!listed.ok) throw new Error(listed.error.message);
    expect(Object.fromEntries(listed.value.map((row) => [row.domain, row.aliases?.length]))).toEqual({
      'd0.example': 0,
      'd1.example': 1,
      'd199.example': 199,
      'd200.example': undefined,
      'd250.example': undefined,
    });
    expect(listed.value.find(({ domain }) => domain === 'd1.example')?.aliases).toMatchObject([
      { name: 'a0', forward: decodeForward('x@corp.example') },
    ]);
    expect(account.requests()).toHaveLength(1);
  });

  test('times are epoch milliseconds', async () => {
    const client = (await connect()).client();
    const domain = await client.getDomain(DOMAIN);
    expect(domain.ok && domain.value.createdAt).toBe(SECOND);
  });

  test('a domain has a webhook, which an update sets', async () => {
    const client = (await connect()).client();
    const before = await client.getDomain(DOMAIN);
    expect(before).toMatchObject({ value: { webhook: 'https://hooks.corp.example/v3' } });
    const webhook = 'https://hooks.corp.example/new';
    expect(await client.updateDomain(DOMAIN, { webhook })).toMatchObject({
      value: { before: { webhook: 'https://hooks.corp.example/v3' }, after: { webhook } },
    });
  });

  test('200 with success: false is an error', async () => {
    const account = await connect();
    const body = JSON.stringify({ success: false, error: 'No such plan', code: 400 });
    account.emulator.faults.push({ match: { method: 'GET' }, do: { kind: 'body', body } });
    expect(await account.client().items('alias').list(DOMAIN)).toMatchObject({
      ok: false,
      error: { kind: 'rejected', status: 200, message: 'No such plan' },
    });
  });

  test('a mere success without the list is no empty list', async () => {
    const account = await connect();
    const body = JSON.stringify({ success: true });
    account.emulator.faults.push({ match: { method: 'GET', times: 'always' }, do: { kind: 'body', body } });
    expect(await account.client().items('alias').list(DOMAIN)).toMatchObject({
      ok: false,
      error: { cause: 'undecodable' },
    });
  });
});

describe('bulk requests of v3', () => {
  const RULE = '64cffc51-580c-56bc-b6a5-d741eea021e1';
  const MATCH = { type: 'alias', alias: 'jobs' } as const;

  async function connectBulk() {
    const domains = [{ domain: DOMAIN, aliases: [{ alias: 'sales', forward: 'a@corp.example', id: 7 }] }];
    const account = await testAccount({ domains }, { version: 'v3' });
    const options = {
      url: account.emulator.urls.v3,
      version: 'v3',
      key: API_KEY,
      clock: account.clock,
    } as const;
    const client = createClient({ ...options, mode: 'read-write', random: () => 0 });
    onTestFinished(() => client.close());
    if (client.bulk === null) throw new Error('v3 has bulk requests');
    return { account, bulk: client.bulk };
  }

  test('add, update and delete aliases by name, each with its own outcome', async () => {
    const { account, bulk } = await connectBulk();
    const forward = 'b@corp.example';
    expect(
      await bulk.addAliases(DOMAIN, [
        { name: 'new', forward: decodeForward(forward) },
        { name: 'sales', forward: decodeForward(forward) },
      ]),
    ).toMatchObject({
      value: { done: [{ name: 'new' }], failed: [{ name: 'sales', id: '7' }] },
    });
    expect(
      await bulk.updateAliases(DOMAIN, [
        { name: 'sales', forward: decodeForward(forward) },
        { name: 'gone', forward: decodeForward(forward) },
      ]),
    ).toMatchObject({
      value: { done: [{ name: 'sales', id: '7' }], failed: [{ name: 'gone' }] },
    });
    expect(await bulk.deleteAliases(DOMAIN, ['sales', 'gone'])).toMatchObject({
      value: { done: [{ name: 'sales' }], failed: [{ name: 'gone' }] },
    });
    expect(account.emulator.store.dump().domains[0]?.aliases).toMatchObject([{ alias: 'new', forward }]);
  });

  test('add, update and delete rules, each with its own outcome', async () => {
    const { account, bulk } = await connectBulk();
    const rule = { id: RULE, match: MATCH, forward: decodeForward('b@corp.example'), rank: 5, active: false };
    const outcomes = await bulk.addRules(DOMAIN, [
      rule,
      { match: MATCH, forward: decodeForward('nonsense') },
    ]);
    expect(outcomes).toEqual({
      ok: true,
      value: [
        { success: true, rule },
        { success: false, rule: null },
      ],
    });
    const moved = { ...rule, forward: decodeForward('c@corp.example'), active: true };
    expect(await bulk.updateRules(DOMAIN, [moved])).toEqual({
      ok: true,
      value: [{ success: true, rule: moved }],
    });
    expect(await bulk.deleteRules(DOMAIN, [RULE, RULE])).toMatchObject({
      value: [{ success: true }, { success: false }],
    });
    expect(account.emulator.store.dump().domains[0]?.rules).toEqual([]);
  });

  test('one that is too long is a bug, and a read-only client sends none', async () => {
    const { account, bulk } = await connectBulk();
    const names = Array.from({ length: 501 }, (_, index) => String(index));
    expect(() => bulk.deleteAliases(DOMAIN, names)).toThrow('500');
    expect(account.requests()).toEqual([]);
  });
});
