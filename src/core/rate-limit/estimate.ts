import { WHOLE_ACCOUNT } from './book.ts';
import type { Budget } from './budget.ts';
import { mergeCounts, NO_REQUESTS, totalOf, type Counts } from './counts.ts';
import { assumedWindow, depart, openLane, type Lane } from './lane.ts';

/** A part of a run. It begins when the previous legs have ended. */
export interface Leg {
  /**
   * Steps in order. A step begins when the requests of the previous one have been sent; its own requests are sent in
   * parallel.
   */
  readonly steps: readonly Counts[];
  /** Minimum number of round trips: requests that wait for each other's answers. */
  readonly trips: number;
  /** Requests that no leg waits for. */
  readonly meanwhile?: Counts;
}

/** The budgets of an account and the latency of its requests. */
export interface Pace {
  /** Budgets by endpoint, including the whole account's. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Requests per window for endpoints with an unknown limit. */
  readonly assumedLimit: number;
  /** Milliseconds from sending to the answer. */
  readonly latency: number;
}

/**
 * The estimated time of legs. An endpoint sends what its open window allows at once, and the rest as the next windows open:
 * `(ceil(requests / limit) - 1) x window + latency`. Endpoints run in parallel; times of parts that depend on each other add
 * up.
 */
export interface Estimate {
  readonly after: (leg: Leg) => Estimate;
  /** Time at which all legs so far have ended, in monotonic milliseconds. */
  readonly moment: number;
}

/** Maximum number of parallel requests to one endpoint. */
export const CONCURRENCY = 8;

/** The limit while the whole account pauses, because a pause has no limit. */
const UNLIMITED = 1e9;

/** Creates an estimate that begins at `start`, in monotonic milliseconds. */
export function createEstimate(pace: Pace, start: number): Estimate {
  const window = assumedWindow(pace.budgets.values(), start);
  const laneOf = (endpoint: string): Lane => {
    const limit = endpoint === WHOLE_ACCOUNT ? UNLIMITED : pace.assumedLimit;
    return openLane(pace.budgets.get(endpoint), limit, window);
  };
  const opened: Sent = { moment: start, lanes: new Map() };
  const estimateOf = (inTurn: Sent, all: Counts): Estimate => ({
    // The time of an endpoint's requests is at least what it would be if nothing waited for anything.
    moment: Math.max(inTurn.moment, send({ steps: [all], trips: 0 }, opened, { pace, laneOf }).moment),
    after: (leg) => estimateOf(send(leg, inTurn, { pace, laneOf }), mergeCounts([all, requestsOfLeg(leg)])),
  });
  return estimateOf(opened, NO_REQUESTS);
}

/** Returns the milliseconds from `start` to the end of the legs. */
export function durationOf(legs: readonly Leg[], pace: Pace, start: number): number {
  return legs.reduce((estimate, leg) => estimate.after(leg), createEstimate(pace, start)).moment - start;
}

export function requestsOfLeg({ steps, meanwhile = NO_REQUESTS }: Leg): Counts {
  return mergeCounts([...steps, meanwhile]);
}

/** Returns the rest of the legs after these requests were sent. Requests of earlier legs count as sent first. */
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
    const steps = leg.steps.map(restOf);
    const [before, after] = [totalOf(mergeCounts(leg.steps)), totalOf(mergeCounts(steps))];
    const trips = (leg.trips * after) / Math.max(1, before);
    return { steps, trips, meanwhile: restOf(leg.meanwhile ?? NO_REQUESTS) };
  });
}

/** Returns the number of round trips of one endpoint's requests. */
export function roundsOf(requests: number): number {
  return Math.ceil(requests / CONCURRENCY);
}

/** The state after some legs: the time of their end, and the windows of their endpoints. */
interface Sent {
  readonly moment: number;
  readonly lanes: ReadonlyMap<string, Lane>;
}

interface Lanes {
  readonly pace: Pace;
  readonly laneOf: (endpoint: string) => Lane;
}

function send({ steps, trips }: Leg, before: Sent, { pace, laneOf }: Lanes): Sent {
  const { moment } = before;
  const lanes = new Map(before.lanes);
  let last = { at: moment, share: 1 };
  let rounds = trips;
  for (const step of steps) {
    const { at } = last;
    for (const [endpoint, count] of withWhole(step, pace)) {
      const departure = depart(lanes.get(endpoint) ?? laneOf(endpoint), count, at);
      lanes.set(endpoint, departure.lane);
      if (departure.at > last.at) last = departure;
      if (endpoint !== WHOLE_ACCOUNT) rounds = Math.max(rounds, roundsOf(count));
    }
  }
  if (rounds === 0) return before;
  const burst = Math.max(1, Math.ceil(rounds * last.share));
  return { lanes, moment: Math.max(moment + pace.latency * rounds, last.at + pace.latency * burst) };
}

/** Adds the requests that the whole account's budget has to count. */
function withWhole(counts: Counts, { budgets }: Pace): Counts {
  return budgets.has(WHOLE_ACCOUNT) ? new Map([...counts, [WHOLE_ACCOUNT, totalOf(counts)]]) : counts;
}
