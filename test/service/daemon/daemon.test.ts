import * as fs from 'node:fs/promises';
import { manifestSize } from '../../../src/core/plan/size.ts';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AccountStatus, DaemonEvent } from '../../../src/core/model/status/daemon.ts';
import type { AccountLoop } from '../../../src/service/daemon/account-loop.ts';
import { createOwnership, exclusiveSource } from '../../../src/service/daemon/manifest/ownership.ts';
import { createDaemon, POLL_MS, type AccountEntry, type Daemon } from '../../../src/service/daemon/daemon.ts';
import type { ManifestRead } from '../../../src/service/daemon/manifest/manifest-source.ts';
import { watchFiles } from '../../../src/service/daemon/manifest/watch.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { load } from '../../engine/apply/support/harness.ts';
import { createWorld, HOUR, MINUTE } from '../../engine/support/world.ts';
import { worldClock, type WorldClock } from '../../engine/support/world-clock.ts';

const MANIFEST = 'domains:\n  acme.example: { aliases: { sales: carol@corp.example } }';

interface Running {
  readonly daemon: Daemon;
  readonly clock: WorldClock;
  readonly events: DaemonEvent[];
  readonly stop: () => Promise<void>;
}

/** A daemon with loops that do nothing. */
function start(list: () => readonly AccountEntry[] | { readonly error: string }): Running {
  const clock = worldClock();
  const controller = new AbortController();
  const events: DaemonEvent[] = [];
  const daemon = createDaemon({
    clock,
    signal: controller.signal,
    emit: (event) => events.push(event),
    listAccounts: () => Promise.resolve(list()),
    openLoop: ({ name }) => idleLoop(name, controller.signal),
    watched: (entries) => entries.flatMap(({ paths }) => paths),
    watch: watchFiles,
  });
  const ended = daemon.run();
  return {
    daemon,
    clock,
    events,
    async stop() {
      controller.abort();
      await ended;
    },
  };
}

function idleLoop(name: string, signal: AbortSignal): AccountLoop {
  return {
    run: () => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    filesChanged() {},
    resync() {},
    missedEvents: () => 0,
    status: () => ({ name }) as AccountStatus,
    desired: () => null,
    history: () => null,
  };
}

test('an account that is added is found; one that is gone stays', async () => {
  const directory = await temporaryDirectory();
  const entries: AccountEntry[] = [{ name: 'acme', paths: [join(directory, 'acme.yaml')] }];
  const { clock, daemon, stop } = start(() => entries);
  await clock.pass(1_000);
  entries.splice(0, 1, { name: 'beta', paths: [join(directory, 'beta.yaml')] });
  await clock.pass(POLL_MS);
  expect(daemon.statuses().map(({ name }) => name)).toEqual(['acme', 'beta']);
  await stop();
});

test('a directory of accounts that is gone is told once, and the daemon lives', async () => {
  const { clock, daemon, events, stop } = start(() => ({ error: 'no such directory' }));
  await clock.pass(10 * MINUTE);
  expect(events).toMatchObject([{ kind: 'manifest-refused', message: 'no such directory', inForce: 'none' }]);
  expect(clock.monotonic() - daemon.heartbeatAt()).toBeLessThanOrEqual(POLL_MS);
  await stop();
});

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
  const pace = { intervalMs: 15 * MINUTE, pollMs: HOUR };
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
  const ownership = createOwnership();
  const look = (manifest: string): ManifestRead => {
    const desired = load(manifest, 'v4');
    return { kind: 'good', desired, size: manifestSize(desired), problems: [] };
  };
  const queues: Record<string, (ManifestRead | null)[]> = {
    acme: [look(MANIFEST)],
    beta: [look(MANIFEST)],
  };
  const sources = Object.entries(queues).map(([name, queue]) =>
    exclusiveSource(name, { read: () => Promise.resolve(queue.shift() ?? null) }, ownership),
  );
  expect((await sources[0]?.read())?.kind).toBe('good');
  expect(await sources[1]?.read()).toMatchObject({ kind: 'bad', problems: [{ code: 'domain-twice' }] });
  expect((await sources[0]?.read())?.kind).toBe('bad');
  expect(await sources[0]?.read()).toBeNull();
  queues['beta']?.push(look(MANIFEST.replace('acme', 'beta')));
  expect((await sources[1]?.read())?.kind).toBe('good');
  expect((await sources[0]?.read())?.kind).toBe('good');
});
