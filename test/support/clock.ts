import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../src/core/model/clock.ts';

export interface VirtualClock extends Clock {
  /** Moves the time forward while no one sleeps. */
  advance(milliseconds: number): void;
  /** All waits so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Number of turns of the event loop in which a request over loopback is answered. */
const QUIET_TURNS = 25;

/**
 * A clock that advances only by sleeping, at once, to the earliest wake-up. Parallel sleeps overlap. `quiet` is the real time in
 * milliseconds before it advances, for connections that break and are opened again.
 */
export function virtualClock(start: number = Date.parse('2026-09-01T00:00:00Z'), quiet = 0): VirtualClock {
  let now = start;
  let asked = 0;
  let isMoving = false;
  const sleeps: number[] = [];
  const sleepers = new Set<Sleeper>();
  const move = async (): Promise<void> => {
    isMoving = true;
    while (sleepers.size > 0) {
      const before = asked;
      if (quiet > 0) await pause(quiet);
      // Turns come last, because data that arrived during a late timer must still be read.
      for (let turns = 0; turns < QUIET_TURNS; turns += 1) await turn();
      // An abort wakes sleepers too.
      if (isSystemBusy() || before !== asked || sleepers.size === 0) continue;
      const next = Math.min(...[...sleepers].map(({ until }) => until));
      now = Math.max(now, next);
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake();
    }
    isMoving = false;
  };
  return {
    sleeps,
    now: () => now,
    monotonic: () => now - start + 1_000,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    sleep(milliseconds, signal) {
      if (isAborted(signal)) return Promise.resolve();
      sleeps.push(milliseconds);
      asked += 1;
      return new Promise((resolve) => {
        const sleeper: Sleeper = {
          until: now + milliseconds,
          wake() {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
        if (!isMoving) void move();
      });
    },
  };
}

/** True while a file is in use or a connection is being opened. On a busy machine this can take longer than any number of turns. */
function isSystemBusy(): boolean {
  return process.getActiveResourcesInfo().some((resource) => /^F.*Req|^TCPConnectWrap$/.test(resource));
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
