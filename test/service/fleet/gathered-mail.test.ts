import { expect, onTestFinished, test } from 'vitest';
import { byHand } from '../../support/by-hand.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { startMailServer } from '../notify/support/mail-server.ts';
import { openFleet, type Fleet } from './support/fleet.ts';
import { startWorker } from './support/worker-process.ts';
import { IS_FULL } from '../../support/share.ts';

const NAMES = ['a', 'b'];

/** Changes the alias of an account by hand. */
async function edit({ emulator }: Fleet, name: string): Promise<void> {
  const accounts = new Map([...emulator.accounts].filter(([key]) => key === `key-of-${name}`));
  const domain = accounts.get(`key-of-${name}`)?.store.dump().domains[0];
  const id = domain?.aliases.find(({ alias }) => alias === 'sales')?.id ?? 0;
  const path = `/v4/domains/${name}.example/aliases/${id}`;
  await byHand({ accounts }, 'PUT', path, { forward: 'eve@elsewhere.example' });
}

test.runIf(IS_FULL)('two worker processes gather what both found, and send it once', async () => {
  const mail = await startMailServer({ tls: 'none' });
  const fleet = await openFleet(await sharedPostgres(), NAMES);
  for (const name of NAMES) await fleet.publish(name);
  const env = {
    ...fleet.env,
    FWDSYNC_NOTIFY_URL: `smtp://127.0.0.1:${mail.port}/?from=fwdsync@acme.example&to=ops@acme.example`,
  };
  const args = ['--interval', '1s', '--concurrency', '1', '--notify-format', 'mail', '--notify-every', '5s'];
  const workers = await Promise.all([startWorker(args, env), startWorker(args, env)]);
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  // The run itself corrects changes before its end, so they are no drift.
  for (const name of NAMES) await expect.poll(async () => (await fleet.account(name))?.applied).toBe(1);
  for (const name of NAMES) await edit(fleet, name);
  const told = (): readonly string[] =>
    mail.mails.flatMap(({ text = '' }) => text.match(/^ +alias sales of .* was changed outside.*$/gm) ?? []);
  await expect.poll(told).toHaveLength(NAMES.length);
  // A worker that stops first sends the rest of the current mail.
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
  expect(told().toSorted()).toEqual(
    NAMES.map((name) => expect.stringContaining(`alias sales of ${name}.example`) as unknown),
  );
});
