import type { Fault } from '../../../src/emulator/faults/faults.ts';
import { createEmulator, type EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { State } from '../../../src/emulator/account/state.ts';
import { worldClock, type WorldClock } from '../../engine/support/world-clock.ts';
import { memoryDisk, type MemoryDisk } from './disk.ts';
import type { Probe } from './probes.ts';
import type { Moment } from './routing-oracle.ts';
import type { Scenario } from './scenario.ts';
import type { Exchange, Stroke } from './wire.ts';

/** Faults by number of the request, counted from 1 over all processes, and the seed. */
export interface Script {
  readonly strokes: ReadonlyMap<number, Stroke>;
  /** Faults that are set before the first run, by path instead of number. */
  readonly faults?: readonly Fault[];
  /** Faults of operations on the state directory, by their number, counted from 1. */
  readonly disk?: (nth: number, operation: string) => DiskStroke | null;
  /** Damage to the files of the state directory before the first run. */
  readonly damage?: (files: Map<string, Buffer>) => void;
  readonly seed?: number;
  /** Number of runs after the first one without changes; 1 by default. */
  readonly idleRuns?: number;
  /** Called after each write. */
  readonly onWrite?: (state: State, after: string) => void;
}

/**
 * The code of an error, or the end of the process or of the directory. `short`: half of the data is written, then the disk is full
 * once. `full`: the disk stays full for this process.
 */
export type DiskStroke = 'ENOSPC' | 'EROFS' | 'EACCES' | 'EIO' | 'kill' | 'vanish' | 'short' | 'full';

export const KEY = 'key-of-the-simulation';
const START = Date.parse('2026-01-15T12:00:00Z');

export interface World {
  readonly core: EmulatorCore;
  readonly clock: WorldClock;
  readonly disk: MemoryDisk;
  /** Error of the machine's wall clock, in milliseconds. */
  skewMs: number;
  readonly random: () => number;
  readonly script: Script;
  readonly exchanges: Exchange[];
  readonly moments: Moment[];
  readonly hasty: string[];
  probes: readonly Probe[];
  recording: boolean;
  processes: number;
  sent: number;
  diskOperations: number;
  /** Number of the process for which the disk is full; 0 means none. */
  fullFor: number;
  lastStruck: number;
}

export function openWorld({ emulator }: Scenario, script: Script): World {
  const clock = worldClock(START);
  let ids = 0;
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    ...emulator,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: () => `ffffffff-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    journalSize: 1,
  });
  const world = { core, clock, script, disk: memoryDisk(), random: randomOf(script.seed ?? 1) };
  return {
    ...world,
    skewMs: 0,
    exchanges: [],
    moments: [],
    hasty: [],
    probes: [],
    recording: false,
    processes: 0,
    sent: 0,
    diskOperations: 0,
    fullFor: 0,
    lastStruck: 0,
  };
}

/** Returns a generator of numbers from 0 up to 1, the same for one seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
