import type { StateFs } from '../../../src/engine/state/own-files.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import type { ProcessTable } from '../../../src/engine/state/processes.ts';

/** A process that can be killed at any moment; what it waits for then never resolves. */
export interface Process {
  readonly id: number;
  isAlive: boolean;
}

export function forever<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

interface Time {
  readonly clock: Clock;
  /** Time of the wall clock, in milliseconds. */
  readonly skewMs: () => number;
}

/** Time as a process sees it. */
export function clockOf(process: Process, { clock, skewMs }: Time): Clock {
  return {
    now: () => clock.now() + skewMs(),
    monotonic: () => clock.monotonic(),
    sleep: async (milliseconds, signal) => {
      await (process.isAlive ? clock.sleep(milliseconds, signal) : forever());
      if (!process.isAlive) await forever();
    },
  };
}

/** The processes that a lock sees: only this one. */
export function processTable(process: Process, clock: Pick<Clock, 'monotonic'>): ProcessTable {
  return {
    pid: process.id,
    uid: null,
    host: 'simulated',
    command: 'apply',
    realm: () => Promise.resolve({ boot: 'simulated', namespace: 'simulated' }),
    uptime: () => clock.monotonic(),
    startOf: async (pid) => (pid === process.id && process.isAlive ? String(pid) : null),
  };
}

/**
 * Called before each operation of a process on its disk. It may throw or end the process. `cut` means that only half of the text is
 * written, because the disk is full.
 */
export type DiskGuard = (operation: string) => 'whole' | 'cut';

/** Wraps a disk so that a dead process cannot read or write it. */
export function diskOf(process: Process, disk: StateFs, guard: DiskGuard): StateFs {
  return guarded(process, disk, guard);
}

/** Faults happen before each operation; a failure of the operation itself counts as the fault. */
const LOOKS: ReadonlySet<string | symbol> = new Set(['lstat', 'stat']);

function guarded<T extends object>(process: Process, target: T, guard: DiskGuard): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const extent = process.isAlive && !LOOKS.has(name) ? guard(String(name)) : 'whole';
        if (!process.isAlive) return forever();
        const given = extent === 'cut' ? [half(args[0])] : args;
        const result: unknown = await Reflect.apply(member, object, given);
        if (extent === 'cut') throw Object.assign(new Error('ENOSPC: scripted'), { code: 'ENOSPC' });
        return isHandle(result) ? guarded(process, result, guard) : result;
      };
    },
  });
}

/** Returns the first half of the data. */
function half(data: unknown): Buffer {
  const whole = Buffer.isBuffer(data) ? data : Buffer.from([...(data as Iterable<string>)].join(''));
  return whole.subarray(0, whole.length / 2);
}

function isHandle(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'sync' in value;
}
