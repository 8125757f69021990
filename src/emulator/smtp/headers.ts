import { Buffer } from 'node:buffer';

/** A header field in its original form, including line breaks. */
export interface HeaderField {
  /** The name in lower case. */
  readonly name: string;
  readonly raw: string;
}

/** Returns the length of a mail's header: the position of the empty line, or of the end of the mail. */
export function headerLength(raw: Buffer): number {
  if (raw.indexOf('\r\n') === 0) return 0;
  const end = raw.indexOf('\r\n\r\n');
  return end === -1 ? raw.length : end + 2;
}

/** Returns the fields of a header, in order. Bytes are read as Latin-1, so that they can be written back unchanged. */
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

/** Returns the value of the first field with this name, unfolded. */
export function headerValue(fields: readonly HeaderField[], name: string): string | undefined {
  const field = fields.find((field) => field.name === name);
  return field?.raw
    .slice(field.raw.indexOf(':') + 1)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trim();
}

/** Returns a header field with a text from an untrusted source. Line breaks and other control characters are removed. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${value.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ')}\r\n`;
}

/** Returns the date as RFC 5322 writes it, in UTC. */
export function mailDate(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toUTCString().replace('GMT', '+0000');
}

/**
 * Returns the mail as it is delivered to the mailbox, with the envelope sender in its `Return-Path`. It replaces an existing
 * one (RFC 5321, 4.4).
 */
export function withReturnPath(sender: string, raw: Buffer): Buffer {
  const fields = headerFields(raw);
  const others = fields.filter(({ name }) => name !== 'return-path');
  const head = headerLine('Return-Path', `<${sender}>`);
  if (others.length === fields.length) return withHeader(head, raw);
  const rest = Buffer.from(others.map((field) => field.raw).join(''), 'latin1');
  return Buffer.concat([Buffer.from(head), rest, raw.subarray(headerLength(raw))]);
}

/** Returns the mail with these fields in front. */
export function withHeader(head: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head), raw]);
}
