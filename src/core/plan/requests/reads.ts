import { managedSections } from '../../kinds/sections.ts';
import type { Desired } from '../../model/desired.ts';
import { LIMITS, type ApiVersion } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type { Change, Plan } from '../../model/plan.ts';
import { kindOf, KINDS } from '../../kinds/registry.ts';
import type { Section } from '../../model/kinds.ts';
import { mergeCounts, type Counts } from '../../rate-limit/counts.ts';
import { roundsOf } from '../../rate-limit/estimate.ts';
import { firstRequestsOf } from './requests.ts';
import { endpointName, isUntotalled } from '../../kinds/endpoints.ts';
import { DOMAIN_WIRE } from '../../kinds/domain/wire.ts';

/** A listing of a run: its operation and number of requests. */
export interface PlannedRead {
  readonly operation: string;
  readonly domain: DomainName | null;
  readonly requests: number;
}

export interface ReadContext {
  readonly desired: Pick<Desired, 'domains'>;
  readonly observed: Observed;
  readonly version: ApiVersion;
}

/**
 * Milliseconds that a listing of credentials stays fresh. An older one is read again before it is used for deletes.
 */
const FRESH_FOR = 120_000;

/**
 * Returns the alias listings of new domains in which the service may have created a `*`, read after the domain is
 * added.
 */
export function readsAfterAdding(plan: Pick<Plan, 'changes'>): readonly PlannedRead[] {
  const domains = new Set(plan.changes.filter(({ conditional }) => conditional).map(({ domain }) => domain));
  return [...domains].map((domain) => ({ operation: 'listAliases', domain, requests: 1 }));
}

/**
 * True if a domain is read again right before its changes of stage 2. It always is if mail may lose its route: if
 * someone has deleted another alias meanwhile, its mail could be lost. The times are milliseconds of the monotonic
 * clock.
 */
export function needsFreshRead(late: readonly Change[], readAt: number | null, now: number): boolean {
  return late.some(({ kind }) => KINDS[kind].routesMail) || (readAt !== null && now - readAt > FRESH_FOR);
}

/** The stage 2 changes of a domain, its earlier changes, and the start of stage 2 (monotonic milliseconds). */
export interface LatePart {
  readonly late: readonly Change[];
  readonly earlier: readonly Change[];
  readonly moment: number;
}

/**
 * Returns the reads of a domain before stage 2: all managed sections, at their size by then; empty if no read is
 * needed.
 */
export function readsBeforeStageTwo(
  domain: DomainName,
  { late, earlier, moment }: LatePart,
  context: ReadContext,
): readonly PlannedRead[] {
  const readAt = context.observed.domains.get(domain)?.readAt ?? null;
  return needsFreshRead(late, readAt, moment) ? readsOfSections(domain, earlier, context) : [];
}

/**
 * Returns the reads that show the changed domains: each one alone if that takes fewer requests than the list of all.
 * Only a list shows that a domain is gone.
 */
export function readsOfChangedDomains(
  changes: readonly Change[],
  { observed, version }: Pick<ReadContext, 'observed' | 'version'>,
): readonly PlannedRead[] {
  const own = changes.filter(({ kind }) => kind === 'domain');
  const count = own.reduce((sum, { action }) => sum + WEIGHT[action], observed.domains.size);
  const requests = pages(count, DOMAIN_WIRE.list.pageSize[version]);
  if (own.length >= requests || own.some(({ action }) => action === 'delete'))
    return [{ operation: 'listDomains', domain: null, requests }];
  return own.map(({ domain }) => ({ operation: 'getDomain', domain, requests: 1 }));
}

/** Returns the number of requests that a list of this many domains takes. */
export function readsOfDomainList(domains: number, version: ApiVersion): number {
  return pages(domains, DOMAIN_WIRE.list.pageSize[version]);
}

/** Returns the number of requests that a run certainly sends once it has a plan: reading the account and writing. */
export function requestsAtLeast(plan: Pick<Plan, 'changes' | 'api'>, context: ReadContext): number {
  const { desired, observed, version } = context;
  const list =
    observed.partial === true ? desired.domains.size : readsOfDomainList(observed.domains.size, version);
  const reads = [...desired.domains.keys()].flatMap((domain) => readsOfSections(domain, [], context));
  const writes = firstRequestsOf(plan).flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
  return 1 + list + reads.reduce((sum, { requests }) => sum + requests, 0) + writes.length;
}

/** Returns the listings of all managed sections, by endpoint. A read of the account takes at least these. */
export function listingsOf({ domains }: Pick<Desired, 'domains'>, version: ApiVersion): Counts {
  const sections = [...domains.values()].flatMap(managedSections);
  const lists = sections.map((section) => KINDS[kindOf(section)].wire.list.operation);
  return countsOfReads(
    lists.map((operation) => ({ operation, requests: 1 })),
    version,
  );
}

export function countsOfReads(
  reads: readonly Pick<PlannedRead, 'operation' | 'requests'>[],
  version: ApiVersion,
): Counts {
  return mergeCounts(
    reads.map(({ operation, requests }) => new Map([[endpointName(version, operation), requests]])),
  );
}

/** Returns the number of these requests that wait for each other's answers. Page 1 shows the number of pages. */
export function tripsOfReads(reads: readonly PlannedRead[], version: ApiVersion): number {
  const trips = reads.map(({ operation, requests }) => {
    const hasTotal = !isUntotalled(version, operation);
    return hasTotal && requests > 0 ? 1 + roundsOf(requests - 1) : requests;
  });
  return Math.max(0, ...trips);
}

/** The change in item count: +1, 0 or -1. */
const WEIGHT = { add: 1, update: 0, move: 0, delete: -1 } as const;

/** Returns the reads of a domain's managed sections, at their size after `changes`. */
export function readsOfSections(
  domain: DomainName,
  changes: readonly Change[],
  { desired, observed, version }: ReadContext,
): readonly PlannedRead[] {
  if (changes.some(({ kind, action }) => kind === 'domain' && action === 'delete')) return [];
  return managedSections(desired.domains.get(domain)).map((section) => {
    const live = observed.domains.get(domain)?.[section]?.length ?? 0;
    const count = changes.reduce(
      (sum, { kind, action }) => (KINDS[kind].section === section ? sum + WEIGHT[action] : sum),
      live,
    );
    return {
      operation: KINDS[kindOf(section)].wire.list.operation,
      domain,
      requests: listingRequests(section, count, version),
    };
  });
}

/**
 * Returns the requests of a listing. If answers have no total (v3: SMTP credentials), pages are read until one is
 * short, and the whole listing is read twice.
 */
function listingRequests(section: Section, count: number, version: ApiVersion): number {
  const { list } = KINDS[kindOf(section)].wire;
  const size = list.pageSize[version];
  if (!list.untotalled?.includes(version)) return pages(count, size);
  const items = Math.max(0, count);
  const onLastPage = items % size;
  return 2 * (Math.floor(items / size) + (onLastPage < LIMITS.shortestCutPage ? 1 : 2));
}

function pages(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}
