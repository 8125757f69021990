import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { createRecentFleet } from '../../../src/service/fleet/recent-fleet.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openStore } from './support/fleet.ts';
import { publishAccounts, recordRun } from './support/recorded-fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

/** A clock that the test moves. Waits are real, or end at once. */
function handClock(waits: 'real' | 'over') {
  let now = 1_000;
  return {
    monotonic: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      wait(waits === 'real' ? milliseconds : 0, undefined, { signal }).catch(() => {}),
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
}

test('requests within 5 s get the earlier read; then it is read again, and null without a database', async () => {
  const database = await openStore(await server.createDatabase());
  await publishAccounts(database, ['a@acme.example']);
  const clock = handClock('real');
  const recent = createRecentFleet(database, clock);
  const [one, same] = await Promise.all([recent(), recent()]);
  expect(one?.accounts).toMatchObject([{ email: 'a@acme.example', wanted: 1 }]);
  expect(same).toBe(one);
  await publishAccounts(database, ['b@acme.example']);
  await recordRun(database, 'a@acme.example', { state: 'withheld', readAgo: 1 });
  clock.advance(4_999);
  expect(await recent()).toBe(one);
  clock.advance(2);
  expect((await recent())?.accounts).toMatchObject([{ state: 'withheld' }, { email: 'b@acme.example' }]);
  clock.advance(5_001);
  await database.query('DROP SCHEMA fwdsync CASCADE');
  expect(await recent()).toBeNull();
});

test('a database that does not answer in time is reported as unreadable', async () => {
  const database = await openStore(await server.createDatabase());
  const locked = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const holding = database.transaction(async (query) => {
    await query('LOCK TABLE fwdsync.accounts');
    locked.resolve();
    await asked.promise;
  });
  await locked.promise;
  expect(await createRecentFleet(database, handClock('over'))()).toBeNull();
  asked.resolve();
  await holding;
});
