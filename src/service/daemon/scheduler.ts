import type { Cause } from '../../core/model/status/daemon.ts';
import type { DomainName } from '../../core/model/names.ts';

/** What a loop does next. */
export type Task =
  | { readonly kind: 'read-files' }
  | { readonly kind: 'run'; readonly cause: 'manifest' | 'retry'; readonly domains: readonly DomainName[] }
  | { readonly kind: 'start-sweep' }
  | { readonly kind: 'finish-sweep' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

/** What is due, and when. All times are monotonic milliseconds; nothing here waits. */
export interface Scheduler {
  next(now: number): Task;
  /** The files may have changed. */
  filesChanged(now: number): void;
  filesRead(now: number): void;
  /** Runs these domains as soon as possible. */
  enqueue(domains: Iterable<DomainName>): void;
  /** A manifest is loaded that manages these domains, and no others. */
  manage(domains: ReadonlyMap<DomainName, unknown>): void;
  /** A run of these domains ended. */
  runEnded(run: EndedRun, now: number): void;
  sweepStarted(now: number): void;
  /** A sweep has read everything; it is to be planned. `nextMs`: how long the next one is expected to take; null: as long. */
  sweepRead(now: number, nextMs: number | null): void;
  /** Reads everything now, and retries what failed. */
  resync(now: number): void;
  /** Null: a sweep is under way. */
  nextSweepAt(): number | null;
  /** How long it takes from one sweep to the next, in milliseconds: as stated, or longer where reading takes long. */
  effectiveIntervalMs(): number;
  /** Runs that failed in a row. */
  failures(): number;
}

export interface EndedRun {
  readonly cause: Cause;
  readonly domains: Iterable<DomainName>;
  /** Not in sync, for a reason that may pass; `all`: the run failed as a whole. */
  readonly failing: readonly DomainName[] | 'all';
}

export interface SchedulerOptions {
  readonly intervalMs: number;
  /** The files are read this often, to the half second, even without an event: events can be lost, what is in the files cannot. */
  readonly pollMs: number;
  readonly random: () => number;
  readonly now: number;
  /** Of one account among many; absent: it is the only one. */
  readonly spread?: Spread | undefined;
}

/** Keeps the sweeps of many accounts apart. All times are monotonic milliseconds. */
export interface Spread {
  /** When a sweep that is due now may begin: few of them in a moment. */
  readonly turn: (now: number) => number;
  /** Where in each interval the account has its place, to the half second. */
  readonly phaseMs: number;
}

const MOMENT_MS = 500;

/** The nearest of two moments a second: what many accounts do then wakes the process once, which is most of the cost. */
function sharedMoment(at: number): number {
  return Math.round(at / MOMENT_MS) * MOMENT_MS;
}

/** Gives each of many sweeps that are due at once its turn, with so many milliseconds between them. */
export function createTurns(gapMs: number): Spread['turn'] {
  let last = -Infinity;
  return (now) => (last = Math.max(now, last + gapMs));
}

/** File events that come this close together count as one. */
const COALESCE_MS = 500;
const LONGEST_WAIT_MS = 3_600_000;

interface State {
  filesAt: number;
  /** Whether there is a manifest to work with. */
  isLoaded: boolean;
  /** Changed since they were last planned. */
  readonly changed: Set<DomainName>;
  /** Failed; retried at `retryAt`. */
  readonly failing: Set<DomainName>;
  retryAt: number;
  failures: number;
  sweep: SweepState;
  effectiveIntervalMs: number;
}

type SweepState =
  | { readonly kind: 'waiting'; readonly at: number }
  /** Repeated at once where everything was to be read again meanwhile. */
  | { readonly kind: 'reading'; readonly startedAt: number; readonly isRepeated: boolean }
  | {
      readonly kind: 'read';
      readonly startedAt: number;
      readonly isRepeated: boolean;
      /** How long the next one is expected to read. */
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
      state.filesAt = sharedMoment(at + pollMs);
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

/** When a sweep that is due at once may begin. */
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
    // One that failed is itself repeated: its domains need no run of their own.
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

/** Changes that a user waits for go before the sweep. */
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
  // At least a millisecond: less may not move the clock at all.
  const wait = Math.max(1, Math.ceil(nextMoment(state) - now));
  return { kind: 'wait', milliseconds: Math.min(wait, LONGEST_WAIT_MS) };
}

function nextMoment({ filesAt, isLoaded, failing, retryAt, sweep }: State): number {
  if (!isLoaded) return filesAt;
  const sweepAt = sweep.kind === 'waiting' ? sweep.at : Infinity;
  return Math.min(filesAt, sweepAt, failing.size > 0 ? retryAt : Infinity);
}

/**
 * Twice as long as it takes to read, for half of the time is left to others: the last read forecasts the next. One account of
 * many comes back to its place, an interval after the last sweep at the latest.
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
  const sincePlace = (((startedAt - sharedMoment(spread.phaseMs)) % intervalMs) + intervalMs) % intervalMs;
  return Math.max(now, startedAt + 2 * sweep.readMs, startedAt + intervalMs - sincePlace);
}

function intervalAfter(sweep: SweepState, intervalMs: number): number {
  return Math.max(intervalMs, sweep.kind === 'read' ? 2 * sweep.readMs : 0);
}

const FIRST_BACKOFF_MS = 5_000;
const LEAST_BACKOFF_MS = 1_000;

/**
 * How long to wait after so many failures in a row (from 1): doubling up to the interval, less up to a quarter at random, so
 * that many accounts do not come back at one moment.
 */
export function backoff(failures: number, intervalMs: number, random: () => number): number {
  const ceiling = Math.min(intervalMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(LEAST_BACKOFF_MS, ceiling * (1 - random() / 4));
}
