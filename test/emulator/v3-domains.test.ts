import { afterEach, expect, test } from 'vitest';
import { expectFailure, KEY, sender, startTestEmulator, type Send } from './target.ts';

let stop = async (): Promise<void> => {};
afterEach(() => stop());

async function start(options: Parameters<typeof startTestEmulator>[0] = {}): Promise<Send> {
  const { emulator } = await startTestEmulator(options);
  stop = () => emulator.close();
  return sender(emulator.urls.v3, KEY);
}

test.each([
  ['v3', 'created'],
  ['v4', 'created_at'],
] as const)('v3: Account: the shape of %s', async (v3AccountShape, field) => {
  const send = await start({ switches: { v3AccountShape } });
  const { status, body } = await send('GET', '/account/');
  expect(status).toBe(200);
  expect(body.success).toBe(true);
  expect(body.account).toHaveProperty(field);
});

test('v3: Account: whitelabels', async () => {
  const send = await start({ state: { whitelabels: ['mail.partner.example'] } });
  const { body } = await send('GET', '/account/whitelabels');
  expect(body).toEqual({ success: true, whitelabels: [{ name: 'mail.partner.example' }] });
});

test('v3: Domains: added, changed, listed, deleted', async () => {
  const send = await start();
  const added = await send('POST', '/domains/', { domain: 'acme.example' });
  expect(added.body.domain).toMatchObject({ active: false, added: expect.any(Number), webhook: null });
  expect(added.body.domain.aliases).toMatchObject([{ alias: '*', id: expect.any(Number) }]);
  const webhook = 'https://hooks.example/mail';
  const changed = await send('PUT', '/domains/acme.example', { webhook });
  expect(changed.body).toMatchObject({ success: true, domain: { webhook } });
  const listed = await send('GET', '/domains?is_active=0&q=acme');
  expect(listed.body).toMatchObject({ success: true, total: 1, limit: 50, page: 1 });
  expect((await send('GET', '/domains?is_active=1')).body.domains).toEqual([]);
  expect((await send('DELETE', '/domains/acme.example', 'null')).body).toEqual({ success: true });
  expectFailure(await send('GET', '/domains/acme.example'), 404);
});

test('v3: Domains: at most 200 aliases are embedded', async () => {
  const aliases = Array.from({ length: 201 }, (_, n) => ({ alias: `a${n}`, forward: 'ana@corp.example' }));
  const send = await start({ state: { domains: [{ domain: 'acme.example', aliases }] } });
  expect((await send('GET', '/domains/acme.example')).body.domain.aliases).toHaveLength(200);
});

test.each([
  ['missing', false],
  ['valid', true],
] as const)('v3: Domains: check with DNS %s', async (dns, success) => {
  const send = await start({ state: { domains: [{ domain: 'acme.example', dns }] } });
  const { status, body } = await send('GET', '/domains/acme.example/check');
  expect(status).toBe(200);
  expect(body).toMatchObject({ success, records: { mx: { valid: success } } });
});

test('v3: Errors: error and code beside the documented fields', async () => {
  const send = await start();
  const body = expectFailure(await send('POST', '/domains', {}), 400);
  expect(body).toMatchObject({ success: false, error: body.message, code: 400 });
});
