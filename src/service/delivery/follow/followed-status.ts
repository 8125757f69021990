import type { DeliveryStatus, DeliveryTrouble, FollowedStatus } from '../../../core/model/status/daemon.ts';
import { plural, type DomainName } from '../../../core/model/names.ts';
import type { FollowMemory, Trouble } from './follow-memory.ts';

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

/** Logs that were read longer ago count as unread. */
const STALE_MS = 3_600_000;

export interface Following {
  readonly followed: ReadonlyMap<DomainName, FollowedStatus>;
  /** Queue of all domains. null means that the domains are not known yet. */
  readonly queue: { readonly due: ReadonlyMap<DomainName, number> } | null;
  /** Why nothing can be read. */
  readonly fault: string | null;
}

export function deliveryStatus({ followed, queue, fault }: Following, now: number): DeliveryStatus {
  const all = [...followed.values()];
  const isStale = ({ readAt }: FollowedStatus): boolean => readAt === null || readAt < now - STALE_MS;
  const unread = Math.max(0, (queue?.due.size ?? 0) - all.length);
  const reasons = new Set([
    fault,
    queue === null ? 'the domains of the account have not been read yet' : null,
    staleText(unread + all.filter(isStale).length),
    ...all.flatMap(({ gap, failure }) => [gap, failure]),
  ]);
  return {
    isRead: queue !== null && unread === 0 && all.every(({ readAt }) => readAt !== null),
    reasons: [...reasons].filter((reason) => reason !== null),
    domains: followed,
  };
}

function staleText(count: number): string | null {
  if (count === 0) return null;
  const why = 'a quarter of the rate limit may not be enough';
  return `not read within the last hour: ${plural(count, 'domain')}; ${why}`;
}
