import type { Clock, Every } from '../../../../src/core/model/clock.ts';
import type { WorldClock } from '../../../engine/support/world-clock.ts';
import { forever, type Process } from '../process.ts';

/** The fault of a worker at one point of its run. */
export type Misfortune =
  /** It stands still until the world goes on without it, and then goes on where it was. */
  | 'pause'
  | 'kill'
  /** Its connections to the database fail, those that are under way too, until the world has gone on without it. */
  | 'partition'
  /** The same, where nothing answers and it is waited for. */
  | 'silence';

/** One machine with one worker: all that the worker does passes through it, point by point. */
export interface Machine extends Process {
  readonly clock: Clock;
  readonly every: Every;
  /** Counts a point of the run, which something may befall. */
  pass(): void;
  /** Resolves once the machine goes on; never, where it is dead. */
  goOn(): Promise<void>;
  /** Does something with the database; where that cannot be reached it rejects. */
  readonly reach: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the misfortune, unless it is dead. */
  heal(): void;
  points(): number;
  readonly isStruck: boolean;
}

export interface MachineOptions {
  readonly id: number;
  readonly clock: WorldClock;
  /** By how much its wall clock is wrong, milliseconds. */
  readonly skewMs: number;
  /** At which point what befalls it; null: nothing. */
  readonly fate: { readonly at: number; readonly what: Misfortune } | null;
  /** False: nothing is done every so often. No sign of life is seen of it, and it does not hear that others took over. */
  readonly beats: boolean;
  /** Called when it does. */
  readonly onStruck: () => void;
}

/** Time that the driver waits for an answer of the database. */
const SILENCE_MS = 10_000;

export function createMachine({ id, clock: world, skewMs, fate, beats, onStruck }: MachineOptions): Machine {
  let points = 0;
  let healed: PromiseWithResolvers<void> | null = null;
  let isStruck = false;
  const suffers = (...kinds: readonly Misfortune[]): boolean =>
    healed !== null && fate !== null && kinds.includes(fate.what);
  const goOn = async (): Promise<void> => {
    while (suffers('pause')) await healed?.promise;
    if (!machine.isAlive) await forever();
  };
  const pass = (): void => {
    points += 1;
    if (fate === null || points !== fate.at) return;
    isStruck = true;
    if (fate.what === 'kill') machine.isAlive = false;
    else healed = Promise.withResolvers();
    onStruck();
  };
  const assertReached = async (): Promise<void> => {
    await goOn();
    if (suffers('silence')) await machine.clock.sleep(SILENCE_MS);
    if (suffers('silence', 'partition')) throw new Error('the connection to the database broke');
  };
  const machine: Machine = {
    id,
    isAlive: true,
    clock: {
      now: () => world.now() + skewMs,
      monotonic: () => world.monotonic(),
      async sleep(milliseconds, signal) {
        await goOn();
        await world.sleep(milliseconds, signal);
        await goOn();
      },
    },
    every(milliseconds, work) {
      const stopped = new AbortController();
      if (!beats) stopped.abort();
      void (async () => {
        for (;;) {
          await machine.clock.sleep(milliseconds, stopped.signal);
          if (stopped.signal.aborted) return;
          work();
        }
      })();
      return () => stopped.abort();
    },
    pass,
    goOn,
    async reach(work) {
      pass();
      await assertReached();
      const result = await world.during(work);
      pass();
      await assertReached();
      return result;
    },
    heal() {
      healed?.resolve();
      healed = null;
    },
    points: () => points,
    get isStruck() {
      return isStruck;
    },
  };
  return machine;
}
