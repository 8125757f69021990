import type { ApiVersion } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import { mergeCounts, type Counts } from '../../rate-limit/counts.ts';
import { countsOfReads, tripsOfReads, type PlannedRead } from './reads.ts';
import { isAddedDomain, type DomainRequests } from './requests.ts';
import { endpointName } from '../../kinds/endpoints.ts';
import { STEPS } from './order.ts';

/** The requests of one domain in a part of a run, including its reads. */
export interface DomainCourse {
  readonly domain: DomainName;
  readonly steps: ReadonlyMap<string, readonly Counts[]>;
  /** The number of requests that each wait for the answer of the one before. */
  readonly trips: number;
  /** Updates of the domain's settings. */
  readonly updates: number;
}

export interface CourseReads {
  /** Reads right before stage 2. */
  readonly before: readonly PlannedRead[];
  /** Reads after the domain was added. */
  readonly added: readonly PlannedRead[];
}

const BEFORE = 'before';
const COURSE = [BEFORE, ...STEPS];

export function courseOfDomain(own: DomainRequests, reads: CourseReads, version: ApiVersion): DomainCourse {
  const { before } = reads;
  const added = own.requests.some(isAddedDomain) ? reads.added : [];
  const steps = new Map<string, Counts[]>([[BEFORE, [countsOfReads(before, version)]]]);
  for (const [step, requests] of Map.groupBy(own.requests, (request) => request.step)) {
    // An update sends unmanaged settings with their current value, so it is preceded by a read.
    const operations = requests.flatMap(({ operation }) =>
      operation === 'updateDomain' ? (['getDomain', operation] as const) : [operation],
    );
    steps.set(step, [mergeCounts(operations.map((one) => new Map([[endpointName(version, one), 1]])))]);
  }
  steps.get('domain-adds')?.push(countsOfReads(added, version));
  const updates = own.requests.filter(({ operation }) => operation === 'updateDomain').length;
  const trips = tripsOfReads(before, version) + tripsOfReads(added, version);
  return { domain: own.domain, steps, updates, trips: trips + own.requests.length + updates };
}

/** Returns the requests of domains that run side by side, step by step. */
export function stepsOf(courses: readonly DomainCourse[]): readonly Counts[] {
  const steps = COURSE.map((step) => mergeCounts(courses.flatMap((course) => course.steps.get(step) ?? [])));
  return steps.filter(({ size }) => size > 0);
}

/** Returns the trips of settings updates. Domains are updated one at a time, each with its read. */
export function tripsOfUpdates(courses: readonly DomainCourse[]): number {
  return 2 * courses.reduce((sum, { updates }) => sum + updates, 0);
}
