import type { DomainWork, Endpoint, LeastWork } from './least.ts';
import type { Shape } from './shapes.ts';

/** A service and a connection as they are. Milliseconds. */
export interface Ideal extends Pick<Shape, 'limit' | 'phaseMs'> {
  readonly latency: number;
  /** Requests of one endpoint at the same time. */
  readonly concurrency: number;
}

/** When each part of a run has ended, milliseconds from its start. */
export interface Makespan {
  readonly reading: number;
  readonly total: number;
}

/**
 * How long the least work takes for one who knows every window of the service to the millisecond and sends whatever may be sent
 * at once: the plan waits for all that is read, stage 2 for all of stage 1, and a domain is verified as soon as its own last
 * change is in. Greedy by moment, with a window for each endpoint that is exactly the service's.
 */
export function leastMakespan(work: LeastWork, ideal: Ideal): Makespan {
  const lanes = new Map<Endpoint, Lane>();
  const send = (endpoint: Endpoint, ready: number): number => {
    const lane = lanes.get(endpoint) ?? { sent: [], ends: [] };
    lanes.set(endpoint, lane);
    return sendIn(lane, ready, ideal);
  };
  const all = (endpoints: readonly Endpoint[], ready: number): number =>
    endpoints.reduce((end, endpoint) => Math.max(end, send(endpoint, ready)), ready);

  const listed = all(work.first, 0);
  const reading = work.domains.reduce((end, { reads }) => Math.max(end, all(reads, listed)), listed);
  const stageOne = chains(work.domains, ({ stageOne }) => stageOne, send, reading);
  const middle = stageOne.reduce((end, at) => Math.max(end, at), reading);
  // The sections of a domain are read side by side, and its writes follow.
  const rereads = work.domains.map(({ rereads }) => all(rereads, middle));
  const lateFrom = (index: number): number =>
    work.domains[index]?.stageTwo.length === 0 ? (stageOne[index] ?? 0) : (rereads[index] ?? 0);
  const stageTwo = chains(work.domains, ({ stageTwo }) => stageTwo, send, lateFrom);
  const order = work.domains
    .map(({ verification }, index) => ({ verification, at: stageTwo[index] ?? 0 }))
    .toSorted((a, b) => a.at - b.at);
  const verified = order.reduce((end, { verification, at }) => Math.max(end, all(verification, at)), middle);
  const written = stageTwo.reduce((end, at) => Math.max(end, at), middle);
  return { reading, total: Math.max(verified, all(work.relist, written)) };
}

/** The ends of the chains of the domains, which go side by side: always the request that may be sent first. */
function chains(
  domains: readonly DomainWork[],
  chainOf: (domain: DomainWork) => readonly Endpoint[],
  send: (endpoint: Endpoint, ready: number) => number,
  from: number | ((index: number) => number),
): readonly number[] {
  const ends = domains.map((_, index) => (typeof from === 'number' ? from : from(index)));
  const longest = Math.max(0, ...domains.map((domain) => chainOf(domain).length));
  for (let step = 0; step < longest; step += 1) {
    const due = ends.map((at, index) => ({ at, index })).toSorted((a, b) => a.at - b.at);
    for (const { at, index } of due) {
      const endpoint = domains[index] === undefined ? undefined : chainOf(domains[index])[step];
      if (endpoint !== undefined) ends[index] = send(endpoint, at);
    }
  }
  return ends;
}

interface Lane {
  /** When its requests were sent, in order. */
  readonly sent: number[];
  /** When each ends. */
  readonly ends: number[];
}

function sendIn(lane: Lane, ready: number, ideal: Ideal): number {
  const { limit, phaseMs, latency, concurrency } = ideal;
  const { sent, ends } = lane;
  const free = ends[ends.length - concurrency] ?? 0;
  let at = Math.max(ready, free, sent.at(-1) ?? 0);
  const length = (limit.windowSeconds ?? 60) * 1000;
  const oldest = sent[sent.length - limit.limit];
  if (oldest !== undefined) {
    const windowOf = (moment: number): number => Math.floor((moment + phaseMs) / length);
    if (limit.window === 'sliding') at = Math.max(at, oldest + length);
    else if (windowOf(oldest) === windowOf(at)) at = (windowOf(at) + 1) * length - phaseMs;
  }
  sent.push(at);
  ends.push(at + latency);
  return at + latency;
}
