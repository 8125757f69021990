import { iso, type Clock } from '../../core/model/clock.ts';
import type { ProcessRealm, ProcessTable } from './processes.ts';
import { parseJsonText } from './documents.ts';
import type { ReadOutcome } from './files.ts';

/** The content of a lock file. */
export interface LockHolder extends ProcessRealm {
  /** Id of this acquisition of the lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /**
   * Start time of the process as the system writes it. It distinguishes the process from a later one with the same number.
   * null means unknown.
   */
  readonly processStart: string | null;
  readonly command: string;
  /** Epoch milliseconds of the holder's clock, for people. */
  readonly lockedAt: number;
  readonly refreshedAt: number;
  /** Milliseconds from the start of the machine to the last refresh. */
  readonly uptime: number;
}

interface HolderPorts {
  readonly clock: Clock;
  readonly processes: ProcessTable;
  readonly unique: () => string;
}

interface FreePorts {
  readonly processes: ProcessTable;
  /**
   * Returns the age of the lock file in milliseconds of its file system's clock. The clocks of two machines are never
   * compared.
   */
  readonly fileAge: () => Promise<number>;
}

/** Returns the holder for this process. */
export async function newHolder({ clock, processes, unique }: HolderPorts): Promise<LockHolder> {
  const now = clock.now();
  return {
    id: unique(),
    pid: processes.pid,
    host: processes.host,
    ...(await processes.realm()),
    processStart: await processes.startOf(processes.pid),
    command: processes.command,
    lockedAt: now,
    refreshedAt: now,
    uptime: processes.uptime(),
  };
}

/** Parses a lock file. Returns null if the lock was released, or if this version cannot have written it. */
export function parseHolder(read: ReadOutcome): LockHolder | null {
  const value = read.kind === 'text' ? parseJsonText(read.text) : null;
  return isHolder(value) ? value : null;
}

/** True if no process can be writing under this lock: the holder is provably gone, or was silent for a whole lease. */
export async function isFree(
  holder: LockHolder,
  leaseMs: number,
  { processes, fileAge }: FreePorts,
): Promise<boolean> {
  const realm = await processes.realm();
  if (await isGone(holder, realm, processes)) return true;
  const since = processes.uptime() - holder.uptime;
  const isOneBoot = realm.boot !== null && realm.boot === holder.boot && since >= 0;
  // A file from the future was written before the file system's clock was set back. A live holder would have refreshed it
  // since.
  return (isOneBoot ? since : Math.abs(await fileAge())) >= leaseMs;
}

/** True if the holder's process is gone. A process number is only meaningful in its own pid namespace and boot. */
async function isGone(
  holder: LockHolder,
  { boot, namespace }: ProcessRealm,
  processes: ProcessTable,
): Promise<boolean> {
  if (boot === null || boot !== holder.boot) return false;
  if (namespace === null || namespace !== holder.namespace) return false;
  const start = await processes.startOf(holder.pid);
  if (start === null) return true;
  const isKnown = start !== 'unknown' && holder.processStart !== null && holder.processStart !== 'unknown';
  return isKnown && start !== holder.processStart;
}

export function describeHolder(holder: LockHolder, directory: string): string {
  const { pid, host, command, lockedAt, refreshedAt } = holder;
  return (
    `the state in ${directory} is locked by process ${pid} on ${host} (${command}) since ${iso(lockedAt)}, ` +
    `refreshed at ${iso(refreshedAt)}; wait until it ends, or stop it`
  );
}

const TEXTS = ['id', 'host', 'command'] as const;
const NUMBERS = ['pid', 'lockedAt', 'refreshedAt', 'uptime'] as const;

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Partial<Record<keyof LockHolder, unknown>>;
  const isTime = (field: unknown): boolean => typeof field === 'number' && Math.abs(field) <= 8.64e15;
  return (
    TEXTS.every((name) => typeof fields[name] === 'string') && NUMBERS.every((name) => isTime(fields[name]))
  );
}
