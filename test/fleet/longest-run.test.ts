import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/cli/context.ts';
import type { AccountToRun } from '../../src/fleet/account-job.ts';
import { openQueue } from '../../src/fleet/queue.ts';
import { createWorker } from '../../src/fleet/worker.ts';
import { listFleetAccounts } from '../../src/fleet/records.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openStore, publish } from './support/fleet.ts';

const LONGEST_MS = 23 * 3_600_000;

test('a run that does not end is stopped after 23 h, before its job expires, and the account is due again', async () => {
  const server = await sharedPostgres();
  const database = await openStore(await server.createDatabase());
  const queue = await openQueue(database, { jobExpiryMs: 60_000, onFault: () => {} });
  onTestFinished(() => queue.close());
  await publish(database, 'a');
  const longest = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<AbortSignal>();
  const id = randomUUID();
  const worker = createWorker(
    {
      id,
      name: 'w',
      version: '1',
      concurrency: 1,
      mode: 'apply',
      intervalMs: 300_000,
      jobExpiryMs: 60_000,
    },
    {
      database,
      queue,
      random: Math.random,
      every: () => () => {},
      signal: new AbortController().signal,
      emit: () => {},
      onFault: () => {},
      onLost: () => {},
      clock: {
        ...systemClock,
        sleep: (milliseconds, signal) =>
          milliseconds === LONGEST_MS ? longest.promise : systemClock.sleep(milliseconds, signal),
      },
      openAccount: ({ signal }: AccountToRun) => ({
        read: () =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')));
            begun.resolve(signal);
          }),
        ports: {} as never,
        budgets: () => null,
        conceal: (text) => text,
        close: () => Promise.resolve(),
      }),
    },
  );
  const drained = worker.drain();
  const signal = await begun.promise;
  expect(signal.aborted).toBe(false);
  longest.resolve();
  expect(await drained).toMatchObject([{ kind: 'ended', result: 'invalid' }]);
  expect(await listFleetAccounts(database)).toMatchObject([{ state: 'failing', failures: 1, worker: null }]);
});
