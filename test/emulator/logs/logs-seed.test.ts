import { expect, test } from 'vitest';
import { problemsOf } from '../../../src/emulator/http/schemas.ts';
import { START, startTestEmulator } from '../support/target.ts';

const ROOT = '/domains/acme.example/logs?limit=200';

test('answers of v4 are seeded unchanged, and returned the same', async () => {
  const common = { sender: { email: 'ana@x.example', name: 'Ana' }, recipient: 'sales@acme.example' };
  const forward = 'ana@corp.example';
  const events = [
    { id: 'of-the-service', status: 'QUEUED', code: 250, message: '2.0.0 taken', local: 'mx2.improvmx.com' },
    { status: 'SOFT-BOUNCE', created_at: START - 1500, server: 'mx9.corp.example' },
  ] as const;
  const logs = [
    { ...common, created_at: START - 9000 },
    { ...common, created_at: START - 3000, forward, subject: 'one', events },
    // All have the same second, so only their order distinguishes them.
    { ...common, created_at: START - 2000, forward, subject: 'two', message_id: 'm' },
    { ...common, created_at: START - 2000, forward: 'https://hooks.corp.example/in', message_id: 'm' },
    { ...common, created_at: START - 1000, sender: '', forward, transport: 'smtp' as const },
  ];
  const first = await startTestEmulator({ state: { domains: [{ domain: 'acme.example', logs }] } });
  const answered = (await first.send('GET', ROOT)).body;
  expect(answered.logs).toHaveLength(5);
  expect(answered.logs[3].events[0].id).toBe('of-the-service');
  const seed = { domains: [{ domain: 'acme.example', logs: answered.logs }] };
  expect(problemsOf('state', seed)).toEqual([]);
  const second = await startTestEmulator({ state: seed });
  expect((await second.send('GET', ROOT)).body).toEqual(answered);
  const third = await startTestEmulator({ state: second.emulator.store.dump() });
  expect((await third.send('GET', ROOT)).body).toEqual(answered);
  const started = [first, second, third];
  await Promise.all(started.map(({ emulator }) => emulator.close()));
});
