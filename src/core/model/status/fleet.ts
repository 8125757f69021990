import { durationText } from '../clock.ts';
import type { DomainHealth } from './daemon.ts';
import { plural } from '../names.ts';

/** Worst first. `unattended`: nobody has read the account for three intervals, whatever it was then. */
export const FLEET_STATES = [
  'unattended',
  'failing',
  'withheld',
  'frozen',
  'drifted',
  'unknown',
  'in-sync',
] as const satisfies readonly (DomainHealth | 'unattended')[];

/** That of the worst domain of an account; `unknown` also while a newer revision is not applied than the one in sync. */
export type FleetState = (typeof FLEET_STATES)[number];

/** All accounts of a store, and the processes that work on them. Times are epoch milliseconds, by the database's clock. */
export interface Fleet {
  /** When all of this was so. */
  readonly at: number;
  readonly accounts: readonly FleetAccount[];
  /** The latest first; of those that ended or were lost, the ones of the last day. */
  readonly workers: readonly FleetWorker[];
  readonly queue: QueueState;
}

/** One published account, and what is known of its last run. */
export interface FleetAccount {
  /** The account's number in the store. */
  readonly id: string;
  readonly email: string;
  /** The revision that is published, and since when. */
  readonly wanted: number;
  readonly wantedAt: number;
  /** The newest revision that a run applied in full; null: none yet. */
  readonly applied: number | null;
  /** When it was last read in full; null: never yet. */
  readonly readAt: number | null;
  /** When it is read next; null: no scheduler has seen it yet. */
  readonly dueAt: number | null;
  /** How long it takes from one read to the next; null: no scheduler has seen it yet. */
  readonly intervalMs: number | null;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** The API refused its key: nothing is sent until key or revision change. */
  readonly parked: boolean;
  /** Changes made outside fwdsync that the last run found. */
  readonly drift: number;
  readonly state: FleetState;
  /** Of the last run, for people; null: there is nothing to say. */
  readonly error: string | null;
  /** Who runs it now; null: nobody. */
  readonly worker: string | null;
}

export interface FleetWorker {
  readonly id: string;
  /** Process and host. */
  readonly name: string;
  readonly version: string;
  /** `lost`: it was not seen for its job expiry, and has not ended by itself. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly startedAt: number;
  readonly seenAt: number;
  /** Runs at most at once. */
  readonly concurrency: number;
  /** Runs under way. */
  readonly running: number;
  readonly scheduler: boolean;
}

export interface QueueState {
  /** Runs that wait for a worker. */
  readonly depth: number;
  /** How long the first of them has waited, in milliseconds; null: none waits. */
  readonly oldestWaitMs: number | null;
}

const HOUR_MS = 3_600_000;

/** The workers that are running, and those that fell silent within the last hour: somebody should know. */
export function knownWorkers({ at, workers }: Fleet): readonly FleetWorker[] {
  return workers.filter(
    ({ state, seenAt }) => state === 'running' || (state === 'lost' && at - seenAt < HOUR_MS),
  );
}

/** Whether one of them decides which accounts are due. */
export function haveScheduler(workers: readonly FleetWorker[]): boolean {
  return workers.some(({ state, scheduler }) => scheduler && state === 'running');
}

/** How many accounts are in each state. */
export function countStates(accounts: readonly FleetAccount[]): Readonly<Record<FleetState, number>> {
  const counts = noStates();
  for (const { state } of accounts) counts[state] += 1;
  return counts;
}

/** Nothing counted yet. */
export function noStates(): Record<FleetState, number> {
  return { unattended: 0, failing: 0, withheld: 0, frozen: 0, drifted: 0, unknown: 0, 'in-sync': 0 };
}

/** Whether the published revision is not applied. */
export function isBehind({ wanted, applied }: FleetAccount): boolean {
  return applied !== wanted;
}

/** `7`, or `6 -> 7` where another one is applied than is published. */
export function revisionText({ wanted, applied }: FleetAccount): string {
  return applied === wanted ? String(wanted) : `${applied ?? 'none'} -> ${wanted}`;
}

/** Who runs an account now, by name; null: nobody. */
export function runners({ workers }: Pick<Fleet, 'workers'>): (account: FleetAccount) => string | null {
  const names = new Map(workers.map(({ id, name }) => [id, name]));
  return ({ worker }) => names.get(worker ?? '') ?? null;
}

/** What waits, in a sentence. */
export function queueText({ depth, oldestWaitMs }: QueueState): string {
  if (depth === 0) return 'No run waits for a worker.';
  return `${plural(depth, 'run')} waiting for a worker, the first for ${durationText(oldestWaitMs ?? 0)}.`;
}
