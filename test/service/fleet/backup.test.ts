import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { listFleetAccounts, listFleetWorkers } from '../../../src/service/fleet/records.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openFleet, openStore, publish } from './support/fleet.ts';

test('a dump, as docs/fleet.md has it, brings the whole store to an empty database, and workers go on there', async () => {
  const server = await sharedPostgres();
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  expect(await fleet.once()).toMatchObject({ code: 0 });
  const to = await server.createDatabase();
  const dump = execFileSync('pg_dump', ['--schema=fwdsync', fleet.url]);
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', to], { input: dump });
  const restored = await openStore(to);
  expect(await listFleetAccounts(restored)).toEqual(await listFleetAccounts(fleet.database));
  expect(await listFleetWorkers(restored)).toEqual(await listFleetWorkers(fleet.database));
  await publish(restored, 'a', { forward: 'ben@corp.example', apiUrl: fleet.emulator.urls.v4 });
  expect(await fleet.once([], { FWDSYNC_STORE: to })).toMatchObject({ code: 0 });
  expect(fleet.forward('a')).toBe('ben@corp.example');
  expect(await listFleetAccounts(restored)).toMatchObject([{ wanted: 2, applied: 2, state: 'in-sync' }]);
});
