import type * as fileSystem from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf, describe } from './own-files.ts';

/** Who we are, and whether another process that we can see is alive. */
export interface ProcessTable {
  readonly pid: number;
  /** The user who owns what this process makes; null where the system has no user numbers. */
  readonly uid: number | null;
  readonly host: string;
  readonly command: string;
  realm(): Promise<ProcessRealm>;
  /** Milliseconds since the machine started, the same for all of its processes; never goes back. */
  uptime(): number;
  /** Of a process of this realm: when it began as the system writes it, `unknown` when it is alive and that is all we know, null when it is gone. */
  startOf(pid: number): Promise<string | null>;
}

/** Where a process number means one process: one boot of one machine, and there one pid namespace. Null: unknown. */
export interface ProcessRealm {
  readonly boot: string | null;
  readonly namespace: string | null;
}

type ProcFs = Pick<typeof fileSystem, 'readFile' | 'readlink'>;

/** The real one: signals and, where there is one, /proc (proc(5): field 22 of stat is the start time). */
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
        // The second field, the name in parentheses, may itself hold spaces and parentheses.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return fields[0] === 'Z' ? null : (fields[19] ?? 'unknown');
      } catch {
        return 'unknown';
      }
    },
  };
}

/** Containers of one pod share the boot and the host's name, and have namespaces of their own (pid_namespaces(7)). */
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

/** Systems without pid namespaces: a host has one table of processes. */
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
