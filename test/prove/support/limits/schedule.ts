import type { DomainWork, Endpoint, LeastWork } from './least.ts';
import type { Shape } from './shapes.ts';
import { createHeap } from './heap.ts';

/** The limits of the service and the delay of the connection, in milliseconds. */
export interface Ideal extends Pick<Shape, 'limit' | 'phaseMs'> {
  readonly latency: number;
  /** Requests of one endpoint at the same time. */
  readonly concurrency: number;
}

/** End of each part of a run, in milliseconds from its start. */
export interface Makespan {
  readonly reading: number;
  readonly total: number;
}

/** A request, or a point that others wait for. */
interface Task {
  readonly endpoint: Endpoint | null;
  readonly next: Task[];
  /** Number of requests that must end first. */
  waitsFor: number;
  end: number;
}

/**
 * Returns how long the least work takes if every window of the service is known to the millisecond and each request is sent as
 * soon as it is allowed. The plan waits for all reads and stage 2 for all of stage 1. A domain is verified right after its
 * last change.
 */
export function leastMakespan(work: LeastWork, ideal: Ideal): Makespan {
  const start = task(null, []);
  const planned = task(null, []);
  const listed = task(null, sideBySide(work.first, start));
  follow(planned, [listed, ...work.domains.flatMap(({ reads }) => sideBySide(reads, listed))]);
  const middle = task(null, []);
  const ended = task(null, []);
  const written = task(null, []);
  for (const domain of work.domains) addWrites(domain, { planned, middle, written, ended });
  follow(middle, [planned]);
  follow(written, [middle]);
  follow(ended, [written, ...sideBySide(work.relist, written)]);
  run(start, ideal);
  return { reading: planned.end, total: ended.end };
}

function addWrites(
  { stageOne, rereads, stageTwo, verification }: DomainWork,
  { planned, middle, written, ended }: Readonly<Record<'planned' | 'middle' | 'written' | 'ended', Task>>,
): void {
  const early = inTurn(stageOne, planned);
  follow(middle, [early]);
  const fresh = task(null, stageTwo.length === 0 ? [early] : [middle, ...sideBySide(rereads, middle)]);
  const last = inTurn(stageTwo, fresh);
  follow(written, [last]);
  follow(ended, sideBySide(verification, last));
}

function task(endpoint: Endpoint | null, after: readonly Task[]): Task {
  const made: Task = { endpoint, next: [], waitsFor: 0, end: 0 };
  follow(made, after);
  return made;
}

function follow(later: Task, earlier: readonly Task[]): void {
  for (const one of earlier) {
    one.next.push(later);
    later.waitsFor += 1;
  }
}

function sideBySide(endpoints: readonly Endpoint[], after: Task): readonly Task[] {
  return endpoints.map((endpoint) => task(endpoint, [after]));
}

function inTurn(endpoints: readonly Endpoint[], after: Task): Task {
  return endpoints.reduce((before, endpoint) => task(endpoint, [before]), after);
}

/** Runs each task as soon as its dependencies have ended and its endpoint allows it. The task that has waited longest comes first. */
function run(start: Task, ideal: Ideal): void {
  const lanes = new Map<Endpoint, Lane>();
  const ready = createHeap<Task>();
  ready.push(0, start);
  for (let first = ready.pop(); first !== null; first = ready.pop()) {
    const { item, at } = first;
    item.end = item.endpoint === null ? at : send(laneOf(lanes, item.endpoint), at, ideal);
    for (const later of item.next) {
      later.end = Math.max(later.end, item.end);
      later.waitsFor -= 1;
      if (later.waitsFor === 0) ready.push(later.end, later);
    }
  }
}

interface Lane {
  /** Times of its requests, in order. */
  readonly sent: number[];
}

function laneOf(lanes: Map<Endpoint, Lane>, endpoint: Endpoint): Lane {
  const lane = lanes.get(endpoint) ?? { sent: [] };
  lanes.set(endpoint, lane);
  return lane;
}

/** End of the request. */
function send({ sent }: Lane, ready: number, { limit, phaseMs, latency, concurrency }: Ideal): number {
  const busy = (sent[sent.length - concurrency] ?? -latency) + latency;
  let at = Math.max(ready, busy, sent.at(-1) ?? 0);
  const length = (limit.windowSeconds ?? 60) * 1000;
  const oldest = sent[sent.length - limit.limit];
  if (oldest !== undefined) {
    const windowOf = (moment: number): number => Math.floor((moment + phaseMs) / length);
    if (limit.window === 'sliding') at = Math.max(at, oldest + length);
    else if (windowOf(oldest) === windowOf(at)) at = (windowOf(at) + 1) * length - phaseMs;
  }
  sent.push(at);
  return at + latency;
}
