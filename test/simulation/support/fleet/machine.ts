import type { Clock, Every } from '../../../../src/core/model/clock.ts';
import type { WorldClock } from '../../../engine/support/world-clock.ts';
import { forever, type Process } from '../process.ts';

/** The fault of a worker at one point of its run. */
export type Misfortune =
  /** The worker stops while the others go on, and later continues at the same point. */
  | 'pause'
  | 'kill'
  /** Its connections to the database fail, open ones too, while the others go on. */
  | 'partition'
  /** Like `partition`, but connections hang instead of failing. */
  | 'silence';

/** One machine with one worker. All requests and database uses of the worker pass through it. */
export interface Machine extends Process {
  readonly clock: Clock;
  readonly every: Every;
  /** Counts a point of the run; the fault may happen here. */
  pass(): void;
  /** Resolves once the machine goes on; never resolves if it is dead. */
  goOn(): Promise<void>;
  /** Does something with the database. Rejects if the database cannot be reached. */
  readonly reach: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the fault, unless the machine is dead. */
  heal(): void;
  points(): number;
  readonly isStruck: boolean;
}

export interface MachineOptions {
  readonly id: number;
  readonly clock: WorldClock;
  /** Error of its wall clock, in milliseconds. */
  readonly skewMs: number;
  /** The fault and the point where it happens; null means none. */
  readonly fate: { readonly at: number; readonly what: Misfortune } | null;
  /** True if periodic work is done. If false, the worker sends no heartbeats and does not notice that others took over. */
  readonly beats: boolean;
  /** Called when the fault happens. */
  readonly onStruck: () => void;
}

/** Time that the driver waits for the database. */
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
