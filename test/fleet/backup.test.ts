import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { listFleetAccounts, listFleetWorkers } from '../../src/fleet/records.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openFleet, openStore, publish } from './support/fleet.ts';
import { addWorker, publishAccounts, recordRun } from './support/recorded-fleet.ts';

test('a dump of the schema, as docs/fleet.md has it, brings the whole store to an empty database', async () => {
  const server = await sharedPostgres();
  const [from, to] = [await server.createDatabase(), await server.createDatabase()];
  const before = await openStore(from);
  await publishAccounts(before, ['a@acme.example', 'b@acme.example'], 2);
  const worker = await addWorker(before, 'process 1 on alpha', { isScheduler: true });
  await recordRun(before, 'a@acme.example', {
    state: 'withheld',
    error: 'max-deletes',
    applied: 1,
    readAgo: 5,
    worker,
  });
  const dump = execFileSync('pg_dump', ['--schema=fwdsync', '--no-owner', from]);
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', to], { input: dump });
  const after = await openStore(to);
  expect(await listFleetAccounts(after)).toEqual(await listFleetAccounts(before));
  expect(await listFleetWorkers(after)).toEqual(await listFleetWorkers(before));
  await publishAccounts(after, ['a@acme.example'], 3);
  expect((await listFleetAccounts(after))[0]).toMatchObject({ wanted: 5, error: 'max-deletes' });
});

test('workers go on with what was restored, in a queue that they make again', async () => {
  const server = await sharedPostgres();
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  expect(await fleet.once()).toMatchObject({ code: 0 });
  const to = await server.createDatabase();
  const dump = execFileSync('pg_dump', ['--schema=fwdsync', '--no-owner', fleet.url]);
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', to], { input: dump });
  const restored = await openStore(to);
  await publish(restored, 'a', { forward: 'ben@corp.example', apiUrl: fleet.emulator.urls.v4 });
  expect(await fleet.once([], { FWDSYNC_STORE: to })).toMatchObject({ code: 0 });
  expect(fleet.forward('a')).toBe('ben@corp.example');
  expect(await listFleetAccounts(restored)).toMatchObject([{ wanted: 2, applied: 2, state: 'in-sync' }]);
});
