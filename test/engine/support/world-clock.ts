import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/core/model/clock.ts';

/** A virtual clock for all sleepers of a world. It advances to the next wake-up when nothing else happens. */
export interface WorldClock extends Clock {
  /** Counts work outside this clock, such as a read of a file. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Advances the clock by this many milliseconds. */
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass, `limit` milliseconds at most, until the condition holds. */
  until(condition: () => boolean, limit: number): Promise<void>;
  sleepers(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Turns of the event loop without anything going on, after which everybody is taken to be asleep. */
const QUIET_TURNS = 3;

export function worldClock(start: number = Date.parse('2026-09-01T00:00:00Z')): WorldClock {
  let now = start;
  let busy = 0;
  let woken = 0;
  let finished = Promise.withResolvers<void>();
  const sleepers = new Set<Sleeper>();

  const quiet = async (): Promise<void> => {
    let turns = 0;
    let seen = woken;
    while (turns < QUIET_TURNS) {
      await (busy > 0 ? finished.promise : turn());
      const isStill = busy === 0 && seen === woken;
      seen = woken;
      turns = isStill ? turns + 1 : 0;
    }
  };
  const wakeNext = (end: number): boolean => {
    let next = Infinity;
    for (const { at } of sleepers) next = Math.min(next, at);
    if (next > end) return false;
    now = Math.max(now, next);
    for (const sleeper of sleepers) if (sleeper.at <= now) sleeper.wake();
    return true;
  };
  const until = async (condition: () => boolean, limit: number): Promise<void> => {
    const end = now + limit;
    for (;;) {
      await quiet();
      if (condition()) return;
      if (wakeNext(end)) continue;
      now = end;
      return;
    }
  };
  return {
    now: () => now,
    monotonic: () => now - start + 1_000,
    sleep(milliseconds, signal) {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper: Sleeper = {
          at: now + milliseconds,
          wake() {
            woken += 1;
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      });
    },
    async during(work) {
      if (busy === 0) finished = Promise.withResolvers();
      busy += 1;
      try {
        return await work();
      } finally {
        busy -= 1;
        woken += 1;
        if (busy === 0) finished.resolve();
      }
    },
    pass: (milliseconds) => until(() => false, milliseconds),
    until,
    sleepers: () => sleepers.size,
  };
}

/** An object whose promised methods count as work that is under way. */
export function counted<T extends object>(target: T, clock: WorldClock): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        clock.during(async () => {
          const result: unknown = await Reflect.apply(member, object, args);
          return isHandle(result) ? counted(result, clock) : result;
        });
    },
  });
}

/** An open file, whose methods take their time as well. */
function isHandle(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'close' in value && 'read' in value;
}
