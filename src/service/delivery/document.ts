import { iso } from '../../core/model/clock.ts';
import type { DeliveryThreshold } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { countsOf, FATES, type FailedFate, type FateCounts } from './fates.ts';
import type { DomainDelivery } from './read-domain.ts';
import type { SafeText } from './safe-text.ts';
import { crosses } from './thresholds.ts';
import type { DeliveryRow } from './tally.ts';

export interface DeliveryDocument {
  readonly kind: 'fwdsync/delivery@1';
  readonly since: string;
  readonly until: string;
  readonly complete: boolean;
  /** Reasons why the document is not complete, and notes needed to read it. */
  readonly notices: readonly string[];
  readonly rows: readonly RowDocument[];
  readonly domains: readonly DomainDocument[];
  readonly summary: FateCounts & { readonly failing: number; readonly healthy: number };
}

export interface RowDocument extends FateCounts {
  readonly domain: DomainName;
  readonly alias: string | null;
  readonly rule: string | null;
  readonly destination: string | null;
  readonly lastError: {
    readonly at: string | null;
    readonly code: number | null;
    readonly message: string;
  } | null;
  /** Senders of messages that failed, the newest first, at most five. */
  readonly senders: readonly string[];
  readonly source: Source | null;
  /** True if the row crosses the threshold of its domain. */
  readonly failing: boolean;
}

interface DomainDocument {
  readonly domain: DomainName;
  readonly readAt: string | null;
  readonly failure: string | null;
  /** Number of messages refused for names that neither manifest, account nor history know. */
  readonly unknownNames: number;
  /** Number of messages that are still on the way. */
  readonly open: number;
}

export interface DeliveryFindings {
  readonly since: number;
  readonly until: number;
  readonly complete: boolean;
  readonly notices: readonly string[];
  readonly domains: readonly (DomainDelivery & {
    /** The domain's threshold. null means that its failures are not reported. */
    readonly threshold: DeliveryThreshold | null;
    readonly failure: string | null;
  })[];
}

/** Builds a `fwdsync/delivery@1` document (schemas/delivery.v1.schema.json). The worst rows come first. */
export function deliveryDocument(
  findings: DeliveryFindings,
  failOn: readonly FailedFate[],
  safe: SafeText,
): DeliveryDocument {
  const rows = findings.domains
    .flatMap(({ domain, threshold, rows: ofDomain }) =>
      ofDomain.map((row) => rowDocument(domain, row, isFailing(row, threshold, failOn), safe)),
    )
    .sort(byBadness);
  return {
    kind: 'fwdsync/delivery@1',
    since: iso(findings.since),
    until: iso(findings.until),
    complete: findings.complete,
    notices: findings.notices,
    rows,
    domains: findings.domains.map(({ domain, readAt, failure, unknownNames, open }) => {
      return { domain, readAt: readAt === null ? null : iso(readAt), failure, unknownNames, open };
    }),
    summary: summaryOf(rows),
  };
}

/** True if messages with these fates together cross the threshold. */
export function isFailing(
  { failedAt }: Pick<DeliveryRow, 'failedAt'>,
  threshold: DeliveryThreshold | null,
  fates: readonly FailedFate[],
): boolean {
  return (
    threshold !== null &&
    crosses(
      fates.flatMap((fate) => failedAt[fate]),
      threshold,
    )
  );
}

/** True if a row has no failure. */
export function isHealthy({ refused, soft, hard }: FateCounts): boolean {
  return refused + soft + hard === 0;
}

function rowDocument(
  domain: DomainName,
  { alias, rule, destination, counts, lastError, senders, source }: DeliveryRow,
  failing: boolean,
  safe: SafeText,
): RowDocument {
  const error = lastError === null ? null : { ...lastError, message: safe(lastError.message) };
  return {
    domain,
    alias,
    rule,
    destination: destination === null ? null : safe(destination),
    ...counts,
    lastError: error === null ? null : { ...error, at: error.at === null ? null : iso(error.at) },
    senders: senders.map(safe),
    source,
    failing,
  };
}

function byBadness(a: RowDocument, b: RowDocument): number {
  const lost = ({ refused, hard }: RowDocument): number => refused + hard;
  return (
    Number(b.failing) - Number(a.failing) ||
    lost(b) - lost(a) ||
    b.soft - a.soft ||
    compare(nameOf(a), nameOf(b))
  );
}

function nameOf({ domain, alias, rule, destination }: RowDocument): string {
  return JSON.stringify([domain, alias, rule, destination]);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function summaryOf(rows: readonly RowDocument[]): DeliveryDocument['summary'] {
  const sum = (fate: (typeof FATES)[number]): number => rows.reduce((total, row) => total + row[fate], 0);
  return {
    ...countsOf(Object.fromEntries(FATES.map((fate) => [fate, sum(fate)]))),
    failing: rows.filter(({ failing }) => failing).length,
    healthy: rows.filter(isHealthy).length,
  };
}
