import type { Clock } from '../../model/clock.ts';

/** Wakes one sleeper early. */
export interface Bell {
  ring(): void;
  /** Waits so many milliseconds, or until it rings; a ring that nobody waited for counts. */
  wait(milliseconds: number): Promise<void>;
}

export function createBell(clock: Clock): Bell {
  let rung = false;
  let sleeper: AbortController | null = null;
  return {
    ring() {
      rung = true;
      sleeper?.abort();
    },
    async wait(milliseconds) {
      if (!rung) {
        sleeper = new AbortController();
        await clock.sleep(milliseconds, sleeper.signal);
        sleeper = null;
      }
      rung = false;
    },
  };
}
