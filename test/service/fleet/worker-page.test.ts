import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import fleetSchema from '../../../schemas/fleet.v1.schema.json' with { type: 'json' };
import { commandScene } from '../../cli/support/scene.ts';
import { expectSchema } from '../../cli/support/schema.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openFleet, STORE_KEY } from './support/fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

test('the worker that ran an account shows its domains; another one names it', async () => {
  const fleet = await openFleet(server, ['a']);
  const first = await fleet.worker().port();
  const get = async (port: number, path: string): Promise<string> =>
    (await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).replaceAll(/\s+/g, ' ');
  await fleet.publish('a');
  await waitFor(async () => (await fleet.account('a'))?.applied === 1);
  const second = await fleet.worker().port();
  await waitFor(async () => (await get(second, '/')).includes('Running'));
  const shown = await get(first, '/domains/a.example');
  expect(shown).toMatch(/a\.example.*In sync.*a@fleet\.example.*sales.*ana@corp\.example.*a\.yaml:4/);
  expect(shown).toMatch(/Last changes.*alias.*sales/);
  expect(await get(second, '/domains/a.example')).toMatch(
    /a\.example is a domain of a@fleet\.example\. The page of process \d+ on .* shows it/,
  );
  expect(await get(second, '/domains/stranger.example')).toContain(
    'No published manifest is known to name this domain.',
  );
});

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    if (tries > 200) throw new Error('it has not come about');
    await wait(100);
  }
}

test('a worker serves the whole fleet: page, metrics and probes; status reads the same', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  const port = await fleet.worker([], { KEY_B: 'wrong-key' }).port();
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
