import type { SourceText } from '../../read/text.ts';
import type { Span } from '../forwards.ts';

/** A logical line: its text with the continuation lines, and where it stands. */
export interface LogicalLine {
  readonly span: Span;
  readonly text: string;
}

/** How a system reads lines: which are no part of the text, and what joins a continuation line. */
export interface LineStyle {
  readonly isComment: (line: string) => boolean;
  /** True if a comment ends the logical line before it, so that what continues it is passed over. */
  readonly isCut: boolean;
  readonly join: (before: string, continued: string) => string;
}

/** Postfix and sendmail: a comment may be indented, and stand within a logical line. */
export const POSTFIX_LINES: LineStyle = {
  isComment: (line) => /^\s*(?:#|$)/.test(line),
  isCut: false,
  join: (before, continued) => `${before}${continued}`,
};

/** Exim's lsearch files: an indented `#` is a part of the text, and one at the start of a line ends the item. */
export const EXIM_LINES: LineStyle = {
  isComment: (line) => /^(?:#|\s*$)/.test(line),
  isCut: true,
  join: (before, continued) => `${before.trimEnd()} ${continued.trim()}`,
};

/** Yields the logical lines of a text. A line that begins with white space continues the one before it. */
export function* logicalLines(within: SourceText, style: LineStyle): Generator<LogicalLine> {
  const { text, lineStarts } = within;
  let open: { offset: number; end: number; text: string } | null = null;
  for (const [index, start] of lineStarts.entries()) {
    const next = lineStarts[index + 1];
    const end = next === undefined ? text.length : next - 1;
    const line = text.slice(start, end);
    if (style.isComment(line)) {
      if (style.isCut && line.startsWith('#') && open !== null) {
        yield lineOf(open, within);
        open = null;
      }
      continue;
    }
    if (open !== null && /^\s/.test(line)) {
      open = { offset: open.offset, end, text: style.join(open.text, line) };
      continue;
    }
    if (open !== null) yield lineOf(open, within);
    open = { offset: start, end, text: line };
  }
  if (open !== null) yield lineOf(open, within);
}

function lineOf(
  { offset, end, text }: { readonly offset: number; readonly end: number; readonly text: string },
  within: SourceText,
): LogicalLine {
  return { span: { within, offset, end }, text };
}
