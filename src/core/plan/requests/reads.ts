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

/** A listing that a run makes: how many requests of which kind. */
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

/** A listing of credentials that is older is read again before any is deleted by it. Milliseconds. */
const FRESH_FOR = 120_000;

/** Aliases of the new domains in which the service may have made a `*`, once each was added. */
export function readsAfterAdding(plan: Pick<Plan, 'changes'>): readonly PlannedRead[] {
  const domains = new Set(plan.changes.filter(({ conditional }) => conditional).map(({ domain }) => domain));
  return [...domains].map((domain) => ({ operation: 'listAliases', domain, requests: 1 }));
}

/**
 * Whether a domain is read again right before these changes of its stage 2: always where mail may lose its route by them,
 * for an alias that somebody deleted since would leave its mail to nobody. Milliseconds of the monotonic clock.
 */
export function needsFreshRead(late: readonly Change[], readAt: number | null, now: number): boolean {
  return late.some(({ kind }) => KINDS[kind].routesMail) || (readAt !== null && now - readAt > FRESH_FOR);
}

/** What stage 2 changes in a domain, what was done there before it, and when it begins (monotonic milliseconds). */
export interface LatePart {
  readonly late: readonly Change[];
  readonly earlier: readonly Change[];
  readonly moment: number;
}

/** All managed sections of a domain that is read again, at the size that they have by then. */
export function readsBeforeStageTwo(
  domain: DomainName,
  { late, earlier, moment }: LatePart,
  context: ReadContext,
): readonly PlannedRead[] {
  const readAt = context.observed.domains.get(domain)?.readAt ?? null;
  return needsFreshRead(late, readAt, moment) ? readsOfSections(domain, earlier, context) : [];
}

/**
 * What shows the domains that themselves changed: each alone, where that takes fewer requests than the list of all. That one is
 * gone only a list shows.
 */
export function readsOfChangedDomains(
  changes: readonly Change[],
  { observed, version }: Pick<ReadContext, 'observed' | 'version'>,
): readonly PlannedRead[] {
  const own = changes.filter(({ kind }) => kind === 'domain');
  if (own.length === 0) return [];
  const count = own.reduce((sum, { action }) => sum + WEIGHT[action], observed.domains.size);
  const requests = pages(count, DOMAIN_WIRE.list.pageSize[version]);
  if (own.length >= requests || own.some(({ action }) => action === 'delete'))
    return [{ operation: 'listDomains', domain: null, requests }];
  return own.map(({ domain }) => ({ operation: 'getDomain', domain, requests: 1 }));
}

/** Requests that a list of the account's domains takes, of which there are so many. */
export function readsOfDomainList(domains: number, version: ApiVersion): number {
  return pages(domains, DOMAIN_WIRE.list.pageSize[version]);
}

/** The requests of a run that are certain once there is a plan: it reads the account and writes. */
export function requestsAtLeast(plan: Pick<Plan, 'changes' | 'api'>, context: ReadContext): number {
  const { desired, observed, version } = context;
  const list =
    observed.partial === true ? desired.domains.size : readsOfDomainList(observed.domains.size, version);
  const reads = [...desired.domains.keys()].flatMap((domain) => readsOfSections(domain, [], context));
  const writes = firstRequestsOf(plan).flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
  return 1 + list + reads.reduce((sum, { requests }) => sum + requests, 0) + writes.length;
}

/** Listings of the managed sections of all domains, by endpoint: what a read of the account consists of, at least. */
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

/** Returns how many requests of these reads wait for each other's answers. Page 1 tells how many pages there are. */
export function tripsOfReads(reads: readonly PlannedRead[], version: ApiVersion): number {
  const trips = reads.map(({ operation, requests }) => {
    const hasTotal = !isUntotalled(version, operation);
    return hasTotal && requests > 0 ? 1 + roundsOf(requests - 1) : requests;
  });
  return Math.max(0, ...trips);
}

/** What a change does to the number of items. */
const WEIGHT = { add: 1, update: 0, move: 0, delete: -1 } as const;

/** The managed sections of a domain, at the size they have once `changes` were made. */
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

/** Where an answer has no total (v3: SMTP credentials) pages are read until one is short, and all of it twice. */
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
