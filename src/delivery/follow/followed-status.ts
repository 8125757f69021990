import type { DeliveryStatus, DeliveryTrouble, FollowedStatus } from '../../model/daemon.ts';
import { plural, type DomainName } from '../../model/names.ts';
import type { FollowMemory, Trouble } from './memory.ts';

export function shownTrouble(
  domain: DomainName,
  { alias, rule, destination, source, count, lastError, failedAt }: Trouble,
): DeliveryTrouble {
  return {
    domain,
    alias,
    rule,
    destination,
    source,
    count,
    lastError,
    since: failedAt[0] ?? lastError.at ?? 0,
  };
}

export function followedOf(
  domain: DomainName,
  { totals, open, troubles }: FollowMemory,
  readAt: number | null,
  gap: string | null,
): FollowedStatus {
  const soft = open.filter(({ fate }) => fate === 'soft').length;
  const failing = troubles.filter(({ reported }) => reported === 'failing');
  return {
    counts: { ...totals, soft: totals.soft + soft },
    open: open.length,
    readAt,
    gap,
    failure: null,
    troubles: failing.length === 0 ? NO_TROUBLES : failing.map((trouble) => shownTrouble(domain, trouble)),
  };
}

const NO_TROUBLES: readonly DeliveryTrouble[] = [];

/** What was read longer ago is not known well enough. */
const STALE_MS = 3_600_000;

/** `fault`: why nothing can be read. */
export function deliveryStatus(
  followed: ReadonlyMap<DomainName, FollowedStatus>,
  fault: string | null,
  now: number,
): DeliveryStatus {
  let stale = 0;
  const gaps = new Set<string>();
  for (const { readAt, gap, failure } of followed.values()) {
    if (readAt === null || readAt < now - STALE_MS) stale += 1;
    for (const reason of [gap, failure]) if (reason !== null) gaps.add(reason);
  }
  const reasons = [
    ...(fault === null ? [] : [fault]),
    ...(stale === 0
      ? []
      : [
          `not read within the last hour: ${plural(stale, 'domain')}; a quarter of the rate limit may not suffice`,
        ]),
    ...gaps,
  ];
  return { reasons, domains: followed };
}
