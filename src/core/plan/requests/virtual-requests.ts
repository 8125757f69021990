import { createTurnstile, inTurn, together, type VirtualJob } from '../../rate-limit/jobs.ts';
import { createTimeline, type ScheduleOptions, type Turn } from '../../rate-limit/scheduler.ts';
import type { PlannedRead, ReadContext } from './reads.ts';
import type { WriteRequest } from './requests.ts';
import { endpointName, isUntotalled } from '../../kinds/endpoints.ts';

/** The requests of a run as jobs of virtual time, counted as they are sent. */
export interface VirtualRequests {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Side by side; of a listing page 1 tells how many there are. */
  readonly read: (reads: readonly PlannedRead[], turn: Turn) => VirtualJob;
  readonly write: (request: WriteRequest) => VirtualJob;
  /** Until nothing is left. */
  readonly run: () => ForeseenRun;
}

/** What a run sends, and how long it takes. */
export interface ForeseenRun {
  readonly endpoints: ReadonlyMap<string, Sums>;
  /** When the last write was answered. */
  readonly written: Reached;
  readonly ended: Reached;
  /** When each request leaves, in order; monotonic milliseconds. */
  readonly departures: readonly number[];
}

export interface Sums {
  readonly requests: number;
  readonly items: number;
}

/** How far a run has come: requests sent by then, and the monotonic milliseconds. */
export interface Reached {
  readonly requests: number;
  readonly moment: number;
}

/** From `start` on, monotonic milliseconds. */
export function openVirtualRequests(
  version: ReadContext['version'],
  schedule: ScheduleOptions,
  start: number,
): VirtualRequests {
  const timeline = createTimeline(schedule, start);
  const endpoints = new Map<string, Sums>();
  const turnstile = createTurnstile();
  let written: Reached = { requests: 0, moment: start };
  const request =
    (endpoint: string, items: number, turn: Turn): VirtualJob =>
    (then) => {
      const sums = endpoints.get(endpoint) ?? { requests: 0, items: 0 };
      endpoints.set(endpoint, { requests: sums.requests + 1, items: sums.items + items });
      timeline.send(endpoint, turn, then);
    };
  const read = ({ operation, requests }: PlannedRead, turn: Turn): VirtualJob => {
    const pages = Array.from({ length: requests }, () => request(endpointName(version, operation), 0, turn));
    return isUntotalled(version, operation)
      ? inTurn(pages)
      : inTurn([...pages.slice(0, 1), together(pages.slice(1))]);
  };
  const write = ({ operation, items }: WriteRequest): VirtualJob => {
    const job = request(endpointName(version, operation), items.length, 'first');
    const noted: VirtualJob = (then) =>
      job(() => {
        written = { requests: timeline.departures().length, moment: timeline.now() };
        then();
      });
    if (operation !== 'updateDomain') return noted;
    // What is not managed is sent back as it is: one at a time, each with a read right before it.
    return turnstile(inTurn([request(endpointName(version, 'getDomain'), 0, 'first'), noted]));
  };
  return {
    now: () => timeline.now(),
    read: (reads, turn) => together(reads.map((one) => read(one, turn))),
    write,
    run() {
      const moment = timeline.run();
      const departures = timeline.departures();
      return { endpoints, written, ended: { moment, requests: departures.length }, departures };
    },
  };
}
