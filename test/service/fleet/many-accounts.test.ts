import { beforeAll, expect, test } from 'vitest';
import { createRecentFleet } from '../../../src/service/fleet/recent-fleet.ts';
import { placeOfRun } from '../../../src/service/fleet/records.ts';
import type { Database } from '../../../src/engine/state/postgres/database.ts';
import { systemClock } from '../../../src/cli/context.ts';
import { serve } from '../status/support/serve.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openStore } from './support/fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

const ACCOUNTS = 5_000;

/** Records runs of all accounts; every hundredth run is withheld. */
async function fill({ query, cipher }: Database): Promise<void> {
  await query(
    `INSERT INTO fwdsync.accounts (email, host, wanted)
     SELECT 'ops@customer-' || n || '.example', 'h', 1 FROM generate_series(10001, $1) n`,
    [10_000 + ACCOUNTS],
  );
  await query(`INSERT INTO fwdsync.revisions SELECT id, 1, now(), 'sealed' FROM fwdsync.accounts`);
  const rows = await query<{ readonly id: string }>('SELECT id FROM fwdsync.accounts ORDER BY email');
  const outcomes = rows.map(({ id }, index) => {
    const outcome =
      index % 100 === 0 ? { state: 'withheld', error: 'max-deletes' } : { state: 'in-sync', error: null };
    return cipher.seal(placeOfRun(id, 'outcome', '1'), JSON.stringify(outcome));
  });
  await query(
    `INSERT INTO fwdsync.account_runs (account, since, due_at, interval_ms, applied, read_at, recorded, outcome)
     SELECT id, now(), now(), 300000, 1, now(), 1, outcome FROM unnest($1::bigint[], $2::bytea[]) AS run (id, outcome)`,
    [rows.map(({ id }) => id), outcomes],
  );
}

test('the page of 5,000 accounts is one page of rows', async () => {
  const database = await openStore(await server.createDatabase());
  await fill(database);
  const { get } = await serve([], { fleet: createRecentFleet(database, systemClock) });
  const first = await get('/');
  const next = await get('/?q=customer-14&page=3');
  expect(first.text).toContain('50 of 5000 accounts are withheld');
  expect(next.text).toContain('Page 3 of 40, 1000 accounts');
  expect(first.text.length).toBeLessThan(30_000);
});
