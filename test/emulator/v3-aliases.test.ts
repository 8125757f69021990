import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/server.ts';
import { expectFailure, KEY, sender, startTestEmulator, type Send } from './target.ts';

const ROOT = '/domains/acme.example/aliases';
const forward = 'ana@corp.example';
let emulator: Emulator;
let send: Send;
beforeAll(async () => {
  ({ emulator } = await startTestEmulator({ state: { domains: [{ domain: 'acme.example' }] } }));
  send = sender(emulator.urls.v3, KEY);
});
afterAll(() => emulator.close());

test('v3: Aliases: added, read by name and by id, changed, listed, deleted', async () => {
  const { alias } = (await send('POST', ROOT, { alias: 'sales', forward })).body;
  expect(alias).toEqual({ alias: 'sales', forward, id: expect.any(Number), created: expect.any(Number) });
  expect((await send('GET', `${ROOT}/sales`)).body).toEqual({ success: true, alias });
  expect((await send('GET', `${ROOT}/${alias.id}`)).body.alias).toEqual(alias);
  const changed = await send('PUT', `${ROOT}/${alias.id}`, { forward: 'bob@corp.example' });
  expect(changed.body.alias.forward).toBe('bob@corp.example');
  const listed = await send('GET', `${ROOT}/?alias=sal&q=bob`);
  expect(listed.body).toMatchObject({ success: true, total: 1, limit: 20, page: 1 });
  expect((await send('DELETE', `${ROOT}/sales`, 'null')).body).toEqual({ success: true });
  expectFailure(await send('GET', `${ROOT}/sales`), 404);
});

test('v3: Aliases: batches have string ids', async () => {
  const aliases = [
    { alias: 'a', forward },
    { alias: 'a', forward },
  ];
  const { status, body } = await send('POST', `${ROOT}/batch`, { aliases });
  expect(status).toBe(207);
  expect(body).toMatchObject({ added: [{ id: expect.any(String) }], added_count: 1, failed: [{ index: 1 }] });
  const ids = [body.added[0].id];
  expect((await send('DELETE', `${ROOT}/batch`, { ids })).body.deleted).toEqual(ids);
});
