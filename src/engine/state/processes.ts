import type * as fileSystem from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf, describe } from './own-files.ts';

/** This process, and a check whether other visible processes are alive. */
export interface ProcessTable {
  readonly pid: number;
  /** The owner of files that this process creates; null if the system has no user numbers. */
  readonly uid: number | null;
  readonly host: string;
  readonly command: string;
  realm(): Promise<ProcessRealm>;
  /** Returns the milliseconds since the machine started. All its processes get the same time, which never goes back. */
  uptime(): number;
  /**
   * Returns the start time of a process of this realm, as the system writes it. Returns `unknown` if it is alive and its
   * start is not known, null if it is gone.
   */
  startOf(pid: number): Promise<string | null>;
}

/**
 * The scope in which a process number means one process: one boot of one machine, and one pid namespace. null means unknown.
 */
export interface ProcessRealm {
  readonly boot: string | null;
  readonly namespace: string | null;
}

type ProcFs = Pick<typeof fileSystem, 'readFile' | 'readlink'>;

/**
 * Returns the processes of the system, found with signals and, if it exists, /proc (proc(5): field 22 of stat is the start
 * time).
 */
export function systemProcesses(fs: ProcFs, command: string): ProcessTable {
  const host = hostname();
  return {
    pid: process.pid,
    uid: process.getuid?.() ?? null,
    host,
    command,
    realm: () => (process.platform === 'linux' ? linuxRealm(fs) : Promise.resolve(plainRealm(host))),
    // CLOCK_MONOTONIC, which counts from the start of the machine.
    uptime: () => Number(process.hrtime.bigint() / 1_000_000n),
    async startOf(pid) {
      if (!isAlive(pid)) return null;
      try {
        const stat = (await fs.readFile(`/proc/${pid}/stat`)).toString('latin1');
        // The second field is the name in parentheses. It may itself contain spaces and parentheses.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return fields[0] === 'Z' ? null : (fields[19] ?? 'unknown');
      } catch {
        return 'unknown';
      }
    },
  };
}

/**
 * Returns the realm on Linux. Containers of one pod share the boot and the host's name, and have separate namespaces
 * (pid_namespaces(7)).
 */
async function linuxRealm(fs: ProcFs): Promise<ProcessRealm> {
  try {
    // A /proc of another namespace would describe other processes under our numbers.
    const isOurs = (await fs.readlink('/proc/self')) === String(process.pid);
    const boot = (await fs.readFile('/proc/sys/kernel/random/boot_id')).toString('latin1').trim();
    return { boot, namespace: isOurs ? await fs.readlink('/proc/self/ns/pid') : null };
  } catch {
    return { boot: null, namespace: null };
  }
}

/** Returns the realm on systems without pid namespaces, which have one table of processes per host. */
function plainRealm(host: string): ProcessRealm {
  return { boot: `${process.platform} ${host}`, namespace: process.platform };
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    if (codeOf(error) === 'EPERM') return true;
    throw new Error(`process ${pid} cannot be looked up: ${describe(error)}`, { cause: error });
  }
}
