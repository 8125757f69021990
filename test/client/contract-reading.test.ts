import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type FullClient } from '../../src/client/create.ts';
import type { LogPage } from '../../src/client/logs/logs.ts';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import type { Result } from '../../src/core/model/result.ts';
import { API_KEY, testAccount, type TestAccount } from '../support/account.ts';

const DOMAIN = 'acme.example' as DomainName;
const RULE = '64cffc51-580c-56bc-b6a5-d741eea021e1';
const SEED = {
  domains: [
    {
      domain: DOMAIN,
      dns: { mx: true, spf: true },
      aliases: [
        { id: 7, alias: 'sales', forward: 'ana@corp.example', created_at: '2026-01-02T03:04:05Z' },
        { id: 8, alias: 'info', forward: 'ana@corp.example' },
      ],
      rules: [
        {
          id: RULE,
          type: 'alias' as const,
          config: { alias: 'jobs', forward: 'hr@corp.example' },
          rank: 2.5,
        },
      ],
    },
  ],
};

function valueOf<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Reads other than listings. Every expectation holds for both versions. */
describe.each(['v4', 'v3'] as const)('a client of %s', (version) => {
  async function connect(): Promise<{ readonly account: TestAccount; readonly client: FullClient }> {
    const account = await testAccount(SEED, { version });
    const { clock, emulator } = account;
    const url = emulator.urls[version];
    const client = createClient({ url, version, key: API_KEY, mode: 'read-write', clock, random: () => 0 });
    onTestFinished(() => client.close());
    return { account, client };
  }

  function deliver({ emulator, clock }: TestAccount, subject: string): void {
    const message = { to: `sales@${DOMAIN}`, from: 'ben@corp.example', subject };
    expect(deliverMessage(emulator.store.state, message).ok).toBe(true);
    clock.advance(60_000);
  }

  test('gets single aliases and rules, by id', async () => {
    const { client } = await connect();
    const alias = { id: '7', name: 'sales', forward: ['ana@corp.example'] };
    expect(valueOf(await client.items('alias').get(DOMAIN, '7'))).toEqual(alias);
    expect(valueOf(await client.items('rule').get(DOMAIN, RULE))).toEqual({
      id: RULE,
      match: { type: 'alias', alias: 'jobs' },
      forward: ['hr@corp.example'],
      rank: 2.5,
      active: true,
    });
    expect(await client.items('alias').get(DOMAIN, '99')).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
    expect(await client.items('rule').get(DOMAIN, '9')).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
  });

  test('verifies a domain: what is not right is an answer', async () => {
    const { client } = await connect();
    const found = valueOf(await client.verifyDomain(DOMAIN));
    expect(found).toMatchObject({ valid: false, error: null, records: { mx: { valid: true } } });
    expect(found.records.mx.values).toEqual(found.records.mx.expected);
    expect(found.records.dkim1).toMatchObject({ valid: false, values: [] });
    expect(found.records.dkim1.expected).toHaveLength(1);
    expect(await client.verifyDomain('other.example' as DomainName)).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    });
  });

  test('lists, counts, gets and searches logs', async () => {
    const { account, client } = await connect();
    deliver(account, 'hello');
    deliver(account, 'invoice');
    const { entries } = valueOf(await client.listLogs(DOMAIN));
    expect(entries).toMatchObject([
      { subject: 'invoice' },
      {
        subject: 'hello',
        createdAt: Date.parse('2026-09-01T00:00:00Z'),
        sender: { email: 'ben@corp.example', name: null },
        recipient: { email: 'sales@acme.example' },
        forward: { email: 'ana@corp.example' },
        transport: 'mx',
        events: [{ status: 'QUEUED' }, { status: 'DELIVERED', code: 250 }],
      },
    ]);
    const [first] = entries;
    expect(valueOf(await client.getLog(DOMAIN, first?.id ?? ''))).toEqual(first);
    expect(await client.getLog(DOMAIN, 'missing')).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    expect(valueOf(await client.countLogs(DOMAIN))).toBe(2);
    expect(valueOf(await client.countLogs(DOMAIN, { after: account.clock.now() - 90_000 }))).toBe(1);
    expect(valueOf(await client.countLogs(DOMAIN, { statuses: ['REFUSED'] }))).toBe(0);
    const search = { text: 'invoice', after: 0, before: account.clock.now() };
    expect(valueOf(await client.searchLogs(DOMAIN, search)).entries).toEqual([first]);
    expect(valueOf(await client.listLogs(DOMAIN, { alias: 'sales' })).entries).toHaveLength(2);
    expect(valueOf(await client.listLogs(DOMAIN, { alias: 'info' })).entries).toEqual([]);
  });

  test('pages through logs by cursor', async () => {
    const { account, client } = await connect();
    for (let index = 0; index < 210; index += 1) deliver(account, String(index));
    const subjects: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: LogPage<string> = valueOf(await client.listLogs(DOMAIN, cursor === null ? {} : { cursor }));
      subjects.push(...page.entries.map(({ subject }) => subject));
      cursor = page.next;
    } while (cursor !== null);
    expect(subjects).toEqual(Array.from({ length: 210 }, (_, index) => String(209 - index)));
  });
});
