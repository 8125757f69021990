import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  systemProcesses,
  type ProcessRealm,
  type ProcessTable,
} from '../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import type { StateFs } from '../../../src/engine/state/own-files.ts';
import type { StateStore } from '../../../src/engine/state/store.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import { virtualClock, type VirtualClock } from '../../support/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { everyNth } from '../../support/share.ts';
import { expectOneAtATime, take } from './support/store-contract.ts';

function open(
  directory: string,
  processes: ProcessTable,
  clock: Clock = virtualClock(),
  disk: StateFs = fs,
): StateStore {
  const apiUrl = 'https://api.example/v4';
  return openStateDirectory({ directory, account: 'ops@acme.example', apiUrl, fs: disk, clock, processes });
}

const HERE: ProcessRealm = { boot: 'b1', namespace: 'n1' };

interface Where {
  readonly host?: string;
  readonly realm?: ProcessRealm;
  readonly uptime?: () => number;
}

function process(
  pid: number,
  alive: ReadonlyMap<number, string>,
  { host = 'here', realm = HERE, uptime = () => 0 }: Where = {},
): ProcessTable {
  return {
    pid,
    uid: null,
    host,
    command: `apply ${pid}`,
    realm: () => Promise.resolve(realm),
    uptime,
    startOf: (other) => Promise.resolve(alive.get(other) ?? null),
  };
}

test('a dead holder, also one whose number is in use again, holds nothing', async () => {
  const directory = await temporaryDirectory();
  await take(open(directory, process(11, new Map([[11, 'first']]))));
  await take(open(directory, process(12, new Map([[12, 's']]))));
  const again = open(directory, process(12, new Map([[12, 'another start']])));
  await take(again);
  expect((await fs.readdir(again.place)).filter((name) => name.startsWith('lock'))).toEqual(['lock.3']);
});

const MINUTE = 60_000;
const BY_11: unknown = expect.stringContaining('process 11 ');

/** Moves the clock of the processes forward, and makes the files on disk older by the same time. */
async function pass(milliseconds: number, clock: VirtualClock, { place }: StateStore): Promise<void> {
  clock.advance(milliseconds);
  for (const name of await fs.readdir(place)) {
    const { mtimeMs } = await fs.stat(join(place, name));
    await fs.utimes(join(place, name), 0, (mtimeMs - milliseconds) / 1000);
  }
}

const REALMS: readonly (readonly [string, ProcessRealm])[] = [
  ['in another pid namespace', { boot: 'b1', namespace: 'n2' }],
  ['on another boot', { boot: 'b2', namespace: 'n1' }],
  ['in an unknown place', { boot: null, namespace: null }],
];

describe.each(everyNth(2, REALMS))('a holder %s', (_, realm) => {
  test('whose process number does not exist here keeps it as long as it refreshes it', async () => {
    const directory = await temporaryDirectory();
    const clock = virtualClock();
    const uptime = (): number => clock.monotonic();
    const lock = await take(open(directory, process(11, new Map([[11, 's']]), { realm, uptime }), clock));
    const here = open(directory, process(12, new Map(), { uptime }), clock);
    for (let refreshed = 0; refreshed < 5; refreshed += 1) {
      await pass(40_000, clock, here);
      expect(await lock.lost()).toBeNull();
      expect(await here.lock()).toMatchObject({ ok: false, error: { kind: 'held', message: BY_11 } });
    }
  });

  test('that was silent for a whole lease has lost it, and notices', async () => {
    const directory = await temporaryDirectory();
    const clock = virtualClock();
    const uptime = (): number => clock.monotonic();
    const lock = await take(open(directory, process(11, new Map([[11, 's']]), { realm, uptime }), clock));
    const store = open(directory, process(12, new Map([[12, 's']]), { uptime }), clock);
    await pass(MINUTE, clock, store);
    const second = await take(store);
    expect(await lock.lost()).toMatchObject({
      kind: 'held',
      message: expect.stringContaining('process 12 '),
    });
    expect(await second.lost()).toBeNull();
    await lock.release();
    expect(await second.lost()).toBeNull();
    await second.release();
    expect(await lock.lost()).toMatchObject({ kind: 'lost' });
  });

  test('that wakes up while another takes the lock: at most one of them continues', async () => {
    const directory = await temporaryDirectory();
    const clock = virtualClock();
    const uptime = (): number => clock.monotonic();
    const there = process(11, new Map([[11, 's']]), { realm, uptime });
    const store = open(directory, there, clock);
    const lock = await take(store);
    await pass(MINUTE, clock, store);
    // The other process has found the lock free, and is about to create its own.
    let woken: unknown = 'not yet';
    const link: typeof fs.link = async (from, to) => {
      woken = await lock.lost();
      return fs.link(from, to);
    };
    const slow = open(directory, process(12, new Map(), { uptime }), clock, { ...fs, link });
    expect(await slow.lock()).toMatchObject({ ok: false, error: { kind: 'held', message: BY_11 } });
    expect([woken, await lock.lost()]).toEqual([null, null]);
  });
});

const ELSEWHERE: ProcessRealm = { boot: 'b2', namespace: 'n1' };

const SKEWS = [
  ['a day ahead', 86_400_000],
  ['a minute ahead', MINUTE],
  ['a minute behind', -MINUTE],
  ['a day behind', -86_400_000],
] as const;

test.each(everyNth(3, SKEWS))(
  'a machine whose clock is %s takes the lock of another only once that is dead',
  async (_, skew) => {
    const directory = await temporaryDirectory();
    const clock = virtualClock();
    const skewed = { ...clock, now: () => clock.now() + skew };
    const holder = open(directory, process(11, new Map([[11, 's']]), { realm: ELSEWHERE }), clock);
    const lock = await take(holder);
    const second = open(directory, process(12, new Map()), skewed);
    await pass(40_000, clock, second);
    expect(await second.lock()).toMatchObject({ ok: false, error: { kind: 'held', message: BY_11 } });
    expect(await lock.lost()).toBeNull();
    await pass(MINUTE, clock, second);
    expect((await second.lock()).ok).toBe(true);
    expect(await fs.readdir(second.place)).toEqual(['lock.2']);
  },
);

test('a dead lock from before the clock of the file system was set back is free', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  const first = open(directory, process(11, new Map([[11, 's']]), { realm: ELSEWHERE }), clock);
  await take(first);
  await pass(-86_400_000, clock, first);
  expect((await open(directory, process(12, new Map()), clock).lock()).ok).toBe(true);
});

test.each([
  ['a day ahead', 86_400_000],
  ['a day behind', -86_400_000],
])('a wall clock that jumps %s frees no lock on the same boot', async (_, jump) => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  let jumped = 0;
  const jumping = { ...clock, now: () => clock.now() + jumped };
  const uptime = (): number => clock.monotonic();
  const realm = { boot: 'b1', namespace: 'n2' };
  const lock = await take(open(directory, process(11, new Map([[11, 's']]), { realm, uptime }), jumping));
  jumped = jump;
  const second = open(directory, process(12, new Map(), { uptime }), jumping);
  expect(await second.lock()).toMatchObject({ ok: false, error: { kind: 'held' } });
  expect(await lock.lost()).toBeNull();
  clock.advance(MINUTE);
  expect((await second.lock()).ok).toBe(true);
});

test('a holder whose disk takes nothing any more stops before its lease ends', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  let full: 'full' | 'free' = 'free';
  const disk: StateFs = {
    ...fs,
    open: (path, flags, mode) =>
      full === 'full' ? Promise.reject(new Error('ENOSPC')) : fs.open(path, flags, mode),
  };
  const lock = await take(open(directory, process(11, new Map([[11, 's']])), clock, disk));
  full = 'full';
  clock.advance(MINUTE);
  expect(await lock.lost()).toMatchObject({ kind: 'lost' });
  full = 'free';
  expect(await lock.lost()).toBeNull();
});

test('a lease that expires while the lock is checked is renewed, because no other process took it', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  let slow = 0;
  const disk: StateFs = {
    ...fs,
    rename: (from, to) => {
      if (slow > 0) clock.advance(MINUTE);
      slow -= 1;
      return fs.rename(from, to);
    },
  };
  const uptime = (): number => clock.monotonic();
  const there = process(11, new Map([[11, 's']]), { realm: { boot: 'b1', namespace: 'n2' }, uptime });
  const lock = await take(open(directory, there, clock, disk));
  const second = open(directory, process(12, new Map(), { uptime }), clock);
  clock.advance(MINUTE / 2);
  slow = 1;
  expect(await lock.lost()).toBeNull();
  expect((await second.lock()).ok).toBe(false);
  clock.advance(MINUTE / 2);
  slow = Number.POSITIVE_INFINITY;
  expect(await lock.lost()).toMatchObject({ kind: 'lost' });
});

test('the lock is refreshed while its holder waits', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  const beats: (() => void)[] = [];
  const every = (milliseconds: number, work: () => void): (() => void) => {
    expect(milliseconds).toBeLessThanOrEqual(20_000);
    beats.push(work);
    return () => beats.splice(0);
  };
  const uptime = (): number => clock.monotonic();
  const apiUrl = 'https://api.example/v4';
  const there = process(11, new Map([[11, 's']]), { realm: { boot: 'b1', namespace: 'n2' }, uptime });
  const names = { directory, account: 'ops@acme.example', apiUrl };
  const lock = await take(openStateDirectory({ ...names, fs, clock, processes: there, every }));
  const second = open(directory, process(12, new Map(), { uptime }), clock);
  for (let minute = 0; minute < 3; minute += 1) {
    clock.advance(45_000);
    for (const beat of beats) beat();
    await vi.waitFor(async () => {
      const [file = ''] = (await fs.readdir(second.place)).filter((name) => name.startsWith('lock.'));
      const { uptime: refreshed } = JSON.parse(await fs.readFile(join(second.place, file), 'utf8'));
      expect(refreshed).toBe(uptime());
    });
    expect((await second.lock()).ok).toBe(false);
  }
  await lock.release();
  expect(beats).toEqual([]);
  expect((await second.lock()).ok).toBe(true);
});

test('a lock file that cannot be read frees nothing', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory, process(11, new Map()));
  await fs.mkdir(join(store.place, 'lock.4'), { recursive: true });
  expect(await store.lock()).toMatchObject({ ok: false, error: { kind: 'unwritable' } });
});

test('if many see a dead holder, one gets the lock', async () => {
  const directory = await temporaryDirectory();
  const alive = new Map<number, string>();
  await take(open(directory, process(1, new Map([[1, 'gone']]))));
  const stores = Array.from({ length: 12 }, (_, index) => {
    alive.set(100 + index, `s${index}`);
    return open(directory, process(100 + index, alive));
  });
  await expectOneAtATime(stores);
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

test('a directory that is deleted during a run does no harm', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory, systemProcesses(fs, 'test'));
  const lock = await take(store);
  await fs.rm(directory, { recursive: true });
  expect(await lock.lost()).toMatchObject({ kind: 'lost' });
  await lock.release();
  expect((await store.lock()).ok).toBe(true);
});
