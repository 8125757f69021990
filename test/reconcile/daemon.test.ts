import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AccountStatus, DaemonEvent } from '../../src/model/daemon.ts';
import type { AccountLoop } from '../../src/reconcile/account-loop.ts';
import { createClaims, claimingSource } from '../../src/reconcile/claims.ts';
import { createDaemon, ROUND_MS, type AccountEntry, type Daemon } from '../../src/reconcile/daemon.ts';
import type { ManifestLook } from '../../src/reconcile/manifest-source.ts';
import { watchFiles, type FileWatch, type WatchOptions } from '../../src/reconcile/watch.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { load } from '../apply/harness.ts';
import { createWorld, HOUR, MINUTE, type World } from './world.ts';
import { worldClock, type WorldClock } from './world-clock.ts';

const MANIFEST = 'domains:\n  acme.example: { aliases: { sales: carol@corp.example } }';

interface Running {
  readonly daemon: Daemon;
  readonly clock: WorldClock;
  readonly events: DaemonEvent[];
  /** How to kill each watcher that was made. */
  readonly watchers: (() => void)[];
  readonly loops: Map<string, { noticed: number }>;
  readonly stop: () => Promise<void>;
}

/** A daemon over loops that only count what they hear. */
function start(list: () => readonly AccountEntry[] | { readonly error: string }): Running {
  const clock = worldClock();
  const controller = new AbortController();
  const events: DaemonEvent[] = [];
  const watchers: (() => void)[] = [];
  const loops = new Map<string, { noticed: number }>();
  const daemon = createDaemon({
    clock,
    signal: controller.signal,
    emit: (event) => events.push(event),
    listAccounts: () => Promise.resolve(list()),
    openLoop: ({ name }) => countingLoop(name, loops, controller.signal),
    watched: (entries) => entries.flatMap(({ paths }) => paths),
    watch: (options) => mortal(options, watchers),
  });
  const ended = daemon.run();
  return {
    daemon,
    clock,
    events,
    watchers,
    loops,
    async stop() {
      controller.abort();
      await ended;
    },
  };
}

/** A watcher that can be made to die. */
function mortal(options: WatchOptions, watchers: (() => void)[]): FileWatch {
  let isKilled = false;
  const watch = watchFiles(options);
  watchers.push(() => {
    isKilled = true;
    options.onError(new Error('ENOSPC: too many watchers'));
  });
  return { ...watch, isAlive: () => !isKilled && watch.isAlive() };
}

function countingLoop(name: string, loops: Running['loops'], signal: AbortSignal): AccountLoop {
  const heard = { noticed: 0 };
  loops.set(name, heard);
  return {
    run: () => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    noticed() {
      heard.noticed += 1;
    },
    hangUp() {},
    unheard: () => 0,
    status: () => ({ name }) as AccountStatus,
  };
}

test('28: a watcher that dies is told and replaced, and the new one hears', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'acme.yaml');
  await fs.writeFile(path, 'version: 1\n');
  const { clock, events, watchers, loops, stop } = start(() => [{ name: 'acme', paths: [path] }]);
  await clock.pass(1_000);
  watchers[0]?.();
  expect(events).toEqual([{ account: '', kind: 'watcher-failed', message: 'ENOSPC: too many watchers' }]);
  await clock.pass(ROUND_MS);
  expect(watchers).toHaveLength(2);
  await fs.writeFile(path, 'version: 2\n');
  await expect.poll(() => loops.get('acme')?.noticed).toBeGreaterThan(0);
  await stop();
});

test('an account that is added is found; one that is gone stays', async () => {
  const directory = await temporaryDirectory();
  const entries: AccountEntry[] = [{ name: 'acme', paths: [join(directory, 'acme.yaml')] }];
  const { clock, daemon, stop } = start(() => entries);
  await clock.pass(1_000);
  entries.splice(0, 1, { name: 'beta', paths: [join(directory, 'beta.yaml')] });
  await clock.pass(ROUND_MS);
  expect(daemon.statuses().map(({ name }) => name)).toEqual(['acme', 'beta']);
  await stop();
});

test('a directory of accounts that is gone is told once, and the daemon lives', async () => {
  const { clock, daemon, events, stop } = start(() => ({ error: 'no such directory' }));
  await clock.pass(10 * MINUTE);
  expect(events).toMatchObject([{ kind: 'manifest-refused', message: 'no such directory', inForce: 'none' }]);
  expect(clock.monotonic() - daemon.beatAt()).toBeLessThanOrEqual(ROUND_MS);
  await stop();
});

test('28: 10,000 events in a second are one look at the files, and one run', async () => {
  const world = await createWorld({ seed: { domains: [{ domain: 'acme.example' }] }, manifest: MANIFEST });
  const daemon = world.start({ intervalMs: HOUR });
  await world.clock.pass(MINUTE);
  await world.write(MANIFEST.replace('carol', 'erin'));
  const before = runsOf(world);
  for (let event = 0; event < 10_000; event += 1) {
    daemon.loop.noticed();
    if (event % 1_000 === 0) await world.clock.pass(100);
  }
  await world.clock.pass(10_000);
  expect(runsOf(world) - before).toBe(1);
  expect(world.writes()).toHaveLength(2);
  await daemon.stop();
});

function runsOf({ events }: World): number {
  return events.filter(({ kind }) => kind === 'run-finished').length;
}

test('27: two daemons on one state directory take turns, and make no change twice', async () => {
  const world = await createWorld({ seed: { domains: [{ domain: 'acme.example' }] }, manifest: MANIFEST });
  const daemons = [world.start(), world.start()];
  await world.clock.pass(30 * MINUTE);
  expect(world.writes()).toHaveLength(1);
  for (const daemon of daemons) expect(daemon.states()).toEqual({ 'acme.example': 'in-sync' });
  await world.write(MANIFEST.replace('carol', 'erin'));
  await world.clock.pass(10 * MINUTE);
  expect(world.writes()).toHaveLength(2);
  for (const daemon of daemons) await daemon.stop();
});

test('27: two daemons with manifests that contradict each other come to rest', async () => {
  const world = await createWorld({ seed: { domains: [{ domain: 'acme.example' }] }, manifest: MANIFEST });
  const other = join(world.stateDirectory, '..', 'other.yaml');
  await fs.writeFile(other, `version: 1\n${MANIFEST.replace('carol', 'mallory')}\n`);
  const elsewhere = join(world.stateDirectory, '..', 'elsewhere');
  const pace = { intervalMs: 15 * MINUTE, lookEveryMs: HOUR };
  const daemons = [world.start(pace), world.start({ ...pace, path: other, stateDirectory: elsewhere })];
  await world.clock.pass(2 * HOUR);
  const before = world.writes().length;
  expect(before).toBeLessThan(12);
  await world.clock.pass(2 * HOUR);
  expect(world.writes()).toHaveLength(before);
  expect(daemons.map((daemon) => daemon.states()['acme.example'])).toContain('frozen');
  for (const daemon of daemons) await daemon.stop();
});

test('one account of two that both have a domain is refused until the other lets it go', async () => {
  const claims = createClaims();
  const look = (manifest: string): ManifestLook => {
    const desired = load(manifest, 'v4');
    return { kind: 'good', desired, size: { domains: 1, entries: 1 }, problems: [] };
  };
  const queues: Record<string, (ManifestLook | null)[]> = {
    acme: [look(MANIFEST)],
    beta: [look(MANIFEST)],
  };
  const sources = Object.entries(queues).map(([name, queue]) =>
    claimingSource(name, { look: () => Promise.resolve(queue.shift() ?? null) }, claims),
  );
  expect((await sources[0]?.look())?.kind).toBe('good');
  expect(await sources[1]?.look()).toMatchObject({ kind: 'bad', problems: [{ code: 'domain-twice' }] });
  expect((await sources[0]?.look())?.kind).toBe('bad');
  expect(await sources[0]?.look()).toBeNull();
  queues['beta']?.push(look(MANIFEST.replace('acme', 'beta')));
  expect((await sources[1]?.look())?.kind).toBe('good');
  expect((await sources[0]?.look())?.kind).toBe('good');
});
