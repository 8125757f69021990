import { missingRecords } from '../../../client/operations/verification.ts';
import type { RecordName, Verification } from '../../../client/client.ts';
import { escapeInvisible } from '../../../core/model/names.ts';

/** A record of a domain's DNS that is missing or wrong. */
export interface ZoneRecord {
  readonly record: RecordName;
  /** Owner name, with the dot at its end. */
  readonly name: string;
  readonly type: 'MX' | 'TXT' | 'CNAME';
  /** Data in the syntax of a zone file. */
  readonly data: string;
}

/** Returns the records to put into DNS, all of them from the service's expectations. */
export function zoneRecords(domain: string, verification: Verification): readonly ZoneRecord[] {
  return missingRecords(verification).flatMap((record) => {
    const { expected } = verification.records[record];
    return expected.map((value, index) => zoneRecord(domain, record, value, index));
  });
}

/** Returns one line of a zone file. */
export function zoneLine({ name, type, data }: ZoneRecord): string {
  return `${name.padEnd(40)} IN ${type.padEnd(5)} ${data}`;
}

function zoneRecord(domain: string, record: RecordName, value: string, index: number): ZoneRecord {
  switch (record) {
    case 'mx':
      return { record, name: `${domain}.`, type: 'MX', data: mailExchange(value, index) };
    case 'spf':
      return { record, name: `${domain}.`, type: 'TXT', data: quotedText(value) };
    case 'dmarc':
      return { record, name: `_dmarc.${domain}.`, type: 'TXT', data: quotedText(value) };
    case 'dkim1':
    case 'dkim2':
      return domainKey(domain, record, value);
  }
}

/** Returns an MX value. The service lists hosts in order of preference, with or without the number. */
function mailExchange(value: string, index: number): string {
  const [, preference = String((index + 1) * 10), host = value] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? [];
  return `${preference} ${absolute(host)}`;
}

/**
 * Returns the record of a key. If the value is a host, its first label is the name of the key. A key itself is a
 * text.
 */
function domainKey(domain: string, record: RecordName, value: string): ZoneRecord {
  const isHost = /^[\w-]+(\.[\w-]+)+\.?$/.test(value);
  const selector = isHost ? (value.split('.')[0] ?? record) : record;
  const name = `${selector}._domainkey.${domain}.`;
  return isHost
    ? { record, name, type: 'CNAME', data: absolute(value) }
    : { record, name, type: 'TXT', data: quotedText(value) };
}

function absolute(host: string): string {
  const shown = escapeInvisible(host);
  return shown.endsWith('.') ? shown : `${shown}.`;
}

const LONGEST_STRING = 255;

/** Returns a quoted text by RFC 1035: strings of at most 255 bytes, with quotes and backslashes escaped. */
function quotedText(value: string): string {
  const text = escapeInvisible(value);
  const parts = text.match(new RegExp(`.{1,${LONGEST_STRING}}`, 'gsu')) ?? [''];
  return parts.map((part) => `"${part.replace(/["\\]/g, (character) => `\\${character}`)}"`).join(' ');
}
