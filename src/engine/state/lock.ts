import { join } from 'node:path';
import type { Clock, Every } from '../../core/model/clock.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { describeHolder, isFree, newHolder, parseHolder, type LockHolder } from './lock-holder.ts';
import { codeOf, describe, type OwnFiles } from './own-files.ts';
import type { ProcessTable } from './processes.ts';
import {
  createFile,
  fileSystemTime,
  readText,
  removeQuietly,
  replaceFile,
  type ReadOutcome,
} from './files.ts';
import type { LockFault, StateLock } from './store.ts';

export interface LockPorts {
  readonly files: OwnFiles;
  readonly clock: Clock;
  readonly processes: ProcessTable;
  /**
   * Calls a function at an interval. Without it, only `lost` refreshes the lock; it becomes free if `lost` is not called for
   * a whole lease.
   */
  readonly every?: Every | undefined;
  /** Returns a text that no other process and no other call gets. */
  readonly unique: () => string;
}

const WAIT_MS = 10_000;
const POLL_MS = 250;
const REFRESH_MS = 15_000;
/** The time of four refreshes, because a disk or a machine may be slow. */
const LEASE_MS = 60_000;
/** Maximum number of attempts. A lease can run out during one, for example if the machine was suspended. */
const ATTEMPTS = 10;
const LOCK_NAME = /^lock\.(\d{1,15})$/;

/**
 * Acquires the lock, so that each directory has one writer. Locks are files `lock.N` with rising N, and only the highest
 * counts. It is held, or it is free: released, its holder provably gone, or not refreshed for a whole lease. To take the
 * lock, a process creates the next number with its content in one step (link(2) fails if the name exists), so only one of
 * two processes that see the same dead holder succeeds. If that process then finds the previous holder alive after all, it
 * steps back. Only its creator deletes the highest file, if it stepped back; a process that sees a higher file has lost the
 * lock. So at no moment, even after kill -9, do two processes hold the lock or does it stay locked forever. A holder that
 * was suspended for a lease learns from `lost` that another process took over.
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
    await ports.files.makeDirectory(directory);
    for (;;) {
      const highest = await highestNumber(directory, ports.files);
      const last: Last = { number: highest, read: await readLock(directory, highest, ports.files) };
      if (last.read.kind === 'unreadable') throw new Error(last.read.message);
      const holder = parseHolder(last.read);
      const fileAge = (): Promise<number> => ageOf(last.read, directory, ports.files);
      if (holder !== null && !(await isFree(holder, LEASE_MS, { ...ports, fileAge }))) {
        return fail({ kind: 'held', message: describeHolder(holder, directory) });
      }
      const lock = await createLock(directory, last, ports);
      if (lock !== null) return succeed(lock);
    }
  } catch (error) {
    return fail({ kind: 'unwritable', message: `the state directory cannot be locked: ${describe(error)}` });
  }
}

/** The lock file with the highest number, in the state in which it was free. */
interface Last {
  readonly number: number;
  readonly read: ReadOutcome;
}

async function ageOf(read: ReadOutcome, directory: string, files: OwnFiles): Promise<number> {
  return read.kind === 'text' ? (await fileSystemTime(files, directory)) - read.modifiedAt : 0;
}

/** Returns the lock, or null if another process was faster or the previous holder is alive. */
async function createLock(directory: string, last: Last, ports: LockPorts): Promise<StateLock | null> {
  const { files, clock } = ports;
  const number = last.number + 1;
  const path = join(directory, `lock.${number}`);
  const refreshedAt = clock.monotonic();
  const holder = await newHolder(ports);
  if ((await createFile(files, path, JSON.stringify(holder))) === 'exists') return null;
  const isFirst = (await highestNumber(directory, files)) === number;
  if (!isFirst || !isSame(last.read, await readLock(directory, last.number, files))) {
    await removeQuietly(files, path);
    return null;
  }
  await removeLower(directory, number, files);
  return heldLock(holder, refreshedAt, { ...ports, directory, number });
}

function isSame(before: ReadOutcome, now: ReadOutcome): boolean {
  if (before.kind !== 'text' || now.kind !== 'text') return before.kind === now.kind;
  return before.text === now.text;
}

interface Held extends LockPorts {
  readonly directory: string;
  readonly number: number;
}

function heldLock(holder: LockHolder, acquiredAt: number, held: Held): StateLock {
  const { files, clock, processes, directory, number } = held;
  let refreshedAt = acquiredAt;
  let released = false;
  const replace = async (content: object): Promise<'written' | 'failed'> => {
    try {
      await replaceFile(files, join(directory, `lock.${number}`), JSON.stringify(content));
      return 'written';
    } catch {
      return 'failed';
    }
  };
  const refresh = async (): Promise<void> => {
    const now = clock.monotonic();
    if (released || now - refreshedAt < REFRESH_MS) return;
    if ((await takenFrom(holder, held)) !== null || released) return;
    const alive = { ...holder, refreshedAt: clock.now(), uptime: processes.uptime() };
    if ((await replace(alive)) === 'written') refreshedAt = now;
  };
  let working = Promise.resolve();
  const refreshInTurn = (): Promise<void> => (working = working.then(refresh));
  const stop = held.every?.(REFRESH_MS, () => void refreshInTurn());
  return {
    async lost() {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await refreshInTurn();
        const taken = await takenFrom(holder, held);
        if (taken !== null) return taken;
        if (clock.monotonic() - refreshedAt < LEASE_MS) return null;
      }
      return lostLock(directory, `it could not be refreshed for ${LEASE_MS / 1000} s`);
    },
    async release() {
      if (released) return;
      released = true;
      stop?.();
      await working;
      if ((await takenFrom(holder, held)) === null) await replace({ released: true });
    },
  };
}

/** Returns who took the lock, or null if it is still ours. */
async function takenFrom(holder: LockHolder, { directory, number, files }: Held): Promise<LockFault | null> {
  try {
    const highest = await highestNumber(directory, files);
    const now = parseHolder(await readLock(directory, highest, files));
    if (highest === number && now?.id === holder.id) return null;
    if (now !== null) return { kind: 'held', message: describeHolder(now, directory) };
    return lostLock(directory, 'it was deleted, or another run took it and ended');
  } catch (error) {
    return lostLock(directory, describe(error));
  }
}

function lostLock(directory: string, why: string): LockFault {
  return { kind: 'lost', message: `the lock of the state in ${directory} is lost: ${why}` };
}

async function readLock(directory: string, number: number, files: OwnFiles): Promise<ReadOutcome> {
  return number === 0 ? { kind: 'missing' } : readText(files, join(directory, `lock.${number}`));
}

async function highestNumber(directory: string, files: OwnFiles): Promise<number> {
  return Math.max(0, ...(await lockNumbers(directory, files)));
}

/** Returns the number of the last lock, or null if the directory cannot be listed. */
export async function countLocks(directory: string, files: OwnFiles): Promise<number | null> {
  return highestNumber(directory, files).catch((error: unknown) => (codeOf(error) === 'ENOENT' ? 0 : null));
}

async function removeLower(directory: string, number: number, files: OwnFiles): Promise<void> {
  for (const other of await lockNumbers(directory, files)) {
    if (other < number) await removeQuietly(files, join(directory, `lock.${other}`));
  }
}

/** Returns the numbers of all locks. Throws if the directory cannot be listed, because then the holder is unknown. */
async function lockNumbers(directory: string, files: OwnFiles): Promise<readonly number[]> {
  const names = await files.list(directory);
  return names.flatMap((name) => LOCK_NAME.exec(name)?.[1] ?? []).map(Number);
}
