import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';
import type { TestDatabases } from '../../support/postgres.ts';
import { ACME, aliasesOf } from '../support/applied.ts';
import { commandScene, type CommandScene, type Output } from '../support/scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let server: TestDatabases;

beforeAll(async () => {
  server = await sharedPostgres();
});

type Place = 'directory' | 'store';
const PLACES: readonly Place[] = ['directory', 'store'];

interface Machines {
  readonly scene: CommandScene;
  /** Applies `sales: PERSON@corp.example` on a machine with this clock error. Returns the run. */
  readonly apply: (person: string, skewMs: number) => Promise<string>;
  /** Runs a command on a machine with the correct time. */
  readonly run: (args: readonly string[]) => Promise<Output>;
}

/** Machines that share a state, with a minute between their runs. `begin` is the true time of the first run, from midnight. */
async function machines(keptIn: Place, begin: number): Promise<Machines> {
  const scene = await commandScene({ seed: { domains: [ACME] } });
  scene.clock.advance(begin);
  const store = { FWDSYNC_STORE: keptIn === 'store' ? await server.createDatabase() : '' };
  const env: Readonly<Record<string, string>> = keptIn === 'store' ? { ...store, FWDSYNC_STATE_DIR: '' } : {};
  const run: Machines['run'] = (args) => scene.run(args, { env });
  return {
    scene,
    run,
    apply: async (person, skewMs) => {
      await scene.manifest(`domains: { acme.example: { aliases: { sales: ${person}@corp.example } } }\n`);
      scene.clock.advance(MINUTE + skewMs);
      const { code, stdout, stderr } = await run(['apply', '--yes']);
      expect(code, stdout + stderr).toBe(0);
      scene.clock.advance(-skewMs);
      return /^undo: fwdsync undo (\w+)/m.exec(stdout)?.[1] ?? 'none';
    },
  };
}

interface Blamed {
  readonly entries: readonly { readonly run: string }[];
}

interface Listed {
  readonly runs: readonly { readonly id: string }[];
}

const SKEWS: readonly (readonly [name: string, begin: number, skews: readonly number[]])[] = [
  ['ten minutes ahead, then right', 12 * HOUR, [10 * MINUTE, 0, 0]],
  ['right, then ten minutes back', 12 * HOUR, [0, 0, -10 * MINUTE]],
  ['over midnight, then five minutes back', 24 * HOUR - 2 * MINUTE, [0, 2 * MINUTE, -5 * MINUTE]],
  ['over midnight by a clock that is a day ahead', 12 * HOUR, [24 * HOUR, 0, -24 * HOUR]],
];

describe('clocks that differ between machines that share a state', () => {
  test.each(
    everyNth(
      3,
      PLACES.flatMap((keptIn) => SKEWS.map((row) => [keptIn, ...row] as const)),
    ),
  )('in a %s the order is that of writing: %s', async (keptIn, _, begin, skews) => {
    const { scene, apply, run } = await machines(keptIn, begin);
    const runs: string[] = [];
    for (const [index, skew] of skews.entries()) runs.push(await apply(`person-${index}`, skew));
    const newestFirst = runs.toReversed();
    const blamed = await run(['blame', 'sales@acme.example', '--format', 'json']);
    expect((JSON.parse(blamed.stdout) as Blamed).entries.map((entry) => entry.run)).toEqual(newestFirst);
    const listed = await run(['history', '--format', 'json']);
    expect((JSON.parse(listed.stdout) as Listed).runs.map(({ id }) => id)).toEqual(newestFirst);
    // Values that a later run set on purpose stay when an earlier run is undone.
    for (const earlier of runs.slice(0, -1)) {
      const undone = await run(['undo', '--yes', earlier]);
      expect(undone.code, undone.stdout).toBe(6);
      expect(undone.stdout).toContain('it was changed since by apply');
    }
    expect(aliasesOf(scene)).toMatchObject({ sales: 'person-2@corp.example' });
    const last = await run(['undo', '--yes', runs[2] ?? '']);
    expect(last.code, last.stdout).toBe(0);
    expect(aliasesOf(scene)).toMatchObject({ sales: 'person-1@corp.example' });
  });

  test.runIf(IS_FULL).each(PLACES)(
    'in a %s the snapshot that a report names is there, however many a clock ahead has saved',
    async (keptIn) => {
      const { scene, apply, run } = await machines(keptIn, 12 * HOUR);
      for (let count = 0; count < 51; count += 1) await apply(`ahead-${count}`, 10 * HOUR);
      await scene.manifest('domains: { acme.example: { aliases: { sales: last@corp.example } } }\n');
      const { stdout } = await run(['apply', '--yes']);
      const [, path = ''] = /^snapshot: fwdsync apply -f (\S+)/m.exec(stdout) ?? [];
      if (keptIn === 'directory') expect(existsSync(path)).toBe(true);
      const undone = await run(['apply', '-f', path, '--yes']);
      expect(undone.code, undone.stdout + undone.stderr).toBe(0);
      expect(aliasesOf(scene)).toMatchObject({ sales: 'ahead-50@corp.example' });
    },
  );
});

test('blame and history without an account: each entry names its account, the newest first, in one state directory', async () => {
  const [one, other] = [
    await commandScene({ seed: { domains: [ACME] } }),
    await commandScene({ seed: { domains: [ACME], account: { email: 'other@account.example' } } }),
  ];
  const shared = { FWDSYNC_STATE_DIR: join(one.directory, 'state'), FWDSYNC_ACCOUNT: '' };
  const runs: string[] = [];
  for (const [index, scene] of [other, one, other].entries()) {
    const account = scene === one ? 'owner@account.example' : 'other@account.example';
    await scene.manifest(`domains: { acme.example: { aliases: { sales: p${index}@corp.example } } }\n`);
    scene.clock.advance((index + 1) * HOUR - (scene.clock.now() - Date.parse('2026-09-01T00:00:00Z')));
    const { code, stdout } = await scene.run(['apply', '--yes', '--account', account], { env: shared });
    expect(code, stdout).toBe(0);
    runs.push(`${account} ${/^undo: fwdsync undo (\w+)/m.exec(stdout)?.[1] ?? 'none'}`);
  }
  const blamed = await one.run(['blame', 'sales@acme.example', '--format', 'json'], { env: shared });
  const { entries } = JSON.parse(blamed.stdout) as {
    readonly entries: readonly { readonly account: string; readonly run: string }[];
  };
  expect(entries.map(({ account, run }) => `${account} ${run}`)).toEqual(runs.toReversed());
  const text = await one.run(['blame', 'sales@acme.example'], { env: shared });
  const heads = text.stdout.split('\n').filter((line) => line.includes('  run '));
  expect(heads.map((line) => line.replace(/^\S+ {2}(\S+) {2}run (\S+).*$/, '$1 $2'))).toEqual(
    runs.toReversed(),
  );
});
