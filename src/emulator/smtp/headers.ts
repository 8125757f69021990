import { Buffer } from 'node:buffer';

/** A field of a header as it is written, its line breaks included. */
export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  readonly raw: string;
}

/** Where the header of a mail ends: the position of its empty line, or of its end. */
export function headerLength(raw: Buffer): number {
  if (raw.indexOf('\r\n') === 0) return 0;
  const end = raw.indexOf('\r\n\r\n');
  return end === -1 ? raw.length : end + 2;
}

/** The fields of a header, in order. Bytes are read as Latin-1, so that they can be written back as they were. */
export function headerFields(raw: Buffer): readonly HeaderField[] {
  const text = raw.toString('latin1', 0, headerLength(raw));
  return text
    .split(/(?<=\n)(?![ \t])/)
    .filter((field) => field !== '')
    .map((field) => ({
      raw: field,
      name: field
        .slice(0, Math.max(0, field.indexOf(':')))
        .trim()
        .toLowerCase(),
    }));
}

/** The value of the first field of this name, unfolded. */
export function headerValue(fields: readonly HeaderField[], name: string): string | undefined {
  const field = fields.find((field) => field.name === name);
  return field?.raw
    .slice(field.raw.indexOf(':') + 1)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim();
}

/** A field with a text that may come from anybody: neither line breaks nor other control characters survive. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${value.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ')}\r\n`;
}

/** As RFC 5322 writes it, in UTC. */
export function mailDate(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toUTCString().replace('GMT', '+0000');
}

/** The mail as it is delivered in the end (RFC 5321, 4.4): with the envelope's sender, in place of any that it has already. */
export function withReturnPath(sender: string, raw: Buffer): Buffer {
  const fields = headerFields(raw);
  const others = fields.filter(({ name }) => name !== 'return-path');
  const head = headerLine('Return-Path', `<${sender}>`);
  if (others.length === fields.length) return withHeader(head, raw);
  const rest = Buffer.from(others.map((field) => field.raw).join(''), 'latin1');
  return Buffer.concat([Buffer.from(head), rest, raw.subarray(headerLength(raw))]);
}

/** The mail with other fields in front. */
export function withHeader(head: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head), raw]);
}
