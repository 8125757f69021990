import type { Clock } from '../../src/model/clock.ts';

/** 2026-01-15T12:00:00Z */
export const START = Date.UTC(2026, 0, 15, 12);

/**
 * A clock that stands still until somebody waits: a wait ends as soon as the event loop is idle, and the time is then
 * what it would have been. Waits that overlap do not add up.
 */
export function createVirtualClock(start: number = START): Clock {
  let now = start;
  return {
    now: () => now,
    monotonic: () => now - start,
    async sleep(milliseconds, signal) {
      const until = now + milliseconds;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (signal?.aborted !== true) now = Math.max(now, until);
    },
  };
}
