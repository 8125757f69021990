import { escapeInvisible } from '../model/names.ts';
import type { DnsRecord } from './records.ts';

/** Returns one line of a zone file. */
export function zoneLine(record: DnsRecord): string {
  return `${record.name.padEnd(40)} IN ${record.type.padEnd(5)} ${zoneData(record)}`;
}

/** Returns a record's data in the syntax of a zone file. */
export function zoneData(record: DnsRecord): string {
  switch (record.type) {
    case 'MX':
      return `${record.preference} ${escapeInvisible(record.exchange)}`;
    case 'TXT':
      return quotedText(record.text);
    case 'CNAME':
      return escapeInvisible(record.target);
  }
}

const LONGEST_STRING = 255;

/** Returns a quoted text by RFC 1035: strings of at most 255 bytes, with quotes, backslashes and other bytes escaped. */
function quotedText(value: string): string {
  const bytes = Buffer.from(escapeInvisible(value), 'utf8');
  const strings = Array.from({ length: Math.max(1, Math.ceil(bytes.length / LONGEST_STRING)) }, (_, index) =>
    bytes.subarray(index * LONGEST_STRING, (index + 1) * LONGEST_STRING),
  );
  return strings.map((string) => `"${Array.from(string, escapeByte).join('')}"`).join(' ');
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return `\\${character}`;
  return byte > 126 || byte < 32 ? `\\${String(byte).padStart(3, '0')}` : character;
}
