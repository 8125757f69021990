import { durationText } from '../clock.ts';
import type { DomainHealth, Receiving } from './daemon.ts';
import { plural } from '../names.ts';

/**
 * States, worst first. `unattended` means that no worker has read the account for three intervals, independent of its
 * state then. `not-receiving` means that a domain stopped receiving mail, according to the service.
 */
export const FLEET_STATES = [
  'unattended',
  'not-receiving',
  'failing',
  'withheld',
  'frozen',
  'drifted',
  'unknown',
  'in-sync',
] as const satisfies readonly (DomainHealth | 'unattended' | 'not-receiving')[];

/**
 * The state of an account's worst domain. It is also `unknown` while a newer revision than the one in sync is not
 * applied.
 */
export type FleetState = (typeof FLEET_STATES)[number];

/**
 * All accounts of a store, and the processes that work on them. Times are epoch milliseconds, by the database's clock.
 */
export interface Fleet {
  /** Time that this state was read. */
  readonly at: number;
  readonly accounts: readonly FleetAccount[];
  /** Workers, latest first. Of those that ended or were lost, only the ones of the last day. */
  readonly workers: readonly FleetWorker[];
  readonly queue: QueueState;
}

/** One published account and the state of its last run. */
export interface FleetAccount {
  /** The account's number in the store. */
  readonly id: string;
  readonly email: string;
  /** The published revision, and the time it was published. */
  readonly wanted: number;
  readonly wantedAt: number;
  /** The newest revision that a run applied in full; null means none yet. */
  readonly applied: number | null;
  /** Time of the last full read; null means never yet. */
  readonly readAt: number | null;
  /** Time of the next read; null means that no scheduler has seen the account yet. */
  readonly dueAt: number | null;
  /** Milliseconds from one read to the next; null means that no scheduler has seen the account yet. */
  readonly intervalMs: number | null;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** True if the API refused the account's key. Nothing is sent until the key or the revision changes. */
  readonly parked: boolean;
  /** Changes made outside fwdsync that the last run found. */
  readonly drift: number;
  readonly state: FleetState;
  /** The last run's error, for people; null if there is none. */
  readonly error: string | null;
  /** Domains that do not receive mail; null means that the service has not said it yet. */
  readonly notReceiving: NotReceiving | null;
  /** The worker that made the last run; null means not known. */
  readonly ranOn: string | null;
  /** The worker that runs the account now; null means none. */
  readonly worker: string | null;
}

/** Names of domains that do not receive mail, according to the service: some did earlier, the others never did. */
export type NotReceiving = Readonly<Record<Exclude<Receiving, 'yes'>, readonly string[]>>;

/** Says of one domain, and of several, that they do not receive mail. */
export const NOT_RECEIVING_WORDS: Readonly<Record<keyof NotReceiving, readonly [one: string, many: string]>> =
  {
    stopped: ['no longer receives mail', 'no longer receive mail'],
    never: ['has never received mail', 'have never received mail'],
  };
const MOST_NAMED = 3;

/** Says that the domains of one kind do not receive mail. null means that there are none. */
export function notReceivingText(kind: keyof NotReceiving, domains: NotReceiving | null): string | null {
  const names = domains?.[kind] ?? [];
  if (names.length === 0) return null;
  const [one, many] = NOT_RECEIVING_WORDS[kind];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more} ${names.length === 1 ? one : many}, according to the service`;
}

export interface FleetWorker {
  readonly id: string;
  /** Process and host. */
  readonly name: string;
  readonly version: string;
  /** `lost` means that the worker was not seen for its job expiry and did not end by itself. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly startedAt: number;
  readonly seenAt: number;
  /** The most runs at once. */
  readonly concurrency: number;
  /** Runs in progress. */
  readonly running: number;
  readonly scheduler: boolean;
}

export interface QueueState {
  /** Runs waiting for a worker. */
  readonly depth: number;
  /** Milliseconds that the oldest of them has waited; null if none waits. */
  readonly oldestWaitMs: number | null;
}

const HOUR_MS = 3_600_000;

/** Returns the workers that are running, and those lost within the last hour. */
export function knownWorkers({ at, workers }: Fleet): readonly FleetWorker[] {
  return workers.filter(
    ({ state, seenAt }) => state === 'running' || (state === 'lost' && at - seenAt < HOUR_MS),
  );
}

/** True if one of the workers decides which accounts are due. */
export function haveScheduler(workers: readonly FleetWorker[]): boolean {
  return workers.some(({ state, scheduler }) => scheduler && state === 'running');
}

/** Counts the accounts in each state. */
export function countStates(accounts: readonly FleetAccount[]): Readonly<Record<FleetState, number>> {
  const counts = noStates();
  for (const { state } of accounts) counts[state] += 1;
  return counts;
}

/** Returns a zero count for each state. */
export function noStates(): Record<FleetState, number> {
  return {
    unattended: 0,
    'not-receiving': 0,
    failing: 0,
    withheld: 0,
    frozen: 0,
    drifted: 0,
    unknown: 0,
    'in-sync': 0,
  };
}

/** True if the published revision is not applied. */
export function isBehind({ wanted, applied }: FleetAccount): boolean {
  return applied !== wanted;
}

/** Formats the revision: `7`, or `6 -> 7` if the applied revision is not the published one. */
export function revisionText({ wanted, applied }: FleetAccount): string {
  return applied === wanted ? String(wanted) : `${applied ?? 'none'} -> ${wanted}`;
}

/** Returns a lookup from an account to the name of the worker that runs it; null means none. */
export function runners({ workers }: Pick<Fleet, 'workers'>): (account: FleetAccount) => string | null {
  const names = new Map(workers.map(({ id, name }) => [id, name]));
  return ({ worker }) => names.get(worker ?? '') ?? null;
}

/** Describes the queue in a sentence. */
export function queueText({ depth, oldestWaitMs }: QueueState): string {
  if (depth === 0) return 'No run waits for a worker.';
  return `${plural(depth, 'run')} waiting for a worker, the first for ${durationText(oldestWaitMs ?? 0)}.`;
}
