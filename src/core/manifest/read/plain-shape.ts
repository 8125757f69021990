import type { Entry, ListNode, MapNode, Node, TextNode } from './node.ts';
import type { SourceText } from './text.ts';

/** Limits for one text. */
export interface ShapeLimits {
  readonly lexemes: number;
  /** The lexemes that a document counts as. */
  readonly documentWeight: number;
  readonly nesting: number;
}

/**
 * Composes the documents of a text in the plain shape: block maps and lists, plain and quoted scalars of one line
 * without escapes, flow lists and maps of one line, comments, and `---` between documents. Returns null for anything
 * else, and for everything that would be a problem. The library then reads the text. For the plain shape both give the
 * same result.
 */
export function composePlainShape(source: SourceText, limits: ShapeLimits): readonly Node[] | null {
  if (hasLongLine(source)) return null;
  const cursor: Cursor = { source, text: source.text, limits, at: 0, column: NONE, lexemes: 0 };
  const documents: Node[] = [];
  startLine(cursor);
  while (cursor.at < cursor.text.length) {
    if (cursor.column === NONE) passSeparator(cursor);
    if (cursor.column === NONE) return null;
    cursor.lexemes += 1; // its mark
    const document = readBlock(cursor, 1);
    if (document === null || cursor.column !== NONE) return null;
    documents.push(document);
  }
  return documents.length === 0 || cursor.lexemes > limits.lexemes ? null : documents;
}

/** The longest line that is parsed here. The memory of a regular expression grows with its match. */
const MAX_LINE = 2 ** 20;

function hasLongLine({ text, lineStarts }: SourceText): boolean {
  return lineStarts.some((start, index) => (lineStarts[index + 1] ?? text.length) - start > MAX_LINE);
}

interface Cursor {
  readonly source: SourceText;
  readonly text: string;
  readonly limits: ShapeLimits;
  /** Offset of the next character to read. */
  at: number;
  /** Column of the next token, if it is the first of its line or follows a dash; `NONE` at the end of a document. */
  column: number;
  /** Lexemes so far; at least as many as the library's lexer finds. */
  lexemes: number;
}

const NONE = -1;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const HASH = 0x23;
const DASH = 0x2d;
const COMMA = 0x2c;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d];
const [OPEN_MAP, CLOSE_MAP] = [0x7b, 0x7d];
const SEPARATOR = /^---\r?\n/;

// A plain scalar does not begin with a YAML indicator. In it `:` comes only before a non-space, `#` only after one.
const FIRST = String.raw`[^\s!"#%&'*,\-:<=>?@[\]\x60{|}]`;
const WORD = String.raw`[^\s:#]`;
const PLAIN = String.raw`${FIRST}${WORD}*(?:(?:#| *:(?=\S)| +(?=${WORD}))${WORD}*)*`;
const QUOTED = String.raw`"[^"\\\t\r\n]*"|'(?:[^'\t\r\n]|'')*'`;
const KEY = new RegExp(String.raw`(?:${PLAIN}|${QUOTED})(?=:[ \r\n])`, 'y');
const SCALAR = new RegExp(`${PLAIN}|${QUOTED}`, 'y');
// Within brackets a plain scalar has no spaces and no flow indicators.
const FLOW_WORD = String.raw`[^\s:#,[\]{}]`;
const FLOW_PLAIN = String.raw`${FIRST}${FLOW_WORD}*(?::${FLOW_WORD}+)*`;
const FLOW_SCALAR = new RegExp(String.raw`(?:${FLOW_PLAIN}|${QUOTED})(?=[ ,:\]}])`, 'y');
/** The longest key. The library refuses longer ones. */
const MAX_KEY = 1000;

/** Reads a map or list from its first character, which is its column. */
function readBlock(cursor: Cursor, level: number): Node | null {
  if (level > cursor.limits.nesting) return null;
  return isDash(cursor) ? readList(cursor, level) : readMap(cursor, level);
}

function readMap(cursor: Cursor, level: number): MapNode | null {
  const { source, at, column } = cursor;
  const entries = new Map<string, Entry>();
  do {
    const key = readScalar(cursor, KEY);
    if (key === null || cursor.at - key.offset > MAX_KEY || entries.has(key.text)) return null;
    pass(cursor, 1);
    const value = readValue(cursor, column, level, 'key');
    if (value === null) return null;
    entries.set(key.text, { key, value });
  } while (cursor.column === column);
  return cursor.column > column ? null : { kind: 'map', within: source, offset: at, entries };
}

function readList(cursor: Cursor, level: number): ListNode | null {
  const { source, at, column } = cursor;
  const items: Node[] = [];
  do {
    pass(cursor, 1);
    const item = readValue(cursor, column, level, 'dash');
    if (item === null) return null;
    items.push(item);
  } while (cursor.column === column && isDash(cursor));
  return cursor.column > column ? null : { kind: 'list', within: source, offset: at, items };
}

/** Reads the value of a key or dash at this column: on the same line, or below it, or blank. */
function readValue(cursor: Cursor, column: number, level: number, after: 'key' | 'dash'): Node | null {
  passSpaces(cursor);
  const { source, at } = cursor;
  if (!endsLine(cursor)) return readInline(cursor, column, level, after);
  if (cursor.column > column) return readBlock(cursor, level + 1);
  if (after === 'key' && cursor.column === column && isDash(cursor)) return readBlock(cursor, level + 1);
  return { kind: 'text', within: source, offset: at, text: '', plain: true };
}

function readInline(cursor: Cursor, column: number, level: number, after: 'key' | 'dash'): Node | null {
  if (after === 'dash' && matches(cursor, KEY)) {
    cursor.column = cursor.at - (cursor.text.lastIndexOf('\n', cursor.at) + 1);
    return level < cursor.limits.nesting ? readMap(cursor, level + 1) : null;
  }
  const value = readFlow(cursor, level + 1, SCALAR);
  // A line that is indented further would continue the scalar.
  return value === null || !endsLine(cursor) || cursor.column > column ? null : value;
}

/** Reads a scalar, or a list or map in brackets. */
function readFlow(cursor: Cursor, level: number, scalar: RegExp): Node | null {
  const code = cursor.text.charCodeAt(cursor.at);
  if (code !== OPEN_LIST && code !== OPEN_MAP) return readScalar(cursor, scalar);
  if (level > cursor.limits.nesting) return null;
  return code === OPEN_LIST ? readFlowList(cursor, level) : readFlowMap(cursor, level);
}

function readFlowList(cursor: Cursor, level: number): ListNode | null {
  const { source, at } = cursor;
  const items: Node[] = [];
  while (hasNext(cursor, CLOSE_LIST, items.length)) {
    const item = readFlow(cursor, level + 1, FLOW_SCALAR);
    if (item === null) return null;
    items.push(item);
  }
  return closes(cursor, CLOSE_LIST) ? { kind: 'list', within: source, offset: at, items } : null;
}

function readFlowMap(cursor: Cursor, level: number): MapNode | null {
  const { source, at } = cursor;
  const entries = new Map<string, Entry>();
  while (hasNext(cursor, CLOSE_MAP, entries.size)) {
    const key = readScalar(cursor, FLOW_SCALAR);
    if (key === null || entries.has(key.text) || !cursor.text.startsWith(': ', cursor.at)) return null;
    pass(cursor, 1);
    passSpaces(cursor);
    const value = readFlow(cursor, level + 1, FLOW_SCALAR);
    if (value === null) return null;
    entries.set(key.text, { key, value });
  }
  return closes(cursor, CLOSE_MAP) ? { kind: 'map', within: source, offset: at, entries } : null;
}

/** Skips the bracket before the first item, or the comma before another one. Returns false if no item follows. */
function hasNext(cursor: Cursor, close: number, read: number): boolean {
  passSpaces(cursor);
  if (read > 0 && cursor.text.charCodeAt(cursor.at) !== COMMA) return false;
  pass(cursor, 1);
  passSpaces(cursor);
  return read > 0 || cursor.text.charCodeAt(cursor.at) !== close;
}

function closes(cursor: Cursor, close: number): boolean {
  if (cursor.text.charCodeAt(cursor.at) !== close) return false;
  pass(cursor, 1);
  return true;
}

function readScalar(cursor: Cursor, scalar: RegExp): TextNode | null {
  const { source, text, at } = cursor;
  if (!matches(cursor, scalar)) return null;
  const end = scalar.lastIndex;
  const quote = text.charCodeAt(at);
  const plain = quote !== SINGLE && quote !== DOUBLE;
  pass(cursor, end - at);
  cursor.lexemes += 1;
  const written = plain ? text.slice(at, end) : text.slice(at + 1, end - 1);
  return {
    kind: 'text',
    within: source,
    offset: at,
    text: quote === SINGLE ? written.replaceAll("''", "'") : written,
    plain,
  };
}

function matches(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at;
  return pattern.test(cursor.text);
}

function isDash({ text, at }: Cursor): boolean {
  if (text.charCodeAt(at) !== DASH) return false;
  const next = text.charCodeAt(at + 1);
  return next === SPACE || next === NEWLINE || next === RETURN;
}

function pass(cursor: Cursor, length: number): void {
  cursor.at += length;
  cursor.lexemes += 1;
}

function passSpaces(cursor: Cursor): void {
  const { text, at } = cursor;
  while (text.charCodeAt(cursor.at) === SPACE) cursor.at += 1;
  if (cursor.at > at) cursor.lexemes += 1;
}

/** Skips to the next line that is not blank or a comment. Returns false if the current line has more content. */
function endsLine(cursor: Cursor): boolean {
  const { at } = cursor;
  passSpaces(cursor);
  if (cursor.at === at && cursor.text.charCodeAt(at) === HASH) return false;
  if (!passBreak(cursor)) return false;
  startLine(cursor);
  return true;
}

/** Skips blank lines and comments, from the beginning of a line. */
function startLine(cursor: Cursor): void {
  const { text } = cursor;
  for (let begin = cursor.at; cursor.at < text.length; begin = cursor.at) {
    passSpaces(cursor);
    if (passBreak(cursor)) continue;
    const separates = text.charCodeAt(begin) === DASH && SEPARATOR.test(text.slice(begin, begin + 5));
    cursor.column = separates ? NONE : cursor.at - begin;
    return;
  }
  cursor.column = NONE;
}

/** Skips a comment and the end of the line or text. Returns false if the line has more content. */
function passBreak(cursor: Cursor): boolean {
  const { text } = cursor;
  if (text.charCodeAt(cursor.at) === HASH) {
    const end = text.indexOf('\n', cursor.at);
    pass(cursor, (end < 0 ? text.length : end) - cursor.at);
  }
  if (text.charCodeAt(cursor.at) === RETURN) cursor.at += 1;
  if (cursor.at < text.length && text.charCodeAt(cursor.at) !== NEWLINE) return false;
  pass(cursor, 1);
  return true;
}

function passSeparator(cursor: Cursor): void {
  cursor.lexemes += cursor.limits.documentWeight + 1;
  cursor.at = cursor.text.indexOf('\n', cursor.at) + 1;
  startLine(cursor);
}
