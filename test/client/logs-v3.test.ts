import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type FullClient } from '../../src/client/create.ts';
import type { LogQuery, LogSearch } from '../../src/client/logs/logs.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { API_KEY, testAccount, type TestAccount } from '../support/account.ts';

const DOMAIN = 'acme.example' as DomainName;
const TIME = Date.parse('2026-03-04T05:06:07Z');

async function connect(): Promise<{ readonly client: FullClient; readonly account: TestAccount }> {
  const account = await testAccount({ domains: [{ domain: DOMAIN }] }, { version: 'v3' });
  const { clock, emulator } = account;
  const access = { url: emulator.urls.v3, version: 'v3', key: API_KEY, mode: 'read-only' } as const;
  const client = createClient({ ...access, clock, random: () => 0.5 });
  onTestFinished(() => client.close());
  return { client, account };
}

function refusal(words: string): object {
  const message: unknown = expect.stringContaining(words);
  return { ok: false, error: { kind: 'rejected', status: null, message } };
}

describe('requests for logs that v3 does not have', () => {
  test.each<[LogQuery, string]>([
    [{ sender: 'a@b.example' }, 'sender'],
    [{ recipient: 'a@b.example' }, 'recipient'],
    [{ forward: 'a@b.example' }, 'forward'],
    [{ statuses: ['BOUNCED'] }, 'status'],
    [{ transport: 'mx' }, 'transport'],
    [{ after: TIME }, 'after'],
    [{ before: TIME }, 'before'],
    [{ order: 'oldest' }, 'order'],
    [{ limit: 5 }, 'limit'],
  ])('a list by %j cannot be asked for, and nothing is sent', async (query, what) => {
    const { client, account } = await connect();
    for (const alias of [{}, { alias: 'sales' }]) {
      const message = `v3 cannot list logs with ${what}`;
      expect(await client.listLogs(DOMAIN, { ...query, ...alias })).toMatchObject(refusal(message));
    }
    expect(account.requests()).toEqual([]);
  });

  test.each<[object, string]>([
    [{ sender: 'a' }, 'with sender'],
    [{ recipient: 'a' }, 'with recipient'],
    [{ forward: 'a' }, 'with forward'],
    [{ transport: 'mx' }, 'with transport'],
    [{ limit: 5 }, 'with limit'],
    [{ offset: 5 }, 'with offset'],
    [{ after: undefined }, 'only between two times'],
    [{ before: undefined }, 'only between two times'],
    [{ order: 'relevance' }, 'v3 orders results only by time'],
    [{ statuses: ['BOUNCED'] }, 'of all statuses, or of BOUNCED, HARD-BOUNCE, SOFT-BOUNCE together'],
  ])('a search by %j cannot be asked for, and nothing is sent', async (search, words) => {
    const { client, account } = await connect();
    const whole = { text: 'x', after: TIME, before: TIME + 1000, ...search } as LogSearch;
    expect(await client.searchLogs(DOMAIN, whole)).toMatchObject(refusal(words));
    expect(account.requests()).toEqual([]);
  });
});
