import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import type { Counts, DomainShape, RuleCounts, Shape } from './shapes.ts';

/**
 * The least that a run can send, from the specification alone: every section is read whole, written in batches of 500, read
 * again right before a route is removed, and once more after its last change. Before a route is removed, unmanaged aliases
 * are read as well, unless that takes more requests than the run. An endpoint is its method and what it reads or writes;
 * each entry is one request.
 */
export interface LeastWork {
  /** The account and the list of domains. */
  readonly first: readonly Endpoint[];
  readonly domains: readonly DomainWork[];
  /** Reads that verify added, changed and deleted domains: one of each domain, or the list, which alone shows that a domain is gone. */
  readonly relist: readonly Endpoint[];
}

/** Reads may run in parallel; the requests of a stage run one after another. */
export interface DomainWork {
  readonly reads: readonly Endpoint[];
  readonly stageOne: readonly Endpoint[];
  readonly rereads: readonly Endpoint[];
  readonly stageTwo: readonly Endpoint[];
  readonly verification: readonly Endpoint[];
}

export type Endpoint = `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`;

const BATCH = 500;
/** v4 and v3: Limits. */
const PAGE: Readonly<Record<ApiVersion, number>> = { v4: 200, v3: 100 };
/** Items of a section that is not managed; see `seedOf`. */
const UNMANAGED = 3;

export function leastWork({ version, domains, others }: Shape): LeastWork {
  const live = others + domains.filter(({ state }) => state !== 'new').length;
  const after = others + domains.filter(({ state }) => state !== 'tombstone').length;
  const changed = domains.filter(({ state, settings }) => state !== 'live' || settings === 'updated');
  const alone = changed.some(({ state }) => state === 'tombstone') ? Infinity : changed.length;
  const list = pages(after, version);
  const first: readonly Endpoint[] = ['GET account', ...times(pages(live, version), 'GET domains')];
  const work = domains.map((domain) => workOf(domain, version));
  return {
    first: [
      ...first,
      ...times(forwardsRead({ version, domains, others }, first.length, work), 'GET aliases'),
    ],
    domains: work,
    relist: alone < list ? times(alone, 'GET domain') : times(list, 'GET domains'),
  };
}

/** Counts the requests that read unmanaged aliases; v3 shows these in its list of domains. */
function forwardsRead(
  { version, domains, others }: Pick<Shape, 'version' | 'domains' | 'others'>,
  first: number,
  work: readonly DomainWork[],
): number {
  if (version === 'v3' || !work.some(({ rereads }) => rereads.length > 0)) return 0;
  const unread = others + domains.filter(({ state, aliases }) => state === 'live' && aliases === null).length;
  const run = work.reduce(
    (sum, { reads, stageOne, stageTwo }) => sum + reads.length + stageOne.length + stageTwo.length,
    first,
  );
  return unread <= run ? unread : 0;
}

export function requestsOf({ first, domains, relist }: LeastWork): number {
  const own = domains.flatMap((domain) => Object.values(domain));
  return [first, relist, ...own].reduce((sum, endpoints) => sum + endpoints.length, 0);
}

type Moment = 'before' | 'between' | 'after';

function workOf(domain: DomainShape, version: ApiVersion): DomainWork {
  const { state, aliases, rules } = domain;
  const takesAway = (aliases?.deleted ?? 0) + (rules?.deleted ?? 0) + (rules?.narrowed ?? 0) > 0;
  const stageOne = state === 'tombstone' ? [] : stageOneOf(domain);
  const stageTwo = state === 'tombstone' ? (['DELETE domain'] as const) : stageTwoOf(domain);
  const isTouched = stageOne.length + stageTwo.length > 0;
  return {
    reads: state === 'new' ? [] : listings(domain, 'before', version),
    stageOne,
    rereads: takesAway || state === 'tombstone' ? listings(domain, 'between', version) : [],
    stageTwo,
    verification: isTouched && state !== 'tombstone' ? listings(domain, 'after', version) : [],
  };
}

function stageOneOf({ state, settings, aliases, rules, credentials }: DomainShape): readonly Endpoint[] {
  const { added = 0, updated = 0, moved = 0 } = rules ?? {};
  return [
    ...times(state === 'new' ? 1 : 0, 'POST domains'),
    ...(settings === 'updated' ? (['GET domain', 'PUT domain'] as const) : []),
    ...times(credentials?.added ?? 0, 'POST credentials'),
    ...batches(aliases?.added ?? 0, 'POST', 'aliases'),
    ...batches(aliases?.updated ?? 0, 'PUT', 'aliases'),
    // Added rules come after moved rules and before rules with new destinations.
    ...batches(moved, 'PUT', 'rules'),
    ...batches(added, 'POST', 'rules'),
    ...batches(updated, 'PUT', 'rules'),
  ];
}

function stageTwoOf({ aliases, rules, credentials }: DomainShape): readonly Endpoint[] {
  return [
    ...batches(rules?.narrowed ?? 0, 'PUT', 'rules'),
    ...batches(rules?.deleted ?? 0, 'DELETE', 'rules'),
    ...batches(aliases?.deleted ?? 0, 'DELETE', 'aliases'),
    ...times(credentials?.deleted ?? 0, 'DELETE credential'),
  ];
}

/** All managed sections of a domain; all sections of one that is to be deleted. */
function listings(domain: DomainShape, moment: Moment, version: ApiVersion): readonly Endpoint[] {
  const { aliases, rules, credentials, state } = domain;
  const isRead = (counts: Counts | null): boolean => counts !== null || state === 'tombstone';
  // Field notes: the service makes a `*` with a domain.
  const made = state === 'new' ? 1 : 0;
  const names = credentials === null ? UNMANAGED : sizeOf(credentials, moment);
  return [
    ...times(isRead(aliases) ? pages(sizeOf(aliases, moment) + made, version) : 0, 'GET aliases'),
    ...times(isRead(rules) ? pages(sizeOf(rules, moment), version) : 0, 'GET rules'),
    // v3 shows no total, so its list is read twice.
    ...times(isRead(credentials) ? pages(names, 'v4') * (version === 'v3' ? 2 : 1) : 0, 'GET credentials'),
  ];
}

function sizeOf(counts: Counts | RuleCounts | null, moment: Moment): number {
  if (counts === null) return UNMANAGED;
  const { kept, added, updated, deleted } = counts;
  const { moved = 0, narrowed = 0 } = 'moved' in counts ? counts : {};
  const stay = kept + updated + moved + narrowed;
  switch (moment) {
    case 'before':
      return stay + deleted;
    case 'between':
      return stay + deleted + added;
    case 'after':
      return stay + added;
  }
}

function pages(count: number, version: ApiVersion): number {
  return Math.max(1, Math.ceil(count / PAGE[version]));
}

/** Returns the requests for these items. One item has its own endpoint; several go in batches. */
function batches(count: number, method: 'POST' | 'PUT' | 'DELETE', of: string): readonly Endpoint[] {
  return count === 1
    ? [`${method} one of ${of}`]
    : times(Math.ceil(count / BATCH), `${method} batch of ${of}`);
}

function times(count: number, endpoint: Endpoint): readonly Endpoint[] {
  return Array.from({ length: count }, () => endpoint);
}
