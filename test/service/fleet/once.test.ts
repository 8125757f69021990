import { hostname } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import type { TestDatabases } from '../../support/postgres.ts';
import { everyNth } from '../../support/share.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { manifestOf, openFleet, type Ended } from './support/fleet.ts';

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

test('run --once applies what is published, and then has nothing to do until an interval is over', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  expect(await fleet.once()).toMatchObject({ code: 0 });
  expect([fleet.forward('a'), fleet.forward('b')]).toEqual(['ana@corp.example', 'ana@corp.example']);
  for (const name of ['a', 'b'])
    expect(await fleet.account(name)).toMatchObject({
      state: 'in-sync',
      wanted: 1,
      applied: 1,
      failures: 0,
      worker: null,
    });
  const sent = fleet.requests('a');
  expect(await fleet.once()).toMatchObject({ code: 0, log: [] });
  expect(fleet.requests('a')).toBe(sent);
});

test('it ends like run --once --accounts: 3 once something was written and an account fails, else with what failed', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('b', { text: manifestOf('b', 'ana@corp.example').replace('KEY_B', 'KEY_OF_NOBODY') });
  expect(await fleet.once()).toMatchObject({ code: 1 });
  expect(await fleet.account('b')).toMatchObject({
    state: 'failing',
    failures: 1,
    error: expect.stringContaining('KEY_OF_NOBODY'),
  });
  await fleet.publish('b', { text: manifestOf('b', 'ana@corp.example').replace('key:', 'url:') });
  expect(await fleet.once()).toMatchObject({ code: 5 });
  await fleet.publish('a');
  await fleet.publish('b', { text: manifestOf('b', 'eve@corp.example').replace('KEY_B', 'KEY_OF_NOBODY') });
  expect(await fleet.once()).toMatchObject({ code: 3 });
  expect(fleet.forward('a')).toBe('ana@corp.example');
});

test('a revision that is damaged fails its account, which says how to repair it; the others are run', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  await fleet.database.query(
    `UPDATE fwdsync.revisions SET manifest = '\\x00' FROM fwdsync.accounts WHERE id = account AND email LIKE 'b@%'`,
  );
  expect(await fleet.once()).toMatchObject({ code: 3 });
  expect(fleet.forward('a')).toBe('ana@corp.example');
  expect(await fleet.account('b')).toMatchObject({
    state: 'failing',
    error: expect.stringContaining(
      'revision 1 is damaged in the store: publish the manifest of b@fleet.example again',
    ),
  });
  expect(fleet.requests('b')).toBe(0);
  await fleet.publish('b');
  expect(await fleet.once()).toMatchObject({ code: 0 });
  expect(fleet.forward('b')).toBe('ana@corp.example');
});

test('a domain that stops receiving mail is in the state of its account, though its revision is applied', async () => {
  const fleet = await openFleet(server, ['a']);
  const ended: Ended[] = [];
  const [domain] = fleet.emulator.accounts.get('key-of-a')?.store.state.domains.values() ?? [];
  for (const name of ['ana', 'ben', 'eve']) {
    await fleet.publish('a', { forward: `${name}@corp.example` });
    ended.push(await fleet.once());
    if (domain !== undefined) domain.fields.forwarding_ready = false;
  }
  expect(
    ended.map(({ code, log }) => [
      code,
      log.flatMap(({ event }) => (event === 'domain.not-receiving' ? [event] : [])),
    ]),
  ).toEqual([
    [0, []],
    [0, []],
    [0, ['domain.not-receiving']],
  ]);
  expect(ended.flatMap(({ log }) => log.filter(({ event }) => event === 'account.not-applied'))).toEqual([]);
  expect(await fleet.account('a')).toMatchObject({
    state: 'not-receiving',
    applied: 3,
    error: 'a.example no longer receives mail, according to the service',
    notReceiving: { stopped: ['a.example'], never: [] },
  });
});

test('in observe mode drift is 2, and nothing is written', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  expect(await fleet.once(['--mode', 'observe'])).toMatchObject({ code: 2 });
  expect(fleet.forward('a')).toBeUndefined();
  expect(await fleet.account('a')).toMatchObject({ state: 'drifted', applied: null });
});

test('it says which accounts it did not apply, and why: one that a worker only read, and one whose key was refused', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  const unapplied = ({ log }: Ended): unknown => log.filter(({ event }) => event === 'account.not-applied');
  expect(await fleet.once(['--mode', 'observe'], { KEY_B: 'wrong-key' })).toMatchObject({ code: 1 });
  expect(await fleet.account('a')).toMatchObject({ state: 'drifted', readAt: expect.any(Number) });
  const sent = fleet.requests('a') + fleet.requests('b');
  const ended = await fleet.once([], { KEY_B: 'wrong-key' });
  expect(unapplied(ended)).toMatchObject([
    {
      account: 'a@fleet.example',
      level: 'warn',
      revision: 1,
      state: 'drifted',
      message: expect.stringMatching(
        /^revision 1 is not applied: the last run found changes but did not make them; it is due in \d+ d/,
      ),
    },
    {
      account: 'b@fleet.example',
      state: 'failing',
      message: expect.stringMatching(/is not applied: .*401.*; it is due in/),
    },
  ]);
  expect(fleet.requests('a') + fleet.requests('b')).toBe(sent);
  await fleet.publish('a', { forward: 'eve@corp.example' });
  await fleet.publish('b', { forward: 'eve@corp.example' });
  expect(unapplied(await fleet.once())).toEqual([]);
});

test('a manifest without a domain counts as read', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a', {
    text: 'version: 1\napi: { account: a@fleet.example, key: { env: KEY_A } }\ndomains: {}\n',
  });
  expect(await fleet.once(['--mode', 'observe'])).toMatchObject({ code: 0 });
  expect(await fleet.account('a')).toMatchObject({ readAt: expect.any(Number) });
});

test('a manifest that was published for another API is not applied', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  const elsewhere = fleet.emulator.urls.v4.replace('127.0.0.1', 'localhost');
  expect(await fleet.once([], { FWDSYNC_API_URL: elsewhere })).toMatchObject({ code: 1 });
  expect(fleet.requests('a')).toBe(0);
  expect(await fleet.account('a')).toMatchObject({
    error: expect.stringContaining('published for another API'),
  });
});

test('a refused key is not sent again until it or the revision is another one', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  const due = (): Promise<unknown> => fleet.database.query('UPDATE fwdsync.account_runs SET due_at = now()');
  const wrong = { KEY_A: 'wrong-key' };
  expect(await fleet.once([], wrong)).toMatchObject({ code: 1 });
  expect(await fleet.account('a')).toMatchObject({ parked: true, state: 'failing', failures: 1 });
  const refused = fleet.emulator.journal.entries().length;
  expect(refused).toBeGreaterThan(0);
  await due();
  expect(await fleet.once([], wrong)).toMatchObject({ code: 1 });
  expect(fleet.emulator.journal.entries()).toHaveLength(refused);
  await fleet.publish('a', { forward: 'ben@corp.example' });
  expect(await fleet.once([], wrong)).toMatchObject({ code: 1 });
  expect(fleet.emulator.journal.entries().length).toBeGreaterThan(refused);
  await due();
  expect(await fleet.once()).toMatchObject({ code: 0 });
  expect(await fleet.account('a')).toMatchObject({
    parked: false,
    state: 'in-sync',
    failures: 0,
    applied: 2,
  });
});

test('after a run that was never recorded the limits count as used up until a window after its last sign is over', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  await fleet.once();
  const lost = (silence: string): Promise<unknown> =>
    fleet.database.query(
      `UPDATE fwdsync.account_runs SET due_at = now(), epoch = epoch + 1, alive_at = now() - $1::interval`,
      [silence],
    );
  const secondsOf = async (): Promise<number> => {
    const { log } = await fleet.once([], { FWDSYNC_LOG_LEVEL: 'debug' });
    return Number(log.find(({ event }) => event === 'run.finished')?.['seconds']);
  };
  // A window of a minute, 20 s for a run without a heartbeat, and 5 s for its last request.
  await lost('81 s');
  expect(await secondsOf()).toBeGreaterThan(2.5);
  await lost('86 s');
  expect(await secondsOf()).toBeLessThan(2.5);
}, 30_000);

test('in the tables of workers and of their queue the emails of accounts, times and numbers alone are in clear', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  await fleet.publish('a');
  await fleet.publish('b');
  await fleet.once(['--mode', 'observe'], { KEY_B: 'wrong-key' });
  expect(await fleet.account('b')).toMatchObject({
    error: expect.stringContaining('the key is not accepted'),
  });
  const tables = ['fwdsync.workers', 'fwdsync.scheduler', 'fwdsync.account_runs', 'fwdsync_queue.job'];
  const rows = await Promise.all(tables.map((table) => fleet.database.query(`SELECT * FROM ${table}`)));
  expect(rows.map(({ length }) => length).slice(0, 3)).toEqual([1, 0, 2]);
  const text = JSON.stringify(rows, (_, value: unknown) =>
    isBytes(value) ? Buffer.from(value.data).toString('latin1') : value,
  );
  // A short host name may occur in encrypted bytes by chance, but not at the start of a name.
  expect(text).not.toContain(`"name":"${hostname()}`);
  for (const secret of [
    'the key is not accepted',
    'wrong-key',
    'key-of',
    'corp.example',
    'GET ',
    'drifted',
    'failing',
  ])
    expect(text).not.toContain(secret);
});

function isBytes(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}

test('a removed account is no longer run', async () => {
  const fleet = await openFleet(server, ['a']);
  await fleet.publish('a');
  await fleet.database.query('UPDATE fwdsync.accounts SET wanted = NULL');
  expect(await fleet.once()).toMatchObject({ code: 0, log: [] });
  expect(fleet.requests('a')).toBe(0);
});

const REFUSED = [
  [['--concurrency', '5', '-f', 'fwdsync.yaml'], '--concurrency has an effect only for a worker'],
  [['--job-expiry', '60s', '-f', 'fwdsync.yaml'], '--job-expiry has an effect only for a worker'],
  [['--job-expiry', '29s'], '--job-expiry 29s is too short'],
  [['--domain', 'a.example'], '--domain has no effect for a worker'],
  [['--drift-url', 'http://127.0.0.1:1/v3'], '--drift-url has no effect'],
] as const;

test.each(everyNth(2, REFUSED))('%j is 64', async (args, message) => {
  const fleet = await openFleet(server, []);
  const ended = await fleet.once(args);
  expect([ended.code, ended.stderr]).toEqual([64, expect.stringContaining(message)]);
});

test('a worker sends no key of another account as a password or a destination, whichever worker runs that one', async () => {
  const fleet = await openFleet(server, ['a', 'b']);
  const asPassword = manifestOf('a', 'ana@corp.example').replace(
    'example } }',
    'example }, credentials: { carol: { password: { env: KEY_B } } } }',
  );
  await fleet.publish('b');
  await fleet.publish('a', { text: asPassword });
  // The worker does not have the other key's value to compare with. Only the name of the variable shows that it is a key.
  const first = await fleet.once(['--concurrency', '1'], { KEY_B: 'another-key-of-b' });
  expect(JSON.stringify(first.log)).toContain('add credential carol of a.example: its password is');
  const journal = fleet.emulator.accounts.get('key-of-a')?.journal.entries() ?? [];
  expect(journal.filter(({ path, method }) => method !== 'GET' && path.includes('credentials'))).toEqual([]);
  // A later revision of the other account takes effect at once.
  await fleet.publish('a', { forward: '{ env: OTHER }' });
  await fleet.publish('b', { text: manifestOf('b', 'eve@corp.example').replace('KEY_B', 'OTHER') });
  const second = await fleet.once([], { OTHER: 'https://hooks.corp.example/as-a-webhook' });
  expect(fleet.forward('a')).toBe('ana@corp.example');
  expect(JSON.stringify(second.log)).toContain(
    '{ env: OTHER } cannot be used: it is the API key of an account',
  );
});
