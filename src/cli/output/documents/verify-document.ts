import {
  type Client,
  RECORD_NAMES,
  type RecordCheck,
  type RecordName,
  type Verification,
} from '../../../client/client.ts';
import { escapeInvisible, type DomainName } from '../../../core/model/names.ts';
import { zoneLine, zoneRecords, type ZoneRecord } from './zone.ts';

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
  readonly records: Readonly<Record<RecordName, RecordCheck>> | null;
  /** Records to put into DNS. */
  readonly missing: readonly ZoneRecord[];
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
    missing: answer === null ? [] : zoneRecords(domain, answer),
  }));
  const count = (ready: boolean | null): number => domains.filter((domain) => domain.ready === ready).length;
  const summary = { ready: count(true), notReady: count(false), failed: count(null) };
  return { kind: 'fwdsync/verify@1', api: { url, version }, domains, summary };
}

/** Returns lines of a zone file. Everything but records is a comment. */
export function domainText(verified: VerifiedDomain): string {
  const lines = [
    `; ${verified.domain}: ${state(verified)}`,
    ...foundLines(verified),
    ...verified.missing.map(zoneLine),
  ];
  return `${lines.join('\n')}\n`;
}

function state({ ready, failure, error, records }: VerifiedDomain): string {
  if (ready === null) return `could not be verified: ${oneLine(failure ?? '')}`;
  if (ready) return 'ready';
  const wrong = RECORD_NAMES.filter((name) => records?.[name].valid === false);
  const words = wrong.length === 0 ? '' : ` (${wrong.join(', ')} missing or wrong)`;
  return `not ready${words}${error === null ? '' : `: ${oneLine(error)}`}`;
}

/** Returns a comment for each existing wrong record, which must be replaced and not added to. */
function foundLines({ records }: VerifiedDomain): readonly string[] {
  if (records === null) return [];
  return RECORD_NAMES.filter((name) => !records[name].valid && records[name].values.length > 0).map(
    (name) => `; ${name} is now: ${oneLine(records[name].values.join(', '))}`,
  );
}

function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, ' '));
}
