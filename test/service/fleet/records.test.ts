import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { readQueue } from '../../../src/service/fleet/queue.ts';
import {
  listFleetAccounts,
  listFleetWorkers,
  placeOfRun,
  placeOfWorker,
} from '../../../src/service/fleet/records.ts';
import { publishManifests } from '../../../src/engine/state/postgres/published/revisions.ts';
import { openDatabase, type Database } from '../../../src/engine/state/postgres/database.ts';
import { parseStoreUrl } from '../../../src/engine/state/postgres/store-url.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

async function openStore(): Promise<Database> {
  const address = parseStoreUrl(await server.createDatabase());
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key: randomBytes(32), connections: 2 });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
}

async function publish(database: Database, account: string): Promise<void> {
  const manifest = {
    texts: [{ file: 'a.yaml', text: account }],
    commit: null,
    host: 'h',
    user: null,
    actor: null,
  };
  const apiUrl = 'https://api.improvmx.com/v4';
  expect(await publishManifests(database, [{ account, apiUrl, manifest, domains: null }], 0)).toMatchObject({
    ok: true,
  });
}

test('an account that no worker has seen is unknown, and one that was not read for three intervals is unattended', async () => {
  const database = await openStore();
  const { query, cipher } = database;
  await publish(database, 'a@acme.example');
  await publish(database, 'b@acme.example');
  expect(await listFleetAccounts(database)).toMatchObject([
    { email: 'a@acme.example', wanted: 1, applied: null, state: 'unknown', readAt: null, intervalMs: null },
    { email: 'b@acme.example' },
  ]);
  const outcome = (account: string): Buffer =>
    cipher.seal(placeOfRun(account, 'outcome', '7'), JSON.stringify({ state: 'in-sync', error: null }));
  const ran = `INSERT INTO fwdsync.account_runs
    (account, since, due_at, interval_ms, epoch, applied, read_at, recorded, outcome)
    VALUES ($1, now(), now(), 60000, 7, 1, now() - $2::interval, 7, $3)`;
  await query(ran, ['1', '170 s', outcome('1')]);
  await query(ran, ['2', '190 s', outcome('2')]);
  expect(await listFleetAccounts(database)).toMatchObject([
    { state: 'in-sync', applied: 1, intervalMs: 60_000, worker: null },
    { state: 'unattended' },
  ]);
});

test('a worker that was not seen for its job expiry is lost, unless it ended; an old one is not listed', async () => {
  const database = await openStore();
  const add = async (seen: string, ended: string | null): Promise<string> => {
    const id = randomUUID();
    await database.query(
      `INSERT INTO fwdsync.workers (id, name, version, concurrency, job_expiry_ms, started_at, seen_at, ended_at)
       VALUES ($1, $2, '1.0.0', 50, 60000, now() - $3::interval, now() - $3::interval, now() - $4::interval)`,
      [id, database.cipher.seal(placeOfWorker(id), `process ${seen}`), seen, ended],
    );
    return id;
  };
  const running = await add('50 s', null);
  await add('70 s', null);
  await add('80 s', '80 s');
  await add('25 h', null);
  await database.query(`INSERT INTO fwdsync.scheduler (worker, until) VALUES ($1, now() + interval '5 s')`, [
    running,
  ]);
  expect(await listFleetWorkers(database)).toMatchObject([
    { id: running, name: 'process 50 s', state: 'running', scheduler: true, concurrency: 50, running: 0 },
    { name: 'process 70 s', state: 'lost', scheduler: false },
    { name: 'process 80 s', state: 'ended' },
  ]);
});

test('a store that no worker has used has an empty queue', async () => {
  expect(await readQueue(await openStore())).toEqual({ depth: 0, oldestWaitMs: null });
});
