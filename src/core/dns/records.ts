import { missingRecords, type RecordCheck, type RecordChecks, type RecordName } from './checks.ts';
import { isSpf, mergeSpf } from './spf.ts';

/** A DNS record. Host names end with a dot. */
export type DnsRecord = {
  readonly record: RecordName;
  /** Owner name, with the dot at its end. */
  readonly name: string;
} & DnsData;

type DnsData =
  | { readonly type: 'MX'; readonly preference: number; readonly exchange: string }
  | { readonly type: 'TXT'; readonly text: string }
  | { readonly type: 'CNAME'; readonly target: string };

/** The DNS records that a domain lacks. */
export interface MissingRecords {
  readonly domain: string;
  /** The whole set of each name and type that has to change. */
  readonly wanted: readonly DnsRecord[];
  /** Existing records of these sets that have to go. */
  readonly obsolete: readonly DnsRecord[];
  /** Texts for people about records that stay. */
  readonly notes: readonly string[];
}

/** Returns the records to set for a domain, by the service's check. An existing DMARC record is never replaced. */
export function missingRecordSets(domain: string, records: RecordChecks): MissingRecords {
  const sets = missingRecords({ records }).map((name) => SETS[name](domain, records[name], name));
  return {
    domain,
    wanted: sets.flatMap(({ wanted }) => wanted),
    obsolete: sets.flatMap(({ wanted, existing }) => existing.filter((old) => !wanted.some(isSame(old)))),
    notes: sets.flatMap(({ notes = [] }) => notes),
  };
}

interface RecordSet {
  readonly wanted: readonly DnsRecord[];
  readonly existing: readonly DnsRecord[];
  readonly notes?: readonly string[];
}

const SETS: Readonly<
  Record<RecordName, (domain: string, check: RecordCheck, record: RecordName) => RecordSet>
> = { mx: mxSet, spf: spfSet, dkim1: keySet, dkim2: keySet, dmarc: dmarcSet };

function mxSet(domain: string, { expected, values }: RecordCheck): RecordSet {
  const toRecord = (value: string, index: number): DnsRecord => mxRecord(domain, value, index);
  const wanted = expected.map(toRecord);
  // The service may show existing hosts without their preference.
  const shown = values.map((value, index) => {
    const record = toRecord(value, index);
    const known = wanted.find((one) => !hasPreference(value) && exchangeOf(one) === exchangeOf(record));
    return known ?? record;
  });
  return { wanted, existing: shown };
}

/** An MX value of the service's check. */
export interface MxValue {
  readonly preference: number;
  readonly host: string;
}

/** Parses an MX value. The service lists hosts in order of preference, with or without the number. */
export function parseMx(value: string, index: number): MxValue {
  const text = value.trim();
  const [, number = String((index + 1) * 10), host = text] = WITH_PREFERENCE.exec(text) ?? [];
  return { preference: Number(number), host };
}

function mxRecord(domain: string, value: string, index: number): DnsRecord {
  const { preference, host } = parseMx(value, index);
  return { record: 'mx', name: `${domain}.`, type: 'MX', preference, exchange: absolute(host) };
}

const WITH_PREFERENCE = /^(\d{1,5})\s+(\S+)$/;

function hasPreference(value: string): boolean {
  return WITH_PREFERENCE.test(value.trim());
}

function exchangeOf(record: DnsRecord): string | null {
  return record.type === 'MX' ? record.exchange.toLowerCase() : null;
}

function spfSet(domain: string, { expected, values }: RecordCheck): RecordSet {
  const name = `${domain}.`;
  const others = values.filter((value) => !isSpf(value));
  const merged = expected.map((value) => mergeSpf(values, value));
  return {
    wanted: texts('spf', name, [...merged, ...others]),
    existing: texts('spf', name, values),
    notes: [`keep the other TXT records of ${name}`],
  };
}

function dmarcSet(domain: string, { expected, values }: RecordCheck): RecordSet {
  const name = `_dmarc.${domain}.`;
  const kept = values.filter((value) => /^v=DMARC1(?=[\s;]|$)/i.test(value));
  if (kept.length > 0) {
    const notes = kept.map((value) => `${name} has a DMARC record, which stays: ${value}`);
    return { wanted: [], existing: [], notes };
  }
  return {
    wanted: texts('dmarc', name, [...expected, ...values]),
    existing: texts('dmarc', name, values),
  };
}

function texts(record: RecordName, name: string, values: readonly string[]): readonly DnsRecord[] {
  return values.map((text) => ({ record, name, type: 'TXT', text }));
}

/** Returns the records of a DKIM key. The existing values stand at the expected name. */
function keySet(domain: string, { expected, values }: RecordCheck, record: RecordName): RecordSet {
  const wanted = expected.map((value) => keyRecord(domain, record, value));
  const name = wanted[0]?.name ?? `${record}._domainkey.${domain}.`;
  return { wanted, existing: values.map((value) => ({ ...keyRecord(domain, record, value), name })) };
}

/**
 * Returns the record of a key. If the value is a host, its first label is the name of the key. A key itself is a
 * text.
 */
function keyRecord(domain: string, record: RecordName, value: string): DnsRecord {
  const isHost = /^[\w-]+(\.[\w-]+)+\.?$/.test(value);
  const selector = isHost ? (value.split('.')[0] ?? record) : record;
  const name = `${selector}._domainkey.${domain}.`;
  return isHost
    ? { record, name, type: 'CNAME', target: absolute(value) }
    : { record, name, type: 'TXT', text: value };
}

function absolute(host: string): string {
  return host.endsWith('.') ? host : `${host}.`;
}

function isSame(record: DnsRecord): (other: DnsRecord) => boolean {
  const key = keyOf(record);
  return (other) => keyOf(other) === key;
}

function keyOf(record: DnsRecord): string {
  const { name, type } = record;
  switch (record.type) {
    case 'MX':
      return `${name} ${type} ${record.preference} ${record.exchange.toLowerCase()}`;
    case 'TXT':
      return `${name} ${type} ${record.text}`;
    case 'CNAME':
      return `${name} ${type} ${record.target.toLowerCase()}`;
  }
}
