import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measure, type Measured } from '../core/manifest/support/measured.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openWorkspace, OWNER } from '../support/workspace.ts';

/** What only a store, or mail in the emulator, needs. */
const ON_DEMAND = ['pg', 'pg-boss', 'smtp-server', 'nodemailer', 'mailauth', 'postal-mime'];
const MANIFEST = `version: 1
api: { account: ${OWNER} }
domains:
  acme.example:
    aliases: { sales: ana@corp.example }
`;

function onDemandOf({ bundled }: Measured): readonly string[] {
  return bundled.filter((name) => ON_DEMAND.includes(name));
}

async function loading() {
  const { directory, env: own, write } = await openWorkspace([{ domain: 'acme.example' }]);
  await write(MANIFEST);
  const manifest = ['-f', join(directory, 'fwdsync.yaml')];
  return async (
    [command = '', ...args]: readonly string[],
    how: { readonly env?: Readonly<Record<string, string>>; readonly endAt?: string } = {},
  ) => {
    const ended = await measure([command, ...manifest, ...args], {
      ...how,
      env: { ...own, ...how.env },
    });
    return { ...ended, onDemand: onDemandOf(ended) };
  };
}

test('no command loads a library for a store or for mail unless one is asked for', async () => {
  const run = await loading();
  const daemon = ['run', '--listen', '127.0.0.1:0', '--log-format', 'json'];
  for (const line of [['validate'], ['plan'], ['apply', '--yes'], ['run', '--once'], daemon]) {
    const ended = await run(line, line === daemon ? { endAt: '"event":"run.finished"' } : {});
    expect([line, ended.code, ended.onDemand], ended.stderr).toEqual([line, 0, []]);
    expect(ended.bundled).toContain('yaml');
  }
});

test('with a store it does, which the test above would see', async () => {
  const run = await loading();
  const ended = await run(['plan'], { env: { FWDSYNC_STORE: 'postgres://u@127.0.0.1:1/x' } });
  expect([ended.code, ended.onDemand]).toEqual([1, ['pg']]);
});

test('the queue is loaded by a worker, and by no other run', async () => {
  const { directory, env, write } = await openWorkspace([{ domain: 'acme.example' }]);
  await write(MANIFEST);
  const { FWDSYNC_STATE_DIR: _, ...own } = env;
  const store = { ...own, FWDSYNC_STORE: await (await sharedPostgres()).createDatabase() };
  const loaded = async (args: readonly string[]) => {
    const ended = await measure(['run', '--once', ...args], { env: store });
    return [ended.code, ended.bundled.filter((name) => ON_DEMAND.includes(name))];
  };
  expect(await loaded([])).toEqual([0, ['pg', 'pg-boss']]);
  expect(await loaded(['-f', join(directory, 'fwdsync.yaml')])).toEqual([0, ['pg']]);
});

test.each([
  [['demo'], []],
  [['emulator', '--port', '0'], []],
  [
    ['emulator', '--port', '0', '--smtp', '0'],
    ['mailauth', 'nodemailer', 'postal-mime', 'smtp-server'],
  ],
])('%j loads %j', async (args, onDemand) => {
  const ended = await measure(args, args[0] === 'emulator' ? { endAt: '"v4"' } : {});
  expect([ended.code, onDemandOf(ended)], ended.stderr).toEqual([0, onDemand]);
});
