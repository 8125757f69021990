import { stringify } from 'yaml';
import { escapeInvisible } from '../model/names.ts';
import type { RecordFormat } from './record-formats.ts';
import type { DnsRecord, MissingRecords } from './records.ts';
import { zoneLine } from './zone.ts';

/** Renders records below a heading. All but the wanted records is in comments. */
export function renderMissing(format: RecordFormat, heading: string, missing: MissingRecords): string {
  const { comment, render } = FORMATS[format];
  const { wanted, obsolete, notes } = missing;
  const comments = [heading, ...obsolete.map((record) => `remove: ${zoneLine(record)}`), ...notes];
  const lines = comments.map((line) => `${comment} ${oneLine(line)}\n`);
  return `${lines.join('')}${wanted.length === 0 ? '' : render(missing)}`;
}

/** Puts a text into one line, so that it cannot leave its comment. */
function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, ' '));
}

interface Rendering {
  readonly comment: string;
  readonly render: (missing: MissingRecords) => string;
}

const FORMATS: Readonly<Record<RecordFormat, Rendering>> = {
  zone: { comment: ';', render: ({ wanted }) => `${wanted.map(zoneLine).join('\n')}\n` },
  dnscontrol: { comment: '//', render: dnscontrol },
  octodns: { comment: '#', render: octodns },
};

/**
 * Returns a `D_EXTEND` of DNSControl, which adds records to a zone that another file defines. DNSControl splits long
 * texts by itself.
 */
function dnscontrol({ domain, wanted }: MissingRecords): string {
  const lines = wanted.map((record) => `  ${record.type}(${dnscontrolValues(domain, record)}),\n`);
  return `D_EXTEND(${quoted(domain)},\n${lines.join('')}END);\n`;
}

function dnscontrolValues(domain: string, record: DnsRecord): string {
  const name = quoted(relativeName(domain, record) || '@');
  switch (record.type) {
    case 'MX':
      return `${name}, ${record.preference}, ${quoted(record.exchange)}`;
    case 'TXT':
      return `${name}, ${quoted(record.text)}`;
    case 'CNAME':
      return `${name}, ${quoted(record.target)}`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(escapeInvisible(text));
}

/** Returns a zone of octoDNS's `YamlProvider`. Names are sorted, as `enforce_order` wants. */
function octodns({ domain, wanted }: MissingRecords): string {
  const names = Map.groupBy(wanted, (record) => relativeName(domain, record));
  const zone = [...names]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, records]) => {
      const sets = [...Map.groupBy(records, ({ type }) => type)].map(([type, set]) => ({
        type,
        ...valuesOf(set.map(octodnsValue)),
      }));
      return [name, sets.length === 1 ? sets[0] : sets] as const;
    });
  return `---\n${stringify(Object.fromEntries(zone), { lineWidth: 0, singleQuote: true })}`;
}

function valuesOf(values: readonly unknown[]): object {
  return values.length === 1 ? { value: values[0] } : { values };
}

/** Returns a value. `YamlProvider` reads semicolons with a backslash, and splits long texts by itself. */
function octodnsValue(record: DnsRecord): unknown {
  switch (record.type) {
    case 'MX':
      return { exchange: escapeInvisible(record.exchange), preference: record.preference };
    case 'TXT':
      return escapeInvisible(record.text).replaceAll(';', String.raw`\;`);
    case 'CNAME':
      return escapeInvisible(record.target);
  }
}

/** Returns the owner name below the domain; the empty text for the domain itself. */
function relativeName(domain: string, { name }: DnsRecord): string {
  return name === `${domain}.` ? '' : name.slice(0, -`.${domain}.`.length);
}
