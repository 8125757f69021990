import type { Clock } from '../../core/model/clock.ts';

/** Ends the wait of one loop early. */
export interface Wakeup {
  wake(): void;
  /** Waits this many milliseconds, or until it is woken. A call of `wake` before the wait counts. */
  wait(milliseconds: number): Promise<void>;
}

export function createWakeup(clock: Clock): Wakeup {
  let isWoken = false;
  let sleeper: AbortController | null = null;
  return {
    wake() {
      isWoken = true;
      // A text is a cheap reason. Creating an error with its stack takes longer than the rest.
      sleeper?.abort('woken');
    },
    async wait(milliseconds) {
      if (!isWoken) {
        sleeper = new AbortController();
        await clock.sleep(milliseconds, sleeper.signal);
        sleeper = null;
      }
      isWoken = false;
    },
  };
}
