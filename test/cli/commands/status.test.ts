import { beforeAll, expect, test } from 'vitest';
import fleetSchema from '../../../schemas/fleet.v1.schema.json' with { type: 'json' };
import type { Database } from '../../../src/engine/state/postgres/database.ts';
import { openStore, STORE_KEY } from '../../service/fleet/support/fleet.ts';
import { addWorker, publishAccounts, recordRun } from '../../service/fleet/support/recorded-fleet.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { commandScene, type Output } from '../support/scene.ts';
import { expectSchema } from '../support/schema.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

interface StatusScene {
  readonly database: Database;
  /** `fwdsync status` with the store of the scene. */
  readonly status: (...args: readonly string[]) => Promise<Output>;
}

async function openScene(): Promise<StatusScene> {
  const scene = await commandScene();
  const url = await server.createDatabase();
  const database = await openStore(url);
  const env = { FWDSYNC_STORE: url, FWDSYNC_STORE_KEY: STORE_KEY.toString('base64') };
  return { database, status: (...args) => scene.run(['status', ...args], { env }) };
}

async function openFleet(): Promise<StatusScene> {
  const scene = await openScene();
  const { database } = scene;
  const emails = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@agency.example`);
  const [a = '', b = '', c = '', d = ''] = emails;
  await publishAccounts(database, emails, 2);
  await addWorker(database, 'process 9 on beta', { seenAgo: 180 });
  const worker = await addWorker(database, 'process 12 on alpha', { isScheduler: true });
  await recordRun(database, a, { state: 'in-sync', applied: 2, readAgo: 20 });
  await recordRun(database, b, { state: 'in-sync', applied: 2, readAgo: 7200 });
  await recordRun(database, c, { state: 'in-sync', applied: 1, readAgo: 120, worker });
  const error = 'the key was refused\u001b[2J';
  await recordRun(database, d, { state: 'failing', applied: 2, readAgo: 60, drift: 2, parked: true, error });
  return scene;
}

test('as JSON: each account by its schema; an account that was not read for three intervals, or has a newer manifest, is not in sync', async () => {
  const { status } = await openFleet();
  const { code, stdout } = await status('--format', 'json');
  expect(code).toBe(0);
  expect(expectSchema(fleetSchema, stdout)).toMatchObject({
    accounts: [
      { account: 'a@agency.example', state: 'in-sync', wanted: 2, applied: 2, error: null, worker: null },
      { account: 'b@agency.example', state: 'unattended' },
      { account: 'c@agency.example', state: 'unknown', applied: 1, worker: 'process 12 on alpha' },
      { account: 'd@agency.example', state: 'failing', drift: 2, error: 'the key was refused\u001b[2J' },
      { account: 'e@agency.example', state: 'unknown', applied: null, readAt: null },
    ],
    workers: [
      { name: 'process 12 on alpha', state: 'running', concurrency: 50, running: 3, scheduler: true },
      { name: 'process 9 on beta', state: 'lost', scheduler: false },
    ],
    queue: { depth: 0, oldestWaitSeconds: null },
  });
});

test('as text: worst first, a count of those in sync, workers and the queue', async () => {
  const { status } = await openFleet();
  const { code, stdout, stderr } = await status();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replace(/[1-9] s ago/, '1 s ago')).toBe(`\
STATE       ACCOUNT           REVISION   LAST READ
unattended  b@agency.example  2          2 h ago
failing     d@agency.example  2          1 min ago
    2 items drifted; parked until its key or revision changes; the key was refused<U+001B>[2J
unknown     c@agency.example  1 -> 2     2 min ago
    running on process 12 on alpha
unknown     e@agency.example  none -> 2  never

RUNS     SEEN       VERSION  WORKER
3 of 50  1 s ago    1.2.3    process 12 on alpha
lost     3 min ago  1.2.3    process 9 on beta

5 accounts: 1 unattended, 1 failing, 2 unknown, 1 in-sync.
No run waits for a worker.
The scheduler is process 12 on alpha.
`);
});

test('colours carry no meaning alone', async () => {
  const { status } = await openFleet();
  const plain = await status('--color', 'never');
  const painted = await status('--color', 'always');
  expect(painted.stdout).toContain('\u001b[1m\u001b[31munattended');
  // eslint-disable-next-line no-control-regex -- colours begin with one
  const bare = painted.stdout.replaceAll(/\u001b\[\d+m/g, '');
  expect(bare.replaceAll(/\d+ s ago/g, '')).toBe(plain.stdout.replaceAll(/\d+ s ago/g, ''));
});

test('a store in which nothing is published, and one without workers, say so', async () => {
  const { status, database } = await openScene();
  expect(await status()).toMatchObject({
    code: 0,
    stdout: 'No manifest is published; `fwdsync publish --help` says how to publish one.\n',
  });
  await publishAccounts(database, ['a@agency.example']);
  const { stdout } = await status();
  expect(stdout).toContain('1 account: 1 unknown.\n');
  expect(stdout).toContain('No worker is running; start one with: `fwdsync run`\n');
});

test('no store is wrong usage, one that cannot be reached a failure; neither prints a document', async () => {
  const scene = await commandScene();
  const none = await scene.run(['status', '--format', 'json']);
  expect(none).toMatchObject({ code: 64, stdout: '' });
  expect(none.stderr).toContain('give --store, or set FWDSYNC_STORE');
  const env = { FWDSYNC_STORE: 'postgres://u@127.0.0.1:1/x' };
  expect(await scene.run(['status'], { env })).toMatchObject({ code: 1, stdout: '' });
  expect(scene.requests()).toEqual([]);
});
