import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/model/clock.ts';

export interface VirtualClock extends Clock {
  /** Moves the time without anybody waiting. */
  advance(milliseconds: number): void;
  /** Every wait that was asked for, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** Time that passes only by sleeping, and then at once; sleeps side by side overlap. */
export function virtualClock(start: number = Date.parse('2026-09-01T00:00:00Z')): VirtualClock {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    monotonic: () => now - start + 1_000,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    async sleep(milliseconds, signal) {
      if (isAborted(signal)) return;
      const until = now + milliseconds;
      sleeps.push(milliseconds);
      await turn();
      if (!isAborted(signal)) now = Math.max(now, until);
    },
  };
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
