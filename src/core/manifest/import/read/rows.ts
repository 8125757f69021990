import { isObject } from '../../../fields/json.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import { quote } from '../../../model/names.ts';
import type { SourceText } from '../../read/text.ts';
import type { Span } from '../forwards.ts';
import type { SourceFault } from '../source-format.ts';

/** A row of a table or an object of a list, by lower-case column names. */
export interface TableRow {
  readonly span: Span;
  readonly cells: ReadonlyMap<string, unknown>;
}

export interface RowTable {
  /** Columns of the header, or keys of the first object, in lower case. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

/** Reads a list of objects, at the top of a JSON document or in its key `result`. */
export function readJsonRows(within: SourceText): Result<RowTable, SourceFault> {
  const parsed = parseJson(within);
  if (!parsed.ok) return parsed;
  const found = listIn(parsed.value, within.text);
  if (found === null) {
    return fail(
      broken(within, 0, 'this is not a list of objects', 'give the list as the old system prints it'),
    );
  }
  const spans = objectSpans(within, found.depth, found.from);
  const rows = found.objects.map((object, index) => ({
    span: spans[index] ?? { within, offset: 0, end: 0 },
    cells: new Map(Object.entries(object).map(([key, cell]) => [key.trim().toLowerCase(), cell])),
  }));
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  return succeed({ columns: [...columns], rows });
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns the objects of a document, their depth and start; null if it has another form. */
function listIn(
  value: unknown,
  text: string,
): { readonly objects: readonly JsonRecord[]; readonly depth: number; readonly from: number } | null {
  const isWrapped = isObject(value) && 'result' in value;
  const list = isWrapped ? value['result'] : value;
  const from = isWrapped ? startOfResult(text) : 0;
  if (Array.isArray(list)) return list.every(isObject) ? { objects: list, depth: 1, from } : null;
  return isWrapped && isObject(list) ? { objects: [list], depth: 0, from } : null;
}

export function isJson({ text }: SourceText): boolean {
  return /^\s*[[{]/.test(text);
}

/** Returns a structural fault at an offset. */
export function broken(within: SourceText, offset: number, message: string, hint: string): SourceFault {
  return { kind: 'structure', span: { within, offset, end: offset }, message, hint };
}

function parseJson(within: SourceText): Result<unknown, SourceFault> {
  try {
    return succeed(JSON.parse(within.text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The end is named in words. A fault near the start has no number.
    const unnumbered = reason.includes('end of JSON') ? within.text.length : 0;
    const position = Number(/position (\d+)/.exec(reason)?.[1] ?? unnumbered);
    const words = reason.replace(/ in JSON.*$|, (?:\.\.\.)?"[\s\S]*$/, '');
    const found = words.startsWith('Unexpected token')
      ? `unexpected ${quote(within.text.charAt(position))}`
      : words;
    const message = `this is not valid JSON: ${found}`;
    return fail(broken(within, Math.min(position, within.text.length), message, 'save the file again'));
  }
}

/** Finds the offset of the key `result`. */
function startOfResult(text: string): number {
  return /"result"\s*:/.exec(text)?.index ?? 0;
}

/** Finds the objects at a depth of a valid JSON text, from an offset. */
function objectSpans(within: SourceText, depth: number, from: number): readonly Span[] {
  const spans: Span[] = [];
  const marks = /"(?:[^"\\]+|\\.)*"|[[\]{}]/g;
  marks.lastIndex = from;
  let level = 0;
  let offset = 0;
  for (let mark = marks.exec(within.text); mark !== null && level >= 0; mark = marks.exec(within.text)) {
    const [sign] = mark;
    if (sign === '{' && level === depth) offset = mark.index;
    level += LEVELS[sign] ?? 0;
    if (sign === '}' && level === depth) spans.push({ within, offset, end: mark.index + 1 });
  }
  return spans;
}

const LEVELS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };
