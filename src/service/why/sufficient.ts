import { countEntries, type Desired } from '../../core/model/desired.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { ApiVersion } from '../../core/model/endpoints.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { RequestTotals } from '../../core/model/report.ts';
import type { Demands } from '../../core/rate-limit/demand.ts';

export interface SpentRequests {
  readonly totals: Pick<RequestTotals, 'total' | 'retried' | 'rateLimited'>;
  /** Everything that was asked for, sent or not. */
  readonly demands: Demands;
  /** Pages of the logs that were not asked for. */
  readonly logPagesLeft: number;
  /** Domains on the manifest's way whose routing was not read to the end. */
  readonly unread: readonly UnreadRoute[];
  /** Domains of which it is not known whether they are of the account. */
  readonly ends: number;
}

export interface UnreadRoute {
  readonly domain: DomainName;
  /** Requests about it that were asked for, and so are counted. */
  readonly asked: number;
}

/**
 * Returns the number of requests for the whole answer, estimated from what was read and from the size of the
 * manifest.
 */
export function sufficientRequests(
  { totals, demands, logPagesLeft, unread, ends }: SpentRequests,
  desired: Pick<Desired, 'domains'> | null,
  version: ApiVersion,
): number {
  const asked = [...demands.values()].reduce((sum, { begun, continued }) => sum + begun + continued, 0);
  const spent = Math.max(totals.total, asked + totals.retried + totals.rateLimited);
  const further = unread.map((route) =>
    Math.max(0, 1 + pagesOf(route.domain, desired, version) - route.asked),
  );
  return further.reduce((sum, count) => sum + count, spent + logPagesLeft + ends);
}

/** Returns the pages of the larger section that routes the mail of a domain. */
function pagesOf(domain: DomainName, desired: Pick<Desired, 'domains'> | null, version: ApiVersion): number {
  const entry = desired?.domains.get(domain);
  const sizes = entry?.state === 'present' ? [countEntries(entry.aliases), countEntries(entry.rules)] : [];
  const pages = Math.ceil(Math.max(1, ...sizes) / KINDS.alias.wire.list.pageSize[version]);
  // v3 does not tell which engine decides: both sections are read.
  return version === 'v3' ? pages + 1 : pages;
}
