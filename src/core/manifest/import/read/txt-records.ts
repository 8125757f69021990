import { Buffer } from 'node:buffer';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { Span } from '../forwards.ts';
import type { SourceFault } from '../source-format.ts';
import { broken } from './rows.ts';

/** A TXT record with its strings joined. The owner is null for `dig +short` output. */
export interface TxtRecord {
  readonly span: Span;
  /** The owner as written; `@` and relative names are relative to `origin`. */
  readonly owner: string | null;
  /** `$ORIGIN`; null if the text has none before the record. */
  readonly origin: string | null;
  readonly text: string;
}

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Reads the TXT records of a zone file, or the lines of `dig +short TXT`. Other records are skipped. */
export function readTxtRecords(within: SourceText): Result<readonly TxtRecord[], SourceFault> {
  const lines = readRecordLines(within);
  if (!lines.ok) return lines;
  const place: ZonePlace = { origin: null, owner: '@' };
  return succeed(lines.value.flatMap((line) => readRecord(line, place) ?? []));
}

/** The origin and the owner that the lines before a record state. */
interface ZonePlace {
  origin: string | null;
  owner: string;
}

/** Reads one record; null for a directive or a record of another type. */
function readRecord({ tokens, span, isIndented }: RecordLine, place: ZonePlace): TxtRecord | null {
  const [first] = tokens;
  if (first === undefined || readDirective(tokens, place)) return null;
  const { origin } = place;
  const isBare = first.isQuoted || /^forward-email/i.test(first.text);
  if (isBare) return { span, owner: null, origin, text: joined(tokens) };
  if (!isIndented) place.owner = first.text;
  const text = textOfRecord(isIndented ? tokens : tokens.slice(1));
  return text === null ? null : { span, owner: place.owner, origin, text };
}

/** True if a line is a directive, such as `$ORIGIN acme.example.`; other directives have no effect here. */
function readDirective([first, second]: readonly Token[], place: ZonePlace): boolean {
  if (first?.text.toUpperCase() === '$ORIGIN') place.origin = second?.text ?? null;
  return first?.isQuoted === false && first.text.startsWith('$');
}

/** Returns the text of a TXT record, from the fields after its owner; null for another type. */
function textOfRecord(fields: readonly Token[]): string | null {
  const at = fields.findIndex(({ text, isQuoted }) => !isQuoted && /^TXT$/i.test(text));
  const isTxt = at >= 0 && fields.slice(0, at).every(({ text }) => /^(?:IN|\d+[smhdw]?)$/i.test(text));
  return isTxt ? joined(fields.slice(at + 1)) : null;
}

function joined(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join('');
}

interface RecordLine {
  readonly tokens: readonly Token[];
  readonly span: Span;
  readonly isIndented: boolean;
}

const MARKS = /"((?:[^"\\]|\\[\s\S])*)"|;[^\n]*|([()])|(\n)|((?:[^\s"();\\]|\\[\s\S])+)|(")/g;

/** Reads the lines of records. A record in parentheses continues over line breaks. Comments begin with a semicolon. */
function readRecordLines(within: SourceText): Result<readonly RecordLine[], SourceFault> {
  const { text } = within;
  const lines: RecordLine[] = [];
  let tokens: Token[] = [];
  let depth = 0;
  let offset = 0;
  const endAt = (end: number): void => {
    lines.push({ tokens, span: { within, offset, end }, isIndented: /[ \t]/.test(text.charAt(offset)) });
    tokens = [];
    offset = end + 1;
  };
  for (const mark of text.matchAll(MARKS)) {
    const [, quoted, parenthesis, lineBreak, word, unclosed] = mark;
    if (unclosed !== undefined) return fail(unclosedFault(within, mark.index, 'quote'));
    if (quoted !== undefined) tokens.push({ text: unescapeText(quoted), isQuoted: true });
    if (word !== undefined) tokens.push({ text: unescapeText(word), isQuoted: false });
    if (parenthesis !== undefined) depth = Math.max(0, depth + (parenthesis === '(' ? 1 : -1));
    if (lineBreak !== undefined && depth === 0) endAt(mark.index);
  }
  if (depth > 0) return fail(unclosedFault(within, offset, 'parenthesis'));
  endAt(text.length);
  return succeed(lines);
}

function unclosedFault(within: SourceText, offset: number, what: string): SourceFault {
  return broken(
    within,
    offset,
    `a ${what} is not closed`,
    'give the records as dig prints them or as a zone file has them',
  );
}

/** Unescapes a text: `\"` is a quote, and `\195\188` are the UTF-8 bytes of a letter. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  const plain = text.replace(/\\([^\d])/g, '$1');
  return plain.replace(/(?:\\\d{3})+/g, (codes) =>
    Buffer.from(codes.slice(1).split('\\').map(Number)).toString('utf8'),
  );
}
