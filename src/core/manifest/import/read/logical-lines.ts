import type { SourceText } from '../../read/text.ts';
import type { Span } from '../forwards.ts';

/** A logical line: its text with continuation lines, and its place. */
export interface LogicalLine {
  readonly span: Span;
  readonly text: string;
}

/** A system's way of reading lines. */
export interface LineStyle {
  readonly isComment: (line: string) => boolean;
  /** True if a comment ends the logical line before it, so that its continuation lines are skipped. */
  readonly isCut: boolean;
  readonly join: (before: string, continued: string) => string;
}

/** Postfix and sendmail: a comment may be indented, and may be within a logical line. */
export const POSTFIX_LINES: LineStyle = {
  isComment: (line) => /^\s*(?:#|$)/.test(line),
  isCut: false,
  join: (before, continued) => `${before}${continued}`,
};

/** Exim's lsearch files: an indented `#` is part of the text, and one at the start of a line ends the item. */
export const EXIM_LINES: LineStyle = {
  isComment: (line) => /^(?:#|\s*$)/.test(line),
  isCut: true,
  join: (before, continued) => `${before.trimEnd()} ${continued.trim()}`,
};

/** Yields the logical lines of a text. A line that begins with white space continues the previous one. */
export function* logicalLines(within: SourceText, style: LineStyle): Generator<LogicalLine> {
  let open: OpenLine | null = null;
  for (const { offset, end, line } of physicalLines(within)) {
    const kind = kindOf(line, style);
    if (kind === 'comment') continue;
    if (open !== null && kind === 'continued') {
      open = { offset: open.offset, end, text: style.join(open.text, line) };
      continue;
    }
    if (open !== null) yield lineOf(open, within);
    open = kind === 'cut' ? null : { offset, end, text: line };
  }
  if (open !== null) yield lineOf(open, within);
}

function kindOf(line: string, { isComment, isCut }: LineStyle): 'comment' | 'cut' | 'continued' | 'first' {
  if (isComment(line)) return isCut && line.startsWith('#') ? 'cut' : 'comment';
  return /^\s/.test(line) ? 'continued' : 'first';
}

interface OpenLine {
  readonly offset: number;
  readonly end: number;
  readonly text: string;
}

function* physicalLines({
  text,
  lineStarts,
}: SourceText): Generator<Omit<OpenLine, 'text'> & { readonly line: string }> {
  for (const [index, offset] of lineStarts.entries()) {
    const next = lineStarts[index + 1];
    const end = next === undefined ? text.length : next - 1;
    yield { offset, end, line: text.slice(offset, end) };
  }
}

function lineOf({ offset, end, text }: OpenLine, within: SourceText): LogicalLine {
  return { span: { within, offset, end }, text };
}
