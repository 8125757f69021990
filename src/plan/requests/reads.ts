import { managedSections, type Desired } from '../../model/desired.ts';
import { LIMITS, type ApiVersion, type Operation } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type { Change, Plan } from '../../model/plan.ts';
import { kindOf, KINDS, type Section } from '../../model/kinds.ts';

/** A listing that a run makes: how many requests of which kind. */
export interface PlannedRead {
  readonly operation: Operation;
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

/** Each domain whose settings are written, right before that: what is not managed is sent back as it is then. */
export function readsBeforeSettings(changes: Iterable<Change>): readonly PlannedRead[] {
  return Iterator.from(changes)
    .filter(({ kind, action }) => kind === 'domain' && action === 'update')
    .map(({ domain }) => ({ operation: 'getDomain', domain, requests: 1 }) as const)
    .toArray();
}

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

/** A part of stage 2: what it changes, what is done before it, and when it begins (monotonic milliseconds). */
export interface LatePart {
  readonly late: readonly Change[];
  readonly earlier: readonly Change[];
  readonly moment: number;
}

/** All managed sections of the domains that are read again, at the size that they have by then. */
export function readsBeforeStageTwo(
  { late, earlier, moment }: LatePart,
  context: ReadContext,
): readonly PlannedRead[] {
  const before = Map.groupBy(earlier, ({ domain }) => domain);
  return [...Map.groupBy(late, ({ domain }) => domain)].flatMap(([domain, changes]) => {
    const readAt = context.observed.domains.get(domain)?.readAt ?? null;
    if (!needsFreshRead(changes, readAt, moment)) return [];
    return sectionReads(domain, before.get(domain) ?? [], context);
  });
}

/** Domains that forwarded to what a part of stage 2 takes away, right before it: whether they no longer do. */
export function readsOfForwarders(
  forwarders: Iterable<DomainName>,
  earlier: Iterable<Change>,
  context: ReadContext,
): readonly PlannedRead[] {
  const before = Map.groupBy(earlier, ({ domain }) => domain);
  return [...forwarders].flatMap((domain) => sectionReads(domain, before.get(domain) ?? [], context));
}

/**
 * What is read after the last request: the sections of every touched domain but those `seen` after their last change, and the
 * list where a domain itself changed.
 */
export function verificationReads(
  plan: Pick<Plan, 'changes'>,
  seen: ReadonlySet<DomainName>,
  context: ReadContext,
): readonly PlannedRead[] {
  const touched = Map.groupBy(plan.changes, ({ domain }) => domain);
  const listed = plan.changes.some(({ kind }) => kind === 'domain')
    ? [domainList(plan.changes, context)]
    : [];
  const unseen = [...touched].filter(([domain]) => !seen.has(domain));
  return [...listed, ...unseen.flatMap(([domain, changes]) => sectionReads(domain, changes, context))];
}

function domainList(changes: readonly Change[], { observed, version }: ReadContext): PlannedRead {
  const domains = changes.filter(({ kind }) => kind === 'domain');
  const count = domains.reduce((sum, change) => sum + WEIGHT[change.action], observed.domains.size);
  return { operation: 'listDomains', domain: null, requests: pages(count, LIMITS.pageSize[version].domains) };
}

/** What a change does to the number of items. */
const WEIGHT = { add: 1, update: 0, move: 0, delete: -1 } as const;

/** The managed sections of a domain, at the size they have once `changes` were made. */
function sectionReads(
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
      operation: KINDS[kindOf(section)].list,
      domain,
      requests: listingRequests(section, count, version),
    };
  });
}

/** Where an answer has no total (v3: credentials) pages are read until one is short, and all of it twice. */
function listingRequests(section: Section, count: number, version: ApiVersion): number {
  const size = LIMITS.pageSize[version][section];
  if (version === 'v4' || section !== 'credentials') return pages(count, size);
  const items = Math.max(0, count);
  const onLastPage = items % size;
  return 2 * (Math.floor(items / size) + (onLastPage < LIMITS.shortestCutPage ? 1 : 2));
}

function pages(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}
