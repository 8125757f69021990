import { join } from 'node:path';
import type { Clock } from '../model/clock.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { ProcessTable } from './process-table.ts';
import {
  codeOf,
  describe,
  listFiles,
  readText,
  removeQuietly,
  writeFlushed,
  type StateFs,
  makeDirectory,
} from './state-files.ts';
import type { LockFault, LockHolder, StateLock } from './state-store.ts';

export interface LockPorts {
  readonly fs: StateFs;
  readonly clock: Clock;
  readonly processes: ProcessTable;
  /** For names of temporary files that no other process uses. */
  readonly unique: () => string;
}

const WAIT_MS = 10_000;
const POLL_MS = 250;
const REFRESH_MS = 60_000;
/** A holder on another host cannot be looked up; one that has been silent for so long is taken for dead. */
const FOREIGN_LEASE_MS = 30 * 60_000;
const LOCK_NAME = /^lock\.(\d{1,15})$/;

/**
 * One writer per directory, by files `lock.N` of rising N. Only the highest counts: it is held, or released, or its
 * holder is dead. To take the lock is to create the next number with its content in one step (link(2) fails when the name
 * is there), so of two who see the same dead holder one wins. The highest file is never deleted, and who finds a
 * higher one after creating its own has lost: no moment, not even after kill -9, lets two in or shuts all out.
 */
export async function acquireLock(
  directory: string,
  ports: LockPorts,
): Promise<Result<StateLock, LockFault>> {
  const deadline = ports.clock.monotonic() + WAIT_MS;
  for (;;) {
    const attempt = await tryLock(directory, ports);
    if (attempt.ok || attempt.error.kind === 'unwritable') return attempt;
    if (ports.clock.monotonic() >= deadline) return attempt;
    await ports.clock.sleep(POLL_MS);
  }
}

async function tryLock(directory: string, ports: LockPorts): Promise<Result<StateLock, LockFault>> {
  try {
    await makeDirectory(ports.fs, directory);
    for (;;) {
      const highest = await highestNumber(directory, ports.fs);
      const holder = highest === 0 ? null : await readHolder(join(directory, `lock.${highest}`), ports.fs);
      if (holder !== null && (await isHeld(holder, ports))) return fail(heldBy(holder, directory));
      const mine = highest + 1;
      const lock = await createLock(directory, mine, ports);
      if (lock !== null) return succeed(lock);
    }
  } catch (error) {
    return fail({ kind: 'unwritable', message: `the state directory cannot be locked: ${describe(error)}` });
  }
}

/** Null when somebody else was faster. */
async function createLock(directory: string, number: number, ports: LockPorts): Promise<StateLock | null> {
  const { fs, clock, processes } = ports;
  const path = join(directory, `lock.${number}`);
  const now = clock.now();
  const holder: LockHolder = {
    pid: processes.pid,
    host: processes.host,
    processStart: await processes.startOf(processes.pid),
    command: processes.command,
    lockedAt: now,
    refreshedAt: now,
  };
  const temporary = join(directory, `lock-${ports.unique()}.tmp`);
  try {
    await writeFlushed(fs, temporary, JSON.stringify(holder));
    await fs.link(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  } finally {
    await removeQuietly(fs, temporary);
  }
  if ((await highestNumber(directory, fs)) > number) {
    await removeQuietly(fs, path);
    return null;
  }
  await removeLower(directory, number, fs);
  return heldLock(path, holder, { directory, ...ports });
}

function heldLock(
  path: string,
  holder: LockHolder,
  ports: LockPorts & { readonly directory: string },
): StateLock {
  let refreshed = ports.clock.monotonic();
  let released = false;
  const replace = async (text: string): Promise<void> => {
    const temporary = join(ports.directory, `lock-${ports.unique()}.tmp`);
    try {
      await writeFlushed(ports.fs, temporary, text);
      await ports.fs.rename(temporary, path);
    } catch {
      // A directory that was deleted or filled up meanwhile: the lock is an aid, and the run goes on or ends alike.
      await removeQuietly(ports.fs, temporary);
    }
  };
  return {
    async refresh() {
      if (released || ports.clock.monotonic() - refreshed < REFRESH_MS) return;
      refreshed = ports.clock.monotonic();
      await replace(JSON.stringify({ ...holder, refreshedAt: ports.clock.now() }));
    },
    async release() {
      if (released) return;
      released = true;
      await replace(JSON.stringify({ released: true }));
    },
  };
}

async function isHeld(holder: LockHolder, ports: LockPorts): Promise<boolean> {
  if (holder.host !== ports.processes.host) {
    return Math.abs(ports.clock.now() - holder.refreshedAt) < FOREIGN_LEASE_MS;
  }
  const start = await ports.processes.startOf(holder.pid);
  if (start === null) return false;
  const comparable = start !== 'unknown' && holder.processStart !== null && holder.processStart !== 'unknown';
  return comparable ? start === holder.processStart : true;
}

/** Null: released, or not a lock that this version could have written. */
async function readHolder(path: string, fs: StateFs): Promise<LockHolder | null> {
  const read = await readText(fs, path);
  if (read.kind !== 'text') return null;
  try {
    const value: unknown = JSON.parse(read.text);
    return isHolder(value) ? value : null;
  } catch {
    return null;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, refreshedAt } = value as Partial<Record<keyof LockHolder, unknown>>;
  return typeof pid === 'number' && typeof host === 'string' && typeof refreshedAt === 'number';
}

async function highestNumber(directory: string, fs: StateFs): Promise<number> {
  let highest = 0;
  for (const name of await listFiles(fs, directory)) {
    highest = Math.max(highest, Number(LOCK_NAME.exec(name)?.[1] ?? 0));
  }
  return highest;
}

async function removeLower(directory: string, number: number, fs: StateFs): Promise<void> {
  for (const name of await listFiles(fs, directory)) {
    const other = LOCK_NAME.exec(name)?.[1];
    if (other !== undefined && Number(other) < number) await removeQuietly(fs, join(directory, name));
  }
}

function heldBy(holder: LockHolder, directory: string): LockFault {
  const since = new Date(holder.lockedAt).toISOString();
  return {
    kind: 'held',
    holder,
    message:
      `another run is at work on ${directory}: process ${holder.pid} on ${holder.host} ` +
      `(${holder.command}) since ${since}; wait for it, or stop it`,
  };
}
