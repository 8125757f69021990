import type { StateFs } from '../../src/apply/state-files.ts';
import type { Clock } from '../../src/model/clock.ts';

/** A process that can end at any moment: what it waits for then never comes. */
export interface Process {
  readonly id: number;
  isAlive: boolean;
}

export function forever<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

/** Time as a process sees it. */
export function clockOf(process: Process, clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (milliseconds, signal) => {
      await (process.isAlive ? clock.sleep(milliseconds, signal) : forever());
      if (!process.isAlive) await forever();
    },
  };
}

/** A disk that a dead process neither reads nor writes. */
export function diskOf(process: Process, disk: StateFs): StateFs {
  return new Proxy(disk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        process.isAlive ? Reflect.apply(member, target, args) : forever();
    },
  });
}
