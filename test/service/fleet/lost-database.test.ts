import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { IS_FULL } from '../../support/share.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { openFleet, type Fleet } from './support/fleet.ts';

// The database is stopped and started while workers run, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

/** Makes the remains of an unrecorded run old: its lock, its job, and its use of the rate limits. */
const PASS_AN_HOUR = `
  UPDATE fwdsync.locks SET refreshed_at = refreshed_at - interval '1 hour';
  UPDATE fwdsync_queue.job SET heartbeat_on = heartbeat_on - interval '1 hour';
  UPDATE fwdsync.account_runs SET memory = NULL`;

let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server.stop());

/** Two aliases to add, one to change and one to delete: two requests of stage 1, then one of stage 2. */
function manifest(boss: string): string {
  return `version: 1
api: { account: a@fleet.example, key: { env: KEY_A } }
domains:
  a.example:
    prune: { aliases: true }
    aliases: { sales: ${boss}, info: ${boss} }
  b.example: { aliases: { info: ${boss} } }
`;
}

async function atWork(fleet: Fleet): Promise<void> {
  await fleet.publish('a', { text: manifest('ana@corp.example').replace('sales', 'old') });
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 1 });
}

test('without the database a run sends nothing more than what is in flight, and the worker goes on once it is back', async () => {
  const fleet = await openFleet(server, ['a']);
  const worker = fleet.worker();
  await atWork(fleet);
  const before = fleet.writes('a');
  const outage = fleet.atFirst('a', 'write', () => server.crash());
  await fleet.publish('a', { text: manifest('ben@corp.example') });
  await outage;
  await worker.logged('store.unavailable');
  // Only requests of both domains that were in flight; none of stage 2.
  expect(fleet.writes('a') - before).toBeLessThanOrEqual(2);
  expect(fleet.aliases('a')).toContain('old');
  const sent = fleet.requests('a');
  await server.restart();
  await worker.logged('store.available');
  expect(fleet.requests('a')).toBe(sent);
  await server.run(fleet.url, PASS_AN_HOUR);
  await expect.poll(() => fleet.forward('a')).toBe('ben@corp.example');
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 2, state: 'in-sync' });
  expect(fleet.aliases('a')).not.toContain('old');
  const ended = await worker.stop();
  expect(ended.log.filter(({ event }) => event === 'store.unavailable')).toHaveLength(1);
});

test.runIf(IS_FULL)('if the database is lost after stage 1, stage 2 does not begin', async () => {
  const fleet = await openFleet(server, ['a']);
  const worker = fleet.worker();
  await atWork(fleet);
  const outage = fleet.atFirst('a', 'write', () => server.crash());
  // One request of stage 1, and the delete of `old` after it.
  const text = manifest('ana@corp.example');
  await fleet.publish('a', { text });
  await outage;
  await worker.logged('store.unavailable');
  expect(fleet.aliases('a').toSorted()).toEqual(['info', 'old', 'sales']);
  await server.restart();
  await server.run(fleet.url, PASS_AN_HOUR);
  await expect.poll(() => fleet.account('a')).toMatchObject({ applied: 2, state: 'in-sync' });
  expect(fleet.aliases('a').toSorted()).toEqual(['info', 'sales']);
  await worker.stop();
});

test.runIf(IS_FULL)(
  'a run that the database has not heard of for a third of the job expiry sends no request at all',
  async () => {
    const fleet = await openFleet(server, ['a']);
    const worker = fleet.worker(['--job-expiry', '30s']);
    const port = await worker.port();
    await atWork(fleet);
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const reading = fleet.atFirst('a', 'list', async () => {
      await server.crash();
      await held;
    });
    await fleet.publish('a', { text: manifest('ben@corp.example') });
    await worker.logged('store.unavailable');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('the store cannot be used'),
    ]);
    // Three heartbeats fail, 5 s apart.
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    const sent = fleet.requests('a');
    goOn();
    await reading;
    await worker.logged('run.lost');
    expect(fleet.requests('a')).toBeLessThanOrEqual(sent + 1);
    await server.restart();
    await worker.stop();
  },
);
