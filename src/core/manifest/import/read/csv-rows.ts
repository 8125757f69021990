import { CsvError, parse } from 'csv-parse/sync';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { SourceFault } from '../source-format.ts';
import { broken, type RowTable, type TableRow } from './rows.ts';

/** Reads a CSV text: a header, and rows that may be shorter or longer than it. */
export function readCsvRows(within: SourceText): Result<RowTable, SourceFault> {
  const { text, lineStarts } = within;
  const rows: TableRow[] = [];
  let columns: readonly string[] | null = null;
  let line = 0;
  const keep = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
    const span = { within, offset: lineStarts[line] ?? 0, end: (lineStarts[lines] ?? text.length + 1) - 1 };
    line = lines;
    if (columns === null) columns = cells.map((cell) => cell.toLowerCase());
    else rows.push({ span, cells: new Map(cells.map((cell, index) => [columns?.[index] ?? '', cell])) });
    return null;
  };
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      relaxColumnCount: true,
      skipEmptyLines: true,
      trim: true,
      onRecord: keep,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `this is not valid CSV: ${error.message.split(':')[0]?.toLowerCase() ?? ''}`;
    return fail(broken(within, lineStarts[line] ?? 0, message, 'close the quotes, or export the file again'));
  }
  if (columns !== null) return succeed({ columns, rows });
  return fail(broken(within, 0, 'the file has no header', 'export it again with the names of the columns'));
}

/** Returns the delimiter of a table. Spreadsheets in some languages use semicolons, and some programs tabs. */
function delimiterOf(text: string): string {
  const [header = ''] = /^.*\S.*$/m.exec(text) ?? [];
  const counts = [',', ';', '\t'].map((sign) => [sign, header.split(sign).length] as const);
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}
