import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/http/server.ts';
import type { Switches } from '../../src/emulator/account/switches.ts';
import { startTestEmulator, type Send } from './support/target.ts';

const ROOT = '/domains/acme.example';

async function start(
  switches: Partial<Switches> = {},
  plan: 'free' | 'paid' = 'paid',
): Promise<{ emulator: Emulator; send: Send }> {
  const rule = { id: '64cffc51-580c-56bc-b6a5-d741eea021e1', type: 'alias', rank: 1 } as const;
  const { emulator, send } = await startTestEmulator({
    plan,
    switches: { catchAllOnCreate: 'none', ...switches },
    state: {
      domains: [
        {
          domain: 'acme.example',
          notification_email: 'ops@corp.example',
          aliases: [{ alias: 'a', forward: 'a@corp.example' }],
          rules: [{ ...rule, config: { alias: 'a', forward: 'a@corp.example' } }],
        },
      ],
    },
  });
  return { emulator, send };
}

describe('accepted requests', () => {
  test('an empty text for an optional setting of a domain is not set', async () => {
    const { send } = await start();
    const added = await send('POST', '/domains', {
      domain: 'new.example',
      notification_email: '',
      whitelabel: '',
    });
    expect([added.status, added.body.domain.whitelabel]).toEqual([200, null]);
    const { account } = (await send('GET', '/account')).body;
    expect(added.body.domain.notification_email).toBe(account.email);
    const kept = await start({ leftOutOnUpdate: 'keep' });
    const updated = await kept.send('PUT', ROOT, { notification_email: '', whitelabel: '' });
    expect([updated.status, updated.body.domain.notification_email]).toEqual([200, 'ops@corp.example']);
  });

  test('HTTPS:// is a scheme', async () => {
    const { send } = await start();
    const added = await send('POST', `${ROOT}/aliases`, { alias: 'b', forward: 'HTTPS://hooks.example/x' });
    expect([added.status, added.body.alias.forward]).toEqual([200, 'HTTPS://hooks.example/x']);
  });

  test('a page far after the last one is an empty page', async () => {
    const { send } = await start();
    const { status, body } = await send('GET', `${ROOT}/aliases?page=99999999999999999999`);
    expect([status, body.aliases, body.total]).toEqual([200, [], 1]);
  });
});

describe('switches', () => {
  test('emptyBatch', async () => {
    const taken = await (await start()).send('POST', `${ROOT}/aliases/batch`, { aliases: [] });
    expect([taken.status, taken.body.added_count]).toEqual([200, 0]);
    const refused = await (
      await start({ emptyBatch: 'refuse' })
    ).send('DELETE', `${ROOT}/rules/batch`, { ids: [] });
    expect(refused.status).toBe(400);
  });

  test('ruleConfigOnUpdate', async () => {
    const path = `${ROOT}/rules/64cffc51-580c-56bc-b6a5-d741eea021e1`;
    expect((await (await start()).send('PUT', path, { active: false })).status).toBe(400);
    const { status, body } = await (
      await start({ ruleConfigOnUpdate: 'optional' })
    ).send('PUT', path, {
      active: false,
    });
    expect([status, body.rule.active, body.rule.config.alias]).toEqual([200, false, 'a']);
  });

  test.each(['aliases', 'rules'])('unguardedDeleteAll of %s', async (section) => {
    expect((await (await start()).send('DELETE', `${ROOT}/${section}`)).status).toBe(400);
    const { status, body } = await (
      await start({ unguardedDeleteAll: 'delete' })
    ).send('DELETE', `${ROOT}/${section}`);
    expect([status, body.deleted]).toEqual([200, 1]);
  });

  test('freeBatchCreateStatus', async () => {
    const { send } = await start({ freeBatchCreateStatus: 402 }, 'free');
    expect((await send('POST', `${ROOT}/aliases/batch`, { aliases: [] })).status).toBe(402);
  });
});

describe('malformed requests', () => {
  async function sendRaw(emulator: Emulator, request: string): Promise<{ head: string; body: unknown }> {
    const socket = connect(emulator.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(request);
    const answer = await text(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return { head, body: JSON.parse(body) as unknown };
  }

  test.each([
    ['431', `GET /v4/account HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`, {}],
    ['400', 'nonsense\r\n\r\n', {}],
    ['400', 'GET /v3/account HTTP/9\r\n\r\n', { success: false }],
  ])('%s is JSON and carries the headers of the rate limit', async (status, request, more) => {
    const { emulator } = await start();
    const { head, body } = await sendRaw(emulator, request);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    for (const name of [
      'Content-Type: application/json',
      'X-RateLimit-Limit: 200',
      'X-RateLimit-Remaining: 199',
    ]) {
      expect(head).toContain(name);
    }
    expect(head).toMatch(/X-RateLimit-Reset: \d+/);
    expect(body).toMatchObject({ errors: {}, ...more });
  });
});
