import type { Cause } from '../../model/daemon.ts';
import type { DomainName } from '../../model/names.ts';
import { backoff } from './backoff.ts';
import { createSweepSchedule, type SweepSchedule } from './sweep-schedule.ts';

/** What a loop does next. */
export type Task =
  | { readonly kind: 'look' }
  | { readonly kind: 'run'; readonly cause: 'manifest' | 'retry'; readonly domains: readonly DomainName[] }
  | { readonly kind: 'start-sweep' }
  | { readonly kind: 'finish-sweep' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

/** What is due, and when. Every moment is given and told in monotonic milliseconds; nothing here waits. */
export interface Agenda {
  next(now: number): Task;
  /** Something may be different in the files. */
  noticed(now: number): void;
  /** The files are being read. */
  looked(now: number): void;
  /** The desired state of these domains changed. */
  changed(domains: Iterable<DomainName>): void;
  /** There is a manifest to work with, and these are the domains that it manages. */
  manage(domains: ReadonlyMap<DomainName, unknown>): void;
  /** A run over these domains ended. */
  ended(run: EndedRun, now: number): void;
  /** Everything is read now, and what failed is tried again. */
  hurry(now: number): void;
  /** Runs that failed in a row. */
  failures(): number;
  readonly sweeps: SweepSchedule;
}

export interface EndedRun {
  readonly cause: Cause;
  readonly domains: Iterable<DomainName>;
  /** What is not in place for a reason that may pass; `all`: the run had no result. */
  readonly failing: readonly DomainName[] | 'all';
}

export interface AgendaOptions {
  readonly intervalMs: number;
  /** The files are read so often whatever is heard of them: events can be lost, what is in the files cannot. */
  readonly lookEveryMs: number;
  readonly random: () => number;
  /** The moment of the start. */
  readonly now: number;
}

/** Events that come together are taken together. */
const COALESCE_MS = 500;
const LONGEST_WAIT_MS = 3_600_000;

interface State {
  lookAt: number;
  isInForce: boolean;
  /** Changed since they were last planned. */
  readonly fresh: Set<DomainName>;
  /** Failed, and tried again at `retryAt`. */
  readonly failing: Set<DomainName>;
  retryAt: number;
  failures: number;
  readonly sweeps: SweepSchedule;
}

export function createAgenda({ intervalMs, lookEveryMs, random, now }: AgendaOptions): Agenda {
  const state: State = {
    lookAt: now,
    isInForce: false,
    fresh: new Set(),
    failing: new Set(),
    retryAt: now,
    failures: 0,
    sweeps: createSweepSchedule(intervalMs, now),
  };
  const countFailure = (at: number): number => {
    state.failures += 1;
    state.retryAt = at + backoff(state.failures, intervalMs, random);
    return state.retryAt;
  };
  return {
    next: (at) => nextTask(state, at),
    noticed(at) {
      state.lookAt = Math.min(state.lookAt, at + COALESCE_MS);
    },
    looked(at) {
      state.lookAt = at + lookEveryMs;
    },
    changed(domains) {
      for (const domain of domains) state.fresh.add(domain);
    },
    manage(domains) {
      state.isInForce = true;
      forget(state, (domain) => !domains.has(domain));
    },
    ended(run, at) {
      if (run.cause === 'sweep') {
        state.sweeps.ended(at, run.failing === 'all' ? countFailure(at) : null);
        // One that came to nothing is itself made again: its domains need no run of their own.
        if (run.failing === 'all') return;
      }
      const failing = settle(state, run);
      if (failing > 0) countFailure(at);
      else if (state.failing.size === 0) state.failures = 0;
    },
    hurry(at) {
      state.lookAt = at;
      state.retryAt = at;
      state.failures = 0;
      state.sweeps.hurry(at);
    },
    failures: () => state.failures,
    sweeps: state.sweeps,
  };
}

/** How many of the run's domains are to be tried again. */
function settle(state: State, run: EndedRun): number {
  const domains = new Set(run.domains);
  const failing = run.failing === 'all' ? [...domains] : run.failing;
  forget(state, (domain) => domains.has(domain));
  for (const domain of failing) state.failing.add(domain);
  return failing.length;
}

function forget({ fresh, failing }: State, isForgotten: (domain: DomainName) => boolean): void {
  for (const set of [fresh, failing]) {
    for (const domain of set) if (isForgotten(domain)) set.delete(domain);
  }
}

/** What somebody waits for goes before what is only looked after. */
function nextTask(state: State, now: number): Task {
  const { fresh, failing } = state;
  const sweep = state.sweeps.state();
  if (now >= state.lookAt) return { kind: 'look' };
  if (state.isInForce) {
    const isRetryDue = failing.size > 0 && now >= state.retryAt;
    const due = [...fresh, ...(isRetryDue ? failing : [])];
    if (fresh.size > 0) return { kind: 'run', cause: 'manifest', domains: [...new Set(due)] };
    if (sweep.kind === 'read') return { kind: 'finish-sweep' };
    if (isRetryDue) return { kind: 'run', cause: 'retry', domains: due };
    if (sweep.kind === 'waiting' && now >= sweep.at) return { kind: 'start-sweep' };
  }
  // At least a millisecond: less may not move the clock at all.
  return { kind: 'wait', milliseconds: clamp(Math.ceil(nextMoment(state) - now), 1, LONGEST_WAIT_MS) };
}

function nextMoment({ lookAt, isInForce, failing, retryAt, sweeps }: State): number {
  if (!isInForce) return lookAt;
  const sweep = sweeps.state();
  const sweepAt = sweep.kind === 'waiting' ? sweep.at : Infinity;
  return Math.min(lookAt, sweepAt, failing.size > 0 ? retryAt : Infinity);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
