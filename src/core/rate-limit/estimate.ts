import { WHOLE_ACCOUNT } from './book.ts';
import type { Budget } from './budget.ts';
import { mergeCounts, totalOf, type Counts } from './counts.ts';
import { assumedWindow, catchUp, depart, leaveBehind, openLane, type Assumed, type Lane } from './lane.ts';

/** A part of a run. It begins when the legs before it have ended. */
export type Leg =
  | {
      readonly kind: 'steps';
      /** Each begins when the one before it has left; the requests of a step go side by side. */
      readonly steps: readonly Counts[];
      /** The number of requests that wait for each other's answers, at least. */
      readonly trips: number;
      /** Requests that no leg waits for: they use what the windows have left. */
      readonly meanwhile: Counts;
    }
  /** Waits for all requests that no leg has waited for. */
  | { readonly kind: 'catch-up'; readonly trips: number };

/** The budgets of an account, and how long a request takes. */
export interface Pace {
  /** By endpoint, with that of the whole account. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Requests a window of endpoints whose limit is not known. */
  readonly assumedLimit: number;
  /** Milliseconds from sending to the answer. */
  readonly latency: number;
}

/**
 * The time that legs take. An endpoint sends at once what its open window holds, and the rest as the next windows open:
 * `(ceil(requests / limit) - 1) x window + latency`. Endpoints go side by side; what depends on something else adds up.
 */
export interface Estimate {
  readonly after: (leg: Leg) => Estimate;
  /** When all legs so far have ended, monotonic milliseconds. */
  readonly moment: number;
  /** The number of requests that no leg has waited for and that are not sent by then. */
  readonly behind: number;
}

/** Requests of one endpoint at the same time. */
export const CONCURRENCY = 8;

/** A pause of the whole account has no limit. */
const UNLIMITED = 1e9;

/** Begins at `start`, monotonic milliseconds. */
export function createEstimate(pace: Pace, start: number): Estimate {
  const window = assumedWindow(pace.budgets.values(), start);
  return estimateOf({ pace, assumed: { limit: pace.assumedLimit, window }, lanes: new Map() }, start);
}

/** Returns the milliseconds from `start` to the end of the legs. */
export function durationOf(legs: readonly Leg[], pace: Pace, start: number): number {
  return legs.reduce((estimate, leg) => estimate.after(leg), createEstimate(pace, start)).moment - start;
}

export function requestsOfLeg(leg: Leg): Counts {
  return leg.kind === 'steps' ? mergeCounts([...leg.steps, leg.meanwhile]) : new Map();
}

/** Returns what is left of the legs once these requests were sent. Those of earlier legs went first. */
export function legsAfter(legs: readonly Leg[], sent: Counts): readonly Leg[] {
  const gone = new Map(sent);
  const restOf = (counts: Counts): Counts => {
    const rest = new Map<string, number>();
    for (const [endpoint, count] of counts) {
      const known = gone.get(endpoint) ?? 0;
      gone.set(endpoint, Math.max(0, known - count));
      rest.set(endpoint, Math.max(0, count - known));
    }
    return rest;
  };
  return legs.map((leg) => {
    if (leg.kind === 'catch-up') return leg;
    const steps = leg.steps.map(restOf);
    const [before, after] = [totalOf(mergeCounts(leg.steps)), totalOf(mergeCounts(steps))];
    const trips = (leg.trips * after) / Math.max(1, before);
    return { ...leg, steps, trips, meanwhile: restOf(leg.meanwhile) };
  });
}

interface State {
  readonly pace: Pace;
  readonly assumed: Assumed;
  /** By endpoint; only of endpoints that requests were sent to. */
  readonly lanes: ReadonlyMap<string, Lane>;
}

function estimateOf(state: State, moment: number): Estimate {
  const whole = state.lanes.get(WHOLE_ACCOUNT)?.behind ?? 0;
  const all = state.lanes.values().reduce((sum, { behind }) => sum + behind, 0);
  return {
    moment,
    behind: Math.max(whole, all - whole),
    after(leg) {
      const run = { ...state, lanes: new Map(state.lanes) };
      const end = leg.kind === 'steps' ? sendSteps(run, leg, moment) : sendBehind(run, leg, moment);
      return estimateOf(run, end);
    },
  };
}

interface Run extends State {
  readonly lanes: Map<string, Lane>;
}

function sendSteps(run: Run, leg: Extract<Leg, { kind: 'steps' }>, now: number): number {
  for (const [endpoint, count] of withWhole(run, leg.meanwhile))
    run.lanes.set(endpoint, leaveBehind(laneOf(run, endpoint), count, now));
  const end = send(
    run,
    leg.steps.map((step) => withWhole(run, step)),
    { now, trips: leg.trips },
  );
  for (const [endpoint, lane] of run.lanes) run.lanes.set(endpoint, catchUp(lane, end));
  return end;
}

function sendBehind(run: Run, { trips }: Extract<Leg, { kind: 'catch-up' }>, now: number): number {
  const rest = new Map([...run.lanes].map(([endpoint, { behind }]) => [endpoint, behind]));
  for (const [endpoint, lane] of run.lanes) run.lanes.set(endpoint, { ...lane, behind: 0 });
  return send(run, [rest], { now, trips });
}

/** The budget of the whole account is spent like that of an endpoint. */
function withWhole({ pace }: State, counts: Counts): Counts {
  return pace.budgets.has(WHOLE_ACCOUNT) ? new Map([...counts, [WHOLE_ACCOUNT, totalOf(counts)]]) : counts;
}

function send(
  run: Run,
  steps: readonly Counts[],
  { now, trips }: { readonly now: number; readonly trips: number },
): number {
  let last = { at: now, share: 1 };
  let rounds = trips;
  for (const step of steps) {
    const { at } = last;
    for (const [endpoint, count] of step) {
      const departure = depart(laneOf(run, endpoint), count, at);
      run.lanes.set(endpoint, departure.lane);
      if (departure.at > last.at) last = departure;
      rounds = Math.max(rounds, endpoint === WHOLE_ACCOUNT ? Math.min(count, 1) : roundsOf(count));
    }
  }
  if (rounds === 0) return now;
  const { latency } = run.pace;
  return Math.max(now + latency * rounds, last.at + latency * Math.max(1, Math.ceil(rounds * last.share)));
}

/** Returns how often as many requests of one endpoint wait for an answer. */
export function roundsOf(requests: number): number {
  return Math.ceil(requests / CONCURRENCY);
}

function laneOf({ lanes, pace, assumed }: State, endpoint: string): Lane {
  const limit = endpoint === WHOLE_ACCOUNT ? UNLIMITED : assumed.limit;
  return lanes.get(endpoint) ?? openLane(pace.budgets.get(endpoint), { ...assumed, limit });
}
