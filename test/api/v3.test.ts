import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../src/model/names.ts';
import { EMAIL, testAccount } from '../support/account.ts';

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

describe('what v3 does its own way', () => {
  test('pages hold 100 at most, and the filter of domains is q', async () => {
    const account = await connect();
    const client = account.client();
    await client.listDomains({ query: 'acme' });
    await client.listAliases(DOMAIN);
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

  test('times are epoch milliseconds', async () => {
    const client = (await connect()).client();
    const domain = await client.getDomain(DOMAIN);
    const aliases = await client.listAliases(DOMAIN);
    expect(domain.ok && domain.value.createdAt).toBe(SECOND);
    expect(aliases.ok && aliases.value[0]?.createdAt).toBe(SECOND);
  });

  test('a domain has a webhook, which an update sets', async () => {
    const client = (await connect()).client();
    const before = await client.getDomain(DOMAIN);
    expect(before).toMatchObject({ value: { webhook: 'https://hooks.corp.example/v3' } });
    const webhook = 'https://hooks.corp.example/new';
    expect(await client.updateDomain(DOMAIN, { webhook })).toMatchObject({ value: { webhook } });
  });

  test('200 with success: false is an error', async () => {
    const account = await connect();
    const body = JSON.stringify({ success: false, error: 'No such plan', code: 400 });
    account.emulator.faults.push({ match: { method: 'GET' }, do: { kind: 'body', body } });
    expect(await account.client().listAliases(DOMAIN)).toMatchObject({
      ok: false,
      error: { kind: 'rejected', status: 200, message: 'No such plan' },
    });
  });

  test('a mere success without the list is no empty list', async () => {
    const account = await connect();
    const body = JSON.stringify({ success: true });
    account.emulator.faults.push({ match: { method: 'GET', times: 'always' }, do: { kind: 'body', body } });
    expect(await account.client().listAliases(DOMAIN)).toMatchObject({
      ok: false,
      error: { cause: 'undecodable' },
    });
  });
});
