import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import fleetSchema from '../../../schemas/fleet.v1.schema.json' with { type: 'json' };
import { commandScene } from '../../cli/support/scene.ts';
import { expectSchema } from '../../cli/support/schema.ts';
import { freePort, type TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openFleet, STORE_KEY } from './support/fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

test('a worker serves the whole fleet: page, metrics and probes; status reads the same', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  const port = await freePort();
  fleet.worker(['--listen', `127.0.0.1:${port}`], { KEY_B: 'wrong-key' });
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  for (let tries = 0; (await fleet.account('b'))?.parked !== true || !(await fleet.account('a'))?.applied;) {
    if ((tries += 1) > 200) throw new Error('the worker has run nothing');
    await wait(100);
  }
  expect(await get('/readyz')).toContain('"ready":true');
  expect(expectSchema(fleetSchema, await get('/status'))).toMatchObject({
    accounts: [{ account: 'a@fleet.example' }, { account: 'b@fleet.example', state: 'failing' }],
  });
  const page = (await get('/')).replaceAll(/\s+/g, ' ');
  expect(page).toMatch(/unwell">.*1 of 2 accounts is failing/);
  expect(page).toMatch(
    /Failing.*b@fleet\.example.*revision none -&gt; 1.*401.*replace the key.*In sync.*a@fleet/,
  );
  expect(page).toMatch(/process \d+ on .*scheduler.*0 of 50/);
  const metrics = await get('/metrics');
  expect(metrics).toContain('fwdsync_fleet_store_reachable 1\n');
  expect(metrics).toContain('fwdsync_fleet_scheduler 1\n');
  expect(metrics).toContain('fwdsync_fleet_accounts{state="failing"} 1\n');
  expect(metrics).toContain('fwdsync_fleet_accounts{state="in-sync"} 1\n');
  expect(metrics).not.toContain('fleet.example');
  const env = { FWDSYNC_STORE: fleet.url, FWDSYNC_STORE_KEY: STORE_KEY.toString('base64') };
  const { stdout } = await (await commandScene()).run(['status', '--format', 'json'], { env });
  expect(expectSchema(fleetSchema, stdout)).toMatchObject({
    accounts: [
      { account: 'a@fleet.example', state: 'in-sync', wanted: 1, applied: 1, error: null },
      { account: 'b@fleet.example', state: 'failing', applied: null },
    ],
    workers: [{ state: 'running', scheduler: true, running: 0 }],
  });
});
