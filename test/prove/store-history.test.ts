import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { DomainName } from '../../src/core/model/names.ts';
import { blame } from '../../src/engine/state/history/blame.ts';
import { openDatabase, type Database } from '../../src/engine/state/postgres/database.ts';
import { openPostgresState } from '../../src/engine/state/postgres/postgres-store.ts';
import { parseStoreUrl } from '../../src/engine/state/postgres/store-url.ts';
import { virtualClock } from '../support/clock.ts';
import type { TestDatabases } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { itemEntry, runEntry } from '../engine/state/support/history-contract.ts';
import { runs } from '../support/share.ts';

const ITEMS = runs(1_000_000, 5_000);
const RUNS = ITEMS / 1_000;
const MOST_MS = runs(50, 5_000);
const TRIES = 20;

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

test(`what set an address is found among ${ITEMS} items in less than ${MOST_MS} ms, by an index`, async () => {
  const url = await server.createDatabase();
  const database = await openAt(url);
  const { history } = openPostgresState({
    database,
    account: 'ops@acme.example',
    apiUrl: 'https://api.example/v4',
    clock: virtualClock(),
    processes: { pid: 1, host: 'worker', command: 'apply' },
  });
  const at = '2026-01-01T00:00:00.000Z';
  // The test searches for the oldest run.
  await history.append([runEntry('oldest', at), itemEntry('oldest', 1, at)], 'synced');
  for (let run = 0; run < RUNS; run += 1) await history.append([runEntry(`run-${run}`, at)], 'synced');
  await fill(url);
  const times: number[] = [];
  for (let index = 0; index < TRIES; index += 1) {
    const begin = performance.now();
    const found = await blame(history, {
      domain: 'acme.example' as DomainName,
      keys: ['acme.example\nalias:sales'],
    });
    times.push(performance.now() - begin);
    expect(found.entries.map(({ run }) => run?.run)).toEqual(['oldest']);
  }
  const median = times.toSorted((a, b) => a - b)[TRIES / 2] ?? Infinity;
  console.info(`blame among ${ITEMS} items of ${RUNS} runs: median ${median.toFixed(1)} ms`);
  expect(median).toBeLessThan(MOST_MS);
  await database.close();
}, 600_000);

async function openAt(url: string): Promise<Database> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key: randomBytes(32), connections: 2 });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Items of other addresses. No index leads to them, so their content does not matter. */
async function fill(url: string): Promise<void> {
  const filling = `
    INSERT INTO fwdsync.history (account, subject, at, run, domain, keys, entry)
    SELECT 1, 'item', '2026-02-01', decode(md5((number / 1000)::text), 'hex'), 'acme.example',
      ARRAY[decode(md5('key' || number % 100000), 'hex')], decode(repeat(md5(number::text), 12), 'hex')
    FROM generate_series(1, ${ITEMS}) AS number;
    ANALYZE fwdsync.history`;
  await server.run(url, filling);
}
