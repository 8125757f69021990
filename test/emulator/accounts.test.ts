import { expect, test } from 'vitest';
import type { ServerOptions } from '../../src/emulator/http/server.ts';
import { KEY, sender, startTestEmulator, type Send } from './support/target.ts';

const forward = 'ana@corp.example';

async function start(options: Partial<ServerOptions> = {}): Promise<{
  emulator: Awaited<ReturnType<typeof startTestEmulator>>['emulator'];
  as: (key: string) => Send;
}> {
  const { emulator } = await startTestEmulator({
    control: true,
    state: { account: { email: 'first@agency.example' } },
    accounts: [
      {
        key: 'one',
        state: { account: { email: 'One@agency.example' }, domains: [{ domain: 'one.example' }] },
      },
      { key: 'two', state: { account: { email: 'two@agency.example' } } },
    ],
    ...options,
  });
  return { emulator, as: (key) => sender(emulator.urls.v4, key) };
}

test('the key decides which account a request is about; any other key is refused', async () => {
  const { emulator, as } = await start();
  for (const [key, email] of [
    [KEY, 'first@agency.example'],
    ['one', 'One@agency.example'],
    ['two', 'two@agency.example'],
  ] as const)
    expect((await as(key)('GET', '/account')).body.account.email).toBe(email);
  expect((await as('three')('GET', '/account')).status).toBe(401);
  expect((await fetch(`${emulator.urls.v4}/account`)).status).toBe(401);
  await as('two')('POST', '/domains', { domain: 'two.example' });
  const alias = { alias: 'sales', forward };
  expect((await as('one')('POST', '/domains/two.example/aliases', alias)).status).toBe(404);
  expect((await as('two')('POST', '/domains/two.example/aliases', alias)).status).toBe(200);
  expect((await as('one')('GET', '/domains')).body.total).toBe(1);
});

test('a key in plain text, as clients of v3 send it, names its account on v3 alone', async () => {
  const { emulator } = await start();
  const headers = { Authorization: 'Basic api:one' };
  const v3 = await fetch(`${emulator.urls.v3}/account/`, { headers });
  expect(await v3.json()).toMatchObject({ account: { email: 'One@agency.example' } });
  expect((await fetch(`${emulator.urls.v4}/account`, { headers })).status).toBe(401);
});

test('each account has limits of its own', async () => {
  const { as } = await start({ rateLimit: 2 });
  const statuses = async (key: string): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let count = 0; count < 3; count += 1) found.push((await as(key)('GET', '/account')).status);
    return found;
  };
  expect(await statuses('one')).toEqual([200, 200, 429]);
  expect(await statuses('two')).toEqual([200, 200, 429]);
});

test('the control interface reads and changes the account that it is asked for', async () => {
  const { emulator } = await start();
  const root = emulator.controlUrl ?? '';
  const get = async (path: string): Promise<Response> => fetch(root + path);
  expect(await (await get('/state')).json()).toMatchObject({ account: { email: 'first@agency.example' } });
  let changes = 0;
  emulator.accounts.get('one')?.onChange(() => (changes += 1));
  const body = JSON.stringify({ account: { email: 'one@agency.example' }, domains: [] });
  await fetch(`${root}/state?account=one@agency.example`, { method: 'PUT', body });
  expect(changes).toBe(1);
  expect(await (await get('/state?account=one@agency.example')).json()).toMatchObject({ domains: [] });
  expect((await get('/state?account=nobody@agency.example')).status).toBe(404);
  expect(await (await get('/journal?account=two@agency.example')).json()).toMatchObject({ total: 0 });
});
