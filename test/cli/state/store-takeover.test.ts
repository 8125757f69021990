import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { fwdsync, type CommandResult } from '../../support/command.ts';
import { startPostgres, type TestDatabases } from '../../support/postgres.ts';
import { IS_FULL } from '../../support/share.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { OWNER } from '../../support/workspace.ts';
import { place } from '../support/daemon-process.ts';

/** Advances the clock of the locks by more than a lease. */
const PASS_AN_HOUR = `UPDATE fwdsync.locks SET refreshed_at = refreshed_at - interval '1 hour'`;

/** Sends requests one after another, so that none is in flight while the first is answered. */
const MANIFEST = `version: 1
api: { account: ${OWNER} }
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { sales: carol@corp.example, boss: boss@corp.example }
`;

// Three runs in turn, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });

interface Run {
  readonly emulator: Emulator;
  readonly url: string;
  /** Runs `fwdsync apply --yes`; with `onSpawn` as a separate process. */
  readonly apply: (onSpawn?: (child: ChildProcess) => void) => Promise<CommandResult>;
  /** Returns the number of writes so far. */
  readonly writes: () => number;
}

async function openRun(server: TestDatabases): Promise<Run> {
  const url = await server.createDatabase();
  const { emulator, directory, env } = await place(MANIFEST);
  const store = { FWDSYNC_STORE: url, FWDSYNC_STORE_KEY: randomBytes(32).toString('base64') };
  const line = ['apply', '--yes', '--allow-unrouted', 'old@acme.example'];
  return {
    emulator,
    url,
    apply: (onSpawn) =>
      fwdsync(line, {
        cwd: directory,
        env: { ...env, ...store },
        ...(onSpawn === undefined ? {} : { onSpawn }),
      }),
    writes: () => emulator.journal.entries().filter(({ method }) => method !== 'GET').length,
  };
}

/** Calls `work` after the first write has been processed, before it is answered. */
function atFirstWrite(emulator: Emulator, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = emulator.onRequest(({ phase, method }) => {
      if (phase !== 'after' || method === 'GET') return;
      stop();
      work().then(resolve, reject);
    });
  });
}

test('a run that was stopped, and that another has taken over from, writes nothing once it goes on', async () => {
  const server = await sharedPostgres();
  const { emulator, url, apply, writes } = await openRun(server);
  let before = 0;
  let stopped: ChildProcess | undefined;
  const takeover = atFirstWrite(emulator, async () => {
    stopped?.kill('SIGSTOP');
    await server.run(url, PASS_AN_HOUR);
    const second = await apply();
    expect(second.code, second.stdout + second.stderr).toBe(0);
    before = writes();
    stopped?.kill('SIGCONT');
  });
  const first = await apply((child) => (stopped = child));
  await takeover;
  expect(first.code, first.stdout + first.stderr).toBe(3);
  expect(first.stdout + first.stderr).toContain('taken over');
  expect(writes()).toBe(before);
  const [acme] = emulator.store.dump().domains;
  expect(acme?.aliases.map(({ alias }) => alias)).toEqual(['boss', 'sales']);
});

test.runIf(IS_FULL)(
  'a run that loses the database sends nothing more, and the next one ends its work',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { emulator, url, apply, writes } = await openRun(server);
    const outage = atFirstWrite(emulator, () => server.crash());
    const first = await apply(() => {});
    await outage;
    expect(first.code, first.stdout + first.stderr).toBe(3);
    const sent = writes();
    expect(sent).toBeLessThanOrEqual(2);
    expect(
      emulator.store.dump().domains.flatMap(({ aliases }) => aliases.map(({ alias }) => alias)),
    ).toContain('old');
    const refused = await apply();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(writes()).toBe(sent);
    await server.restart();
    // It could not release its lock.
    await server.run(url, PASS_AN_HOUR);
    expect((await apply()).code).toBe(0);
    expect(emulator.store.dump().domains[0]?.aliases.map(({ alias }) => alias)).toEqual(['boss', 'sales']);
  },
);
