import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { mergeCounts, NO_REQUESTS, totalOf, type Counts } from '../../rate-limit/counts.ts';
import {
  createEstimate,
  requestsOfLeg,
  type Estimate,
  type Leg,
  type Pace,
} from '../../rate-limit/estimate.ts';
import { courseOfDomain, stepsOf, tripsOfUpdates, type DomainCourse } from './course.ts';
import { dependenciesOf } from './dependencies.ts';
import {
  countsOfReads,
  readsAfterAdding,
  readsBeforeStageTwo,
  readsOfChangedDomains,
  readsOfSections,
  tripsOfReads,
  type PlannedRead,
  type ReadContext,
} from './reads.ts';
import { DOMAINS_AT_ONCE, type StageRequests } from './requests.ts';
import { changesOfRequests, verificationOrder, type VerificationOrder } from './verification-order.ts';

export interface WorkOptions extends ReadContext {
  readonly pace: Pace;
  /** Start of the run, in monotonic milliseconds. */
  readonly monotonic: number;
  /** The DNS checks at the end. */
  readonly verifications: readonly PlannedRead[];
}

/** The requests of a run, and the time that they take. */
export interface RunWork {
  readonly legs: readonly Leg[];
  /** The state at the answer to the last write. */
  readonly written: Reached;
  readonly ended: Reached;
}

/** The progress of a run: requests sent so far, and the time in monotonic milliseconds. */
export interface Reached {
  readonly requests: number;
  readonly moment: number;
}

/**
 * Counts the requests of a run as `applyPlan` sends them without failures: part after part, each domain verified after
 * its last change.
 */
export function workOf(stages: readonly StageRequests[], options: WorkOptions): RunWork {
  const run = openRun(stages, options);
  for (const [index, part] of stages.entries()) addPart(run, part, index);
  addReads(run, run.lastReads);
  addReads(run, [readsOfChangedDomains(run.changes, options)]);
  addReads(run, [options.verifications]);
  const { legs, written, requests, estimate } = run;
  return { legs, written, ended: { requests, moment: estimate.moment } };
}

interface Run {
  readonly options: WorkOptions;
  readonly changes: readonly Change[];
  readonly byDomain: ReadonlyMap<DomainName, readonly Change[]>;
  readonly forwarders: ReadonlyMap<Change, ReadonlySet<DomainName>>;
  readonly order: VerificationOrder;
  readonly readsOfAdded: ReadonlyMap<DomainName | null, readonly PlannedRead[]>;
  /** Changes of the parts that have ended. */
  readonly earlier: Map<DomainName, readonly Change[]>;
  readonly legs: Leg[];
  estimate: Estimate;
  requests: number;
  written: Reached;
  /** Reads that verify the domains written last, by domain. */
  lastReads: readonly (readonly PlannedRead[])[];
}

function openRun(stages: readonly StageRequests[], options: WorkOptions): Run {
  const changes = [...new Set(stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests)))];
  const byDomain = Map.groupBy(changes, ({ domain }) => domain);
  const forwarders = dependenciesOf(changes);
  return {
    options,
    changes,
    byDomain,
    forwarders,
    order: verificationOrder(stages, (change) => forwarders.get(change)),
    readsOfAdded: Map.groupBy(readsAfterAdding({ changes }), ({ domain }) => domain),
    earlier: new Map(),
    legs: [],
    estimate: createEstimate(options.pace, options.monotonic),
    requests: 0,
    written: { requests: 0, moment: options.monotonic },
    lastReads: [],
  };
}

function addLeg(run: Run, leg: Leg): void {
  const requests = totalOf(requestsOfLeg(leg));
  if (requests === 0) return;
  run.legs.push(leg);
  run.estimate = run.estimate.after(leg);
  run.requests += requests;
}

/** Adds reads of domains, which run side by side. */
function addReads(run: Run, reads: readonly (readonly PlannedRead[])[]): void {
  const { version } = run.options;
  const trips = reads.map((own) => tripsOfReads(own, version));
  const mean = trips.reduce((sum, count) => sum + count, 0) / DOMAINS_AT_ONCE;
  addLeg(run, { steps: [countsOfReads(reads.flat(), version)], trips: Math.max(mean, ...trips) });
}

function addPart(run: Run, part: StageRequests, index: number): void {
  const { forwarders, options, earlier } = run;
  const { stage, domains } = part;
  addMeanwhile(run, run.lastReads);
  const late = stage === 1 ? [] : domains.flatMap(changesOfRequests);
  const names = new Set(late.flatMap((change) => [...(forwarders.get(change) ?? [])]));
  addReads(
    run,
    [...names].map((name) => readsOfSections(name, earlier.get(name) ?? [], options)),
  );
  addDomains(run, coursesOf(run, part), index);
  for (const own of domains) {
    earlier.set(own.domain, [...new Set([...(earlier.get(own.domain) ?? []), ...changesOfRequests(own)])]);
  }
}

/**
 * Adds the domains of a part, which do not wait for each other. Those with the longest courses are assumed to end
 * last: their requests are added step by step, all others side by side. The reads that verify the last ones remain
 * after everything is written.
 */
function addDomains(run: Run, courses: readonly DomainCourse[], index: number): void {
  const { pace } = run.options;
  const sorted = courses.toSorted((a, b) => b.trips - a.trips);
  // No more domains can end in the last window than it has requests.
  const most = Math.min(DOMAINS_AT_ONCE, pace.assumedLimit);
  const [last, others] = [sorted.slice(0, most), sorted.slice(most)];
  const mean = others.reduce((sum, { trips }) => sum + trips, 0) / DOMAINS_AT_ONCE;
  addLeg(run, {
    steps: [mergeCounts(stepsOf(others))],
    trips: Math.max(mean, tripsOfUpdates(others)),
  });
  addLeg(run, {
    steps: stepsOf(last),
    trips: Math.max(tripsOfUpdates(last), ...last.map(({ trips }) => trips)),
  });
  const { moment } = run.estimate;
  addMeanwhile(run, verifyingReads(run, others, index));
  run.written = { requests: run.requests, moment };
  run.lastReads = verifyingReads(run, last, index);
}

function addMeanwhile(run: Run, reads: readonly (readonly PlannedRead[])[]): void {
  addLeg(run, { steps: [], trips: 0, meanwhile: countsOfReads(reads.flat(), run.options.version) });
}

/** Returns the reads of the domains that are verified after this part, by domain. */
function verifyingReads(
  run: Run,
  courses: readonly DomainCourse[],
  index: number,
): readonly (readonly PlannedRead[])[] {
  const due = courses.map(({ domain }) => domain).filter((domain) => run.order.isDueAfter(index, domain));
  return due.map((domain) => readsOfSections(domain, run.byDomain.get(domain) ?? [], run.options));
}

function coursesOf(run: Run, { stage, domains }: StageRequests): readonly DomainCourse[] {
  const { options, earlier, readsOfAdded } = run;
  const { version } = options;
  if (stage === 1) {
    return domains.map((own) =>
      courseOfDomain(own, { before: [], added: readsOfAdded.get(own.domain) ?? [] }, version),
    );
  }
  const courses: DomainCourse[] = [];
  const momentOf = turns(run);
  for (const own of domains) {
    const before = earlier.get(own.domain) ?? [];
    const part = { late: changesOfRequests(own), earlier: before, moment: momentOf(courses) };
    const reads = readsBeforeStageTwo(own.domain, part, options);
    courses.push(courseOfDomain(own, { before: reads, added: [] }, version));
  }
  return courses;
}

/**
 * Returns a function for the time of the next domain's turn in a part: all domains before it have ended, except those
 * beside it.
 */
function turns({ estimate }: Run): (before: readonly DomainCourse[]) => number {
  let trips = 0;
  let counts: Counts = NO_REQUESTS;
  return (before) => {
    const ended = before[before.length - DOMAINS_AT_ONCE];
    if (ended === undefined) return estimate.moment;
    trips += ended.trips / DOMAINS_AT_ONCE;
    counts = mergeCounts([counts, ...stepsOf([ended])]);
    return estimate.after({ steps: [counts], trips }).moment;
  };
}
