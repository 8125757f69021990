import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemProcesses, type ProcessTable } from '../../src/apply/process-table.ts';
import { openStateDirectory } from '../../src/apply/state-directory.ts';
import type { StateLock, StateStore } from '../../src/apply/state-store.ts';
import { virtualClock, type VirtualClock } from '../support/clock.ts';
import { temporaryDirectory } from '../support/directory.ts';

function open(directory: string, processes: ProcessTable, clock: VirtualClock = virtualClock()): StateStore {
  const apiUrl = 'https://api.example/v4';
  return openStateDirectory({ directory, account: 'ops@acme.example', apiUrl, fs, clock, processes });
}

function process(pid: number, alive: ReadonlyMap<number, string>, host = 'here'): ProcessTable {
  return {
    pid,
    host,
    command: `apply ${pid}`,
    startOf: (other) => Promise.resolve(alive.get(other) ?? null),
  };
}

async function take(store: StateStore): Promise<StateLock> {
  const lock = await store.lock();
  if (!lock.ok) throw new Error(lock.error.message);
  return lock.value;
}

test('the second waits 10 s and is told who holds it; after the release it gets in', async () => {
  const directory = await temporaryDirectory();
  const alive = new Map([
    [11, 's11'],
    [12, 's12'],
  ]);
  const clock = virtualClock();
  const first = await take(open(directory, process(11, alive), clock));
  const second = open(directory, process(12, alive), clock);
  const before = clock.now();
  const refused = await second.lock();
  expect(refused).toMatchObject({ ok: false, error: { kind: 'held', holder: { pid: 11, host: 'here' } } });
  expect(refused.ok ? '' : refused.error.message).toMatch(
    /process 11 on here \(apply 11\) since 2026-09-01T/,
  );
  expect(clock.now() - before).toBeGreaterThanOrEqual(10_000);
  await first.release();
  await first.release();
  await (await take(second)).release();
});

test('a dead holder, also one whose number is in use again, holds nothing', async () => {
  const directory = await temporaryDirectory();
  await take(open(directory, process(11, new Map([[11, 'first']]))));
  await take(open(directory, process(12, new Map([[12, 's']]))));
  const again = open(directory, process(12, new Map([[12, 'another start']])));
  await take(again);
  expect((await fs.readdir(again.place)).filter((name) => name.startsWith('lock'))).toEqual(['lock.3']);
});

test('a holder on another host keeps it while it shows signs of life', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  const lock = await take(open(directory, process(11, new Map([[11, 's']]), 'there'), clock));
  const here = open(directory, process(11, new Map([[11, 's']])), clock);
  clock.advance(20 * 60_000);
  await lock.refresh();
  clock.advance(20 * 60_000);
  expect((await here.lock()).ok).toBe(false);
  clock.advance(20 * 60_000);
  expect((await here.lock()).ok).toBe(true);
});

test('of many who see a dead holder one gets in', async () => {
  const directory = await temporaryDirectory();
  const alive = new Map<number, string>();
  await take(open(directory, process(1, new Map([[1, 'gone']]))));
  const stores = Array.from({ length: 12 }, (_, index) => {
    alive.set(100 + index, `s${index}`);
    return open(directory, process(100 + index, alive));
  });
  let inside = 0;
  let entered = 0;
  const enter = async (store: StateStore): Promise<void> => {
    const lock = await store.lock();
    if (!lock.ok) return;
    inside += 1;
    entered += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside -= 1;
    await lock.value.release();
  };
  await Promise.all(stores.map(enter));
  expect(entered).toBeGreaterThan(0);
});

test('a lock file that says nothing sensible is no holder', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory, process(11, new Map([[11, 's']])));
  await fs.mkdir(store.place, { recursive: true });
  await fs.writeFile(join(store.place, 'lock.7'), '{"pid":');
  await (await take(store)).release();
  expect(await fs.readdir(store.place)).toEqual(['lock.8']);
});

test('the system tells a living process from one that was killed', async () => {
  const directory = await temporaryDirectory();
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const real = systemProcesses(fs, 'test');
  await take(open(directory, { ...real, pid }));
  expect((await open(directory, real).lock()).ok).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await real.startOf(pid)).toBeNull();
  expect((await open(directory, real).lock()).ok).toBe(true);
});

test('a directory that is deleted in the middle harms nobody', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory, systemProcesses(fs, 'test'));
  const lock = await take(store);
  await fs.rm(directory, { recursive: true });
  await lock.refresh();
  await lock.release();
  expect((await store.lock()).ok).toBe(true);
});
