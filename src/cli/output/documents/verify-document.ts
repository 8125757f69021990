import type { Client, Verification } from '../../../client/client.ts';
import { missingRecords, type RecordChecks } from '../../../core/dns/checks.ts';
import { missingRecordSets, type DnsRecord, type MissingRecords } from '../../../core/dns/records.ts';
import type { RecordFormat } from '../../../core/dns/record-formats.ts';
import { renderMissing } from '../../../core/dns/render-records.ts';
import { zoneData } from '../../../core/dns/zone.ts';
import type { DomainName } from '../../../core/model/names.ts';

/** The result of verifying one domain. */
export interface VerifiedRecords {
  readonly domain: DomainName;
  readonly answer: Verification | null;
  /** Reason why there is no answer; null if there is one. */
  readonly failure: string | null;
}

export interface VerifyDocument {
  readonly kind: 'fwdsync/verify@1';
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3' };
  readonly domains: readonly VerifiedDomain[];
  readonly summary: { readonly ready: number; readonly notReady: number; readonly failed: number };
}

interface VerifiedDomain {
  readonly domain: DomainName;
  /** null means that it is not known, for the reason in `failure`. */
  readonly ready: boolean | null;
  readonly failure: string | null;
  /** The service's own words about MX. */
  readonly error: string | null;
  readonly provider: string | null;
  readonly records: RecordChecks | null;
  /** Records to put into DNS: the whole set of each name and type that has to change. */
  readonly missing: readonly RecordRow[];
  /** Existing records of these sets that have to go. */
  readonly remove: readonly RecordRow[];
  /** Texts for people about records that stay. */
  readonly notes: readonly string[];
}

interface RecordRow extends Pick<DnsRecord, 'record' | 'name' | 'type'> {
  /** Data in the syntax of a zone file. */
  readonly data: string;
}

/** Returns the document `fwdsync/verify@1`; see schemas/verify.v1.schema.json. */
export function verifyDocument(
  { url, version }: Pick<Client, 'url' | 'version'>,
  results: readonly VerifiedRecords[],
): VerifyDocument {
  const domains = results.map(({ domain, answer, failure }) => ({
    domain,
    ready: answer === null ? null : answer.valid,
    failure,
    error: answer?.error ?? null,
    provider: answer?.provider ?? null,
    records: answer?.records ?? null,
    ...rowsOf(missingOf({ domain, answer })),
  }));
  const count = (ready: boolean | null): number => domains.filter((domain) => domain.ready === ready).length;
  const summary = { ready: count(true), notReady: count(false), failed: count(null) };
  return { kind: 'fwdsync/verify@1', api: { url, version }, domains, summary };
}

function rowsOf({
  wanted,
  obsolete,
  notes,
}: MissingRecords): Pick<VerifiedDomain, 'missing' | 'remove' | 'notes'> {
  return { missing: wanted.map(rowOf), remove: obsolete.map(rowOf), notes };
}

function rowOf(dns: DnsRecord): RecordRow {
  const { record, name, type } = dns;
  return { record, name, type, data: zoneData(dns) };
}

function missingOf({ domain, answer }: Pick<VerifiedRecords, 'domain' | 'answer'>): MissingRecords {
  if (answer === null) return { domain, wanted: [], obsolete: [], notes: [] };
  return missingRecordSets(domain, answer.records);
}

/** Returns the missing records of a domain in a format of DNS. All but records is in comments. */
export function recordsText(format: RecordFormat, verified: VerifiedRecords): string {
  return renderMissing(format, `${verified.domain}: ${stateText(verified)}`, missingOf(verified));
}

function stateText({ answer, failure }: VerifiedRecords): string {
  if (answer === null) return `could not be verified: ${failure ?? ''}`;
  if (answer.valid) return 'ready';
  const wrong = missingRecords(answer);
  const words = wrong.length === 0 ? '' : ` (${wrong.join(', ')} missing or wrong)`;
  return `not ready${words}${answer.error === null ? '' : `: ${answer.error}`}`;
}
