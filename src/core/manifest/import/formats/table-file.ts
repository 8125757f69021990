import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { ForwardEntry, LeftOutReason, ParsedSource, Span, Target } from '../forwards.ts';
import {
  addressOfKey,
  collectEntries,
  hasPlainCase,
  missingLocalDomain,
  type EntryCollector,
  type SourceContext,
  type SourceFault,
} from '../source-format.ts';
import { addressTarget } from '../read/addresses.ts';
import { readCsvRows } from '../read/csv-rows.ts';
import { isJson, readJsonRows, type RowTable, type TableRow } from '../read/rows.ts';
import { keysOfAddress } from '../read/row-keys.ts';
import { shapeOf, type TableShape } from './table-shapes.ts';

/** Parses a CSV table with a header, or a JSON list of objects. Rows of one address add up. */
export function parseTable(within: SourceText, context: SourceContext): Result<ParsedSource, SourceFault> {
  const read = isJson(within) ? readJsonRows(within) : readCsvRows(within);
  if (!read.ok) return read;
  const shape = shapeOf(read.value.columns, context.columns);
  return shape.ok ? translateRows(read.value, shape.value, context) : fail({ ...shape.error, span: null });
}

function translateRows(
  { rows }: RowTable,
  shape: TableShape,
  { localDomains }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const found = collectEntries();
  const joined = new Map<string, { readonly span: Span; readonly targets: Target[] }>();
  for (const row of rows) {
    const read = readRow(row, shape);
    if (read.kind === 'left-out') {
      found.leaveOut(row.span, read.address, read.reason);
      continue;
    }
    const keys = keysOfAddress(read.address, localDomains);
    if (keys.length === 0) return fail(missingLocalDomain(row.span));
    for (const key of keys) addUp(key, row.span, read, { joined, found });
  }
  const entries = new Map<string, ForwardEntry>(joined);
  return succeed({ lookups: [{ kind: 'names', entries }], leftOut: found.leftOut, domains: [] });
}

type ReadRow =
  | { readonly kind: 'left-out'; readonly address: string | null; readonly reason: LeftOutReason }
  | {
      readonly kind: 'row';
      readonly address: string;
      readonly texts: readonly string[];
      readonly lost: Target[];
    };

function readRow({ cells }: TableRow, shape: TableShape): ReadRow {
  const address = cells.get(shape.address);
  const texts = textsOf(cells.get(shape.destination), shape.separator);
  if (typeof address !== 'string' || address === '' || texts === null) {
    return { kind: 'left-out', address: null, reason: 'syntax' };
  }
  const enabled = wordOf(shape.enabled, cells);
  if (/^(?:false|no|off|0)$/i.test(enabled)) return { kind: 'left-out', address, reason: 'disabled' };
  if (!/^(?:|true|yes|on|1)$/i.test(enabled)) return { kind: 'left-out', address, reason: 'syntax' };
  const isCustom = /^custom/i.test(wordOf(shape.memberType, cells));
  const lost: Target[] = isCustom ? [{ kind: 'lost', reason: 'member' }] : [];
  return { kind: 'row', address, texts: isCustom ? [] : texts, lost };
}

/** Returns a cell as text; empty if the shape has no such column or the row has no such cell. */
function wordOf(column: string | null, cells: TableRow['cells']): string {
  const cell = column === null ? undefined : cells.get(column);
  return typeof cell === 'string' || typeof cell === 'boolean' || typeof cell === 'number'
    ? String(cell)
    : '';
}

/** Returns the texts of a cell, or of a list in JSON; null if it has none. */
function textsOf(cell: unknown, separator: RegExp | null): readonly string[] | null {
  const parts: readonly unknown[] = Array.isArray(cell) ? cell : [cell];
  if (!parts.every((part) => typeof part === 'string')) return null;
  const texts = parts.flatMap((part) => (separator === null ? [part] : part.split(separator)));
  const kept = texts.map((text) => text.trim()).filter((text) => text !== '');
  return kept.length === 0 ? null : kept;
}

function addUp(
  key: string,
  span: Span,
  { texts, lost }: Extract<ReadRow, { readonly kind: 'row' }>,
  {
    joined,
    found,
  }: {
    readonly joined: Map<string, { readonly span: Span; readonly targets: Target[] }>;
    readonly found: EntryCollector;
  },
): void {
  if (!hasPlainCase(key)) return found.leaveOut(span, addressOfKey(key), 'name');
  const domain = key.slice(key.lastIndexOf('@') + 1);
  const targets = [...texts.map((text) => rowTarget(text, domain)), ...lost];
  const before = joined.get(key);
  if (before === undefined) joined.set(key, { span, targets });
  else before.targets.push(...targets);
}

export function rowTarget(text: string, domain: string): Target {
  return text.includes('://') ? { kind: 'webhook', url: text } : addressTarget(text, domain);
}
