import { missingRecords } from '../../../client/operations/verification.ts';
import type { RecordName, Verification } from '../../../client/client.ts';
import { escapeInvisible } from '../../../core/model/names.ts';

/** A record of a domain's DNS that is missing or wrong. */
export interface ZoneRecord {
  readonly record: RecordName;
  /** Owner name, with the dot at its end. */
  readonly name: string;
  readonly type: 'MX' | 'TXT' | 'CNAME';
  /** As a zone file writes it. */
  readonly data: string;
}

/** The records to put into DNS, all of them from what the service says that it expects. */
export function zoneRecords(domain: string, verification: Verification): readonly ZoneRecord[] {
  return missingRecords(verification).flatMap((record) => {
    const { expected } = verification.records[record];
    return expected.map((value, index) => zoneRecord(domain, record, value, index));
  });
}

/** One line of a zone file. */
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

/** The service names hosts in order of preference, with or without the number. */
function mailExchange(value: string, index: number): string {
  const [, preference = String((index + 1) * 10), host = value] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? [];
  return `${preference} ${absolute(host)}`;
}

/** The first label of the host that the key is taken from is the name of the key; a key itself is a text. */
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

/** RFC 1035: strings of at most 255 bytes in quotes, quotes and backslashes in them escaped. */
function quotedText(value: string): string {
  const text = escapeInvisible(value);
  const parts = text.match(new RegExp(`.{1,${LONGEST_STRING}}`, 'gsu')) ?? [''];
  return parts.map((part) => `"${part.replace(/["\\]/g, (character) => `\\${character}`)}"`).join(' ');
}
