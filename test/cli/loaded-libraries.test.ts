import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measure, type Measured } from '../core/manifest/support/measured.ts';
import { everyNth, IS_FULL } from '../support/share.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openWorkspace, OWNER } from '../support/workspace.ts';

/** Libraries that only a store, or mail in the emulator, needs. */
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

test('no command loads a library for a store or for mail unless one is asked for', async () => {
  const { directory, env, write } = await openWorkspace([{ domain: 'acme.example' }]);
  await write(MANIFEST);
  const daemon = ['run', '--listen', '127.0.0.1:0', '--log-format', 'json'];
  const lines = [['apply', '--yes'], ['validate'], ['plan'], daemon, ['run', '--once']];
  for (const line of everyNth(5, lines)) {
    const ended = await measure([...line, '-f', join(directory, 'fwdsync.yaml')], {
      env,
      ...(line === daemon ? { endAt: '"event":"run.finished"' } : {}),
    });
    expect([line, ended.code, onDemandOf(ended)], ended.stderr).toEqual([line, 0, []]);
    expect(ended.bundled).toContain('yaml');
  }
});

test.runIf(IS_FULL)('the queue is loaded by a worker, and by no other run', async () => {
  const { directory, env, write } = await openWorkspace([{ domain: 'acme.example' }]);
  await write(MANIFEST);
  const { FWDSYNC_STATE_DIR: _, ...own } = env;
  const store = { ...own, FWDSYNC_STORE: await (await sharedPostgres()).createDatabase() };
  const loaded: readonly (readonly [args: readonly string[], onDemand: readonly string[]])[] = [
    [[], ['pg', 'pg-boss']],
    [['-f', join(directory, 'fwdsync.yaml')], ['pg']],
  ];
  for (const [args, onDemand] of everyNth(2, loaded)) {
    const ended = await measure(['run', '--once', ...args], { env: store });
    expect([args, ended.code, onDemandOf(ended)], ended.stderr).toEqual([args, 0, onDemand]);
  }
});

const MAIL = ['mailauth', 'nodemailer', 'postal-mime', 'smtp-server'];

test.each(
  everyNth(3, [
    [['emulator', '--port', '0', '--smtp', '0'], MAIL],
    [['demo'], []],
    [['emulator', '--port', '0'], []],
  ]),
)('%j loads %j', async (args, onDemand) => {
  const ended = await measure(args, args[0] === 'emulator' ? { endAt: '"v4"' } : {});
  expect([ended.code, onDemandOf(ended)], ended.stderr).toEqual([0, onDemand]);
});
