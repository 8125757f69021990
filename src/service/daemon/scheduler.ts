import type { Cause } from '../../core/model/status/daemon.ts';
import type { DomainName } from '../../core/model/names.ts';

/** Next task of a loop. */
export type Task =
  | { readonly kind: 'read-files' }
  | { readonly kind: 'run'; readonly cause: 'manifest' | 'retry'; readonly domains: readonly DomainName[] }
  | { readonly kind: 'start-sweep' }
  | { readonly kind: 'finish-sweep' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

/** Decides what is due, and when. All times are monotonic milliseconds. The scheduler itself never waits. */
export interface Scheduler {
  next(now: number): Task;
  /** Reports that the files may have changed. */
  filesChanged(now: number): void;
  filesRead(now: number): void;
  /** Queues these domains to run as soon as possible. */
  enqueue(domains: Iterable<DomainName>): void;
  /** Reports a loaded manifest that manages exactly these domains. */
  manage(domains: ReadonlyMap<DomainName, unknown>): void;
  /** Reports that a run of these domains ended. */
  runEnded(run: EndedRun, now: number): void;
  sweepStarted(now: number): void;
  /**
   * Reports that a sweep has read everything and is ready to plan. `nextMs` is the expected time of the next read;
   * null means as long as this one.
   */
  sweepRead(now: number, nextMs: number | null): void;
  /** Reads everything now, and retries what failed. */
  resync(now: number): void;
  /** Returns the time of the next sweep; null while a sweep is in progress. */
  nextSweepAt(): number | null;
  /** Returns the time between two sweeps in milliseconds: as configured, or longer if reading takes long. */
  effectiveIntervalMs(): number;
  /** Returns the number of failed runs in a row. */
  failures(): number;
}

export interface EndedRun {
  readonly cause: Cause;
  readonly domains: Iterable<DomainName>;
  /** Domains not in sync for a reason that may pass. `all` means that the run failed as a whole. */
  readonly failing: readonly DomainName[] | 'all';
}

export interface SchedulerOptions {
  readonly intervalMs: number;
  /**
   * Interval at which the files are read even without an event. Events can be lost; file contents cannot.
   */
  readonly pollMs: number;
  readonly random: () => number;
  readonly now: number;
  /** Place of the account among many; absent if it is the only one. */
  readonly spread?: Spread | undefined;
}

/** Keeps the sweeps of many accounts apart. All times are monotonic milliseconds. */
export interface Spread {
  /** Returns when a sweep that is due now may begin, so that few begin at one moment. */
  readonly turn: (now: number) => number;
  /** Offset of the account in each interval. */
  readonly phaseMs: number;
}

/** Gives each of many due sweeps its turn, with `gapMs` milliseconds between two of them. */
export function createTurns(gapMs: number): Spread['turn'] {
  let last = -Infinity;
  return (now) => (last = Math.max(now, last + gapMs));
}

/** File events that come this close together count as one. */
const COALESCE_MS = 500;
const LONGEST_WAIT_MS = 3_600_000;

interface State {
  filesAt: number;
  /** True if there is a manifest to work with. */
  isLoaded: boolean;
  /** Domains changed since they were last planned. */
  readonly changed: Set<DomainName>;
  /** Failed domains, retried at `retryAt`. */
  readonly failing: Set<DomainName>;
  retryAt: number;
  failures: number;
  sweep: SweepState;
  effectiveIntervalMs: number;
}

type SweepState =
  | { readonly kind: 'waiting'; readonly at: number }
  /** `isRepeated` means that a full read was requested meanwhile, so the sweep is repeated at once. */
  | { readonly kind: 'reading'; readonly startedAt: number; readonly isRepeated: boolean }
  | {
      readonly kind: 'read';
      readonly startedAt: number;
      readonly isRepeated: boolean;
      /** Expected time of the next read. */
      readonly readMs: number;
    };

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { pollMs } = options;
  const state = initialState(options);
  return {
    next: (at) => nextTask(state, at),
    filesChanged(at) {
      state.filesAt = Math.min(state.filesAt, at + COALESCE_MS);
    },
    filesRead(at) {
      state.filesAt = at + pollMs;
    },
    enqueue(domains) {
      for (const domain of domains) state.changed.add(domain);
    },
    manage(domains) {
      state.isLoaded = true;
      forget(state, (domain) => !domains.has(domain));
    },
    runEnded: (run, at) => recordEnd(state, run, { ...options, now: at }),
    sweepStarted(at) {
      state.sweep = { kind: 'reading', startedAt: at, isRepeated: false };
    },
    sweepRead(at, nextMs) {
      const { sweep } = state;
      if (sweep.kind !== 'reading') return;
      state.sweep = { ...sweep, kind: 'read', readMs: nextMs ?? at - sweep.startedAt };
    },
    resync(at) {
      state.filesAt = at;
      state.retryAt = at;
      state.failures = 0;
      state.sweep =
        state.sweep.kind === 'waiting'
          ? { kind: 'waiting', at: turnOf(options, at) }
          : { ...state.sweep, isRepeated: true };
    },
    nextSweepAt: () => (state.sweep.kind === 'waiting' ? state.sweep.at : null),
    effectiveIntervalMs: () => state.effectiveIntervalMs,
    failures: () => state.failures,
  };
}

function initialState(options: SchedulerOptions): State {
  const { now, intervalMs } = options;
  return {
    filesAt: now,
    isLoaded: false,
    changed: new Set(),
    failing: new Set(),
    retryAt: now,
    failures: 0,
    sweep: { kind: 'waiting', at: turnOf(options, now) },
    effectiveIntervalMs: intervalMs,
  };
}

/** Returns when a sweep that is due now may begin. */
function turnOf({ spread }: Pick<SchedulerOptions, 'spread'>, now: number): number {
  return spread === undefined ? now : spread.turn(now);
}

function recordEnd(
  state: State,
  { cause, domains, failing }: EndedRun,
  { intervalMs, random, now, spread }: Omit<SchedulerOptions, 'pollMs'>,
): void {
  const backOff = (): number => {
    state.failures += 1;
    state.retryAt = now + backoff(state.failures, intervalMs, random);
    return state.retryAt;
  };
  if (cause === 'sweep') {
    if (state.sweep.kind === 'read') state.effectiveIntervalMs = intervalAfter(state.sweep, intervalMs);
    const at = failing === 'all' ? backOff() : nextSweepAt(state.sweep, { intervalMs, now, spread });
    state.sweep = { kind: 'waiting', at };
    // A failed sweep is itself repeated, so its domains need no separate run.
    if (failing === 'all') return;
  }
  const ended = new Set(domains);
  forget(state, (domain) => ended.has(domain));
  const retried = failing === 'all' ? [...ended] : failing;
  for (const domain of retried) state.failing.add(domain);
  if (retried.length > 0) backOff();
  else if (state.failing.size === 0) state.failures = 0;
}

function forget({ changed, failing }: State, isForgotten: (domain: DomainName) => boolean): void {
  for (const set of [changed, failing]) {
    for (const domain of set) if (isForgotten(domain)) set.delete(domain);
  }
}

/** Returns the next task. Changes that a user waits for come before the sweep. */
function nextTask(state: State, now: number): Task {
  const { changed, failing, sweep } = state;
  if (now >= state.filesAt) return { kind: 'read-files' };
  if (state.isLoaded) {
    const isRetryDue = failing.size > 0 && now >= state.retryAt;
    const due = [...new Set([...changed, ...(isRetryDue ? failing : [])])];
    if (changed.size > 0) return { kind: 'run', cause: 'manifest', domains: due };
    if (sweep.kind === 'read') return { kind: 'finish-sweep' };
    if (isRetryDue) return { kind: 'run', cause: 'retry', domains: due };
    if (sweep.kind === 'waiting' && now >= sweep.at) return { kind: 'start-sweep' };
  }
  // Wait at least one millisecond. A shorter wait may not move the clock at all.
  const wait = Math.max(1, Math.ceil(nextMoment(state) - now));
  return { kind: 'wait', milliseconds: Math.min(wait, LONGEST_WAIT_MS) };
}

function nextMoment({ filesAt, isLoaded, failing, retryAt, sweep }: State): number {
  if (!isLoaded) return filesAt;
  const sweepAt = sweep.kind === 'waiting' ? sweep.at : Infinity;
  return Math.min(filesAt, sweepAt, failing.size > 0 ? retryAt : Infinity);
}

/**
 * Returns the time of the next sweep. The interval is at least twice the time of the last read, so that half of the
 * time is left to others. One account of many returns to its place, at most an interval after the last sweep.
 */
function nextSweepAt(
  sweep: SweepState,
  { intervalMs, now, spread }: Pick<SchedulerOptions, 'intervalMs' | 'now' | 'spread'>,
): number {
  if (sweep.kind === 'waiting' || sweep.isRepeated) return now;
  const { startedAt } = sweep;
  const afterMs = intervalAfter(sweep, intervalMs);
  if (spread === undefined || sweep.kind !== 'read' || afterMs > intervalMs)
    return Math.max(now, startedAt + afterMs);
  const sincePlace = (((startedAt - spread.phaseMs) % intervalMs) + intervalMs) % intervalMs;
  return Math.max(now, startedAt + 2 * sweep.readMs, startedAt + intervalMs - sincePlace);
}

function intervalAfter(sweep: SweepState, intervalMs: number): number {
  return Math.max(intervalMs, sweep.kind === 'read' ? 2 * sweep.readMs : 0);
}

const FIRST_BACKOFF_MS = 5_000;
const LEAST_BACKOFF_MS = 1_000;

/**
 * Returns the wait after this many failures in a row, starting at 1. The wait doubles up to the interval. Up to a
 * quarter is taken off at random, so that many accounts do not retry at the same moment.
 */
export function backoff(failures: number, intervalMs: number, random: () => number): number {
  const ceiling = Math.min(intervalMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(LEAST_BACKOFF_MS, ceiling * (1 - random() / 4));
}
