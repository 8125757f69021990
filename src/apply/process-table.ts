import { hostname } from 'node:os';
import { codeOf, describe, type StateFs } from './state-files.ts';

/** Who we are, and whether another process of this host is alive. */
export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  /** Of a process of this host: when it began as the system writes it, `unknown` when it is alive and that is all we know, null when it is gone. */
  startOf(pid: number): Promise<string | null>;
}

/** The real one: signals and, where there is one, /proc (proc(5): field 22 of stat is the start time). */
export function systemProcesses(fs: StateFs, command: string): ProcessTable {
  return {
    pid: process.pid,
    host: hostname(),
    command,
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
