import type { ApiVersion } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import { mergeCounts, type Counts } from '../../rate-limit/counts.ts';
import { countsOfReads, tripsOfReads, type PlannedRead } from './reads.ts';
import { isAddedDomain, type DomainRequests } from './requests.ts';
import { endpointName } from '../../kinds/endpoints.ts';
import { STEPS } from './order.ts';

/** The requests of one domain in a part of a run, its reads included. */
export interface DomainCourse {
  readonly domain: DomainName;
  readonly steps: ReadonlyMap<string, readonly Counts[]>;
  /** The number of requests that wait for each other's answers. */
  readonly trips: number;
  /** Updates of the domain's settings. */
  readonly updates: number;
}

export interface CourseReads {
  /** Right before stage 2. */
  readonly before: readonly PlannedRead[];
  /** After the domain was added. */
  readonly added: readonly PlannedRead[];
}

const BEFORE = 'before';
const COURSE = [BEFORE, ...STEPS];

export function courseOfDomain(own: DomainRequests, reads: CourseReads, version: ApiVersion): DomainCourse {
  const { before } = reads;
  const added = own.requests.some(isAddedDomain) ? reads.added : [];
  const steps = new Map<string, Counts[]>([[BEFORE, [countsOfReads(before, version)]]]);
  for (const [step, requests] of Map.groupBy(own.requests, (request) => request.step)) {
    // An update sends unmanaged settings back as they are: it has a read right before it.
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

/** The requests of domains that go side by side, one step after another. */
export function stepsOf(courses: readonly DomainCourse[]): readonly Counts[] {
  const steps = COURSE.map((step) => mergeCounts(courses.flatMap((course) => course.steps.get(step) ?? [])));
  return steps.filter(({ size }) => size > 0);
}

/** Settings are updated one domain at a time, each with its read. */
export function tripsOfUpdates(courses: readonly DomainCourse[]): number {
  return 2 * courses.reduce((sum, { updates }) => sum + updates, 0);
}
