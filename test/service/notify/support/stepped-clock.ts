import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../src/core/model/clock.ts';

export interface SteppedClock extends Clock {
  /** Moves the clock to a time, step by step, and never while the sleeper is working. */
  moveTo(moment: number): Promise<void>;
}

/** A clock that stands still until the test moves it, for one sleeper whose work takes real time. */
export function steppedClock(start: number): SteppedClock {
  let now = start;
  let sleeper: { readonly until: number; readonly wake: () => void } | null = null;
  const asleep = async (): Promise<{ readonly until: number; readonly wake: () => void }> => {
    for (;;) {
      // An abort wakes the sleeper only in the next turn.
      await turn();
      if (sleeper !== null) return sleeper;
    }
  };
  return {
    now: () => now,
    monotonic: () => now - start,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleeper = null;
          resolve();
        };
        sleeper = { until: now + milliseconds, wake };
        signal?.addEventListener('abort', wake);
      }),
    async moveTo(moment) {
      for (;;) {
        const { until, wake } = await asleep();
        if (until > moment) break;
        now = Math.max(now, until);
        wake();
      }
      now = moment;
    },
  };
}
