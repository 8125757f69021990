import { isAlias, visit, type Document, type Range, type YAMLError } from 'yaml';
import type { ProblemLog } from '../problems.ts';
import { lacksSpace, SPACE_HINT } from './slips.ts';
import type { SourceText } from './text.ts';
import { findUnclosed } from './unclosed.ts';

/**
 * Reports why a document is unreadable. After the first fault the rest of a YAML text is guesswork, so only that fault
 * is reported, and the rest is not checked. Asterisks without quotes are all reported.
 */
export function reportSyntaxFaults(
  document: Document,
  source: SourceText,
  log: ProblemLog,
): 'broken' | 'readable' {
  const stars = findStars(document, source, log);
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first === undefined) return stars;
  if (stars === 'readable') reportFirst(first, document, source, log);
  return 'broken';
}

const HINTS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_SCALAR_START: 'put the value in quotes',
  BAD_INDENT: 'start this line at the same column as the entries it belongs to; indent with spaces',
  BAD_DQ_ESCAPE: 'write the text in single quotes, or each backslash twice',
  BLOCK_AS_IMPLICIT_KEY:
    'put a value that contains a colon in quotes, or check the indentation of this line and the next',
  MULTILINE_IMPLICIT_KEY: 'write a colon and a value after the key',
  MISSING_CHAR: 'close the quote or bracket, or write a colon after the key; the file may be cut here',
};
const OTHER_HINT =
  'check quotes, brackets and indentation of this line and the one before it; put patterns in quotes';

/**
 * Finds asterisks without quotes, which YAML reads as the beginning of an alias, with or without a colon after them.
 */
function findStars(document: Document, within: SourceText, log: ProblemLog): 'broken' | 'readable' {
  let found: 'broken' | 'readable' = 'readable';
  const [start, , end] = rangeOf(document, within);
  if (!/\*[:\s,\]}]|\*$/.test(within.text.slice(start, end))) return found;
  visit(document, (_, node) => {
    if (!isAlias(node) || !/^:?$/.test(node.source)) return;
    found = 'broken';
    const offset = node.range?.[0] ?? 0;
    log.report(
      'unquoted-star',
      { within, offset },
      { message: 'a * without quotes is YAML syntax, not a name', hint: 'write "*"' },
    );
  });
  return found;
}

function rangeOf(document: Document, { text }: SourceText): Range {
  return document.range ?? [0, 0, text.length];
}

function reportFirst(fault: YAMLError, document: Document, within: SourceText, log: ProblemLog): void {
  const offset = Math.min(fault.pos[0], within.text.length);
  if (fault.code === 'TAB_AS_INDENT') {
    const message = 'a tab is used as indentation';
    log.report('tab-indent', { within, offset }, { message, hint: 'indent with spaces' });
    return;
  }
  const [start, , end] = rangeOf(document, within);
  const unclosed = findUnclosed(within.text, [start, end], offset);
  if (unclosed !== null) {
    const { sign } = unclosed;
    const hint = `close the ${sign}, or indent the lines below that belong to it`;
    log.report(
      'syntax',
      { within, offset: unclosed.offset },
      { message: `YAML: the ${sign} is not closed`, hint },
    );
    return;
  }
  log.report(
    'syntax',
    { within, offset },
    { message: `YAML: ${fault.message}`, hint: hintFor(fault, lineAt(within.text, offset)) },
  );
}

/** Faults that a text without its colon causes. With other faults a colon in a value is no mistake. */
const LACKING: ReadonlySet<string> = new Set([
  'BLOCK_AS_IMPLICIT_KEY',
  'MISSING_CHAR',
  'MULTILINE_IMPLICIT_KEY',
]);

function hintFor({ code }: YAMLError, line: string): string {
  return LACKING.has(code) && lacksSpace(line) ? SPACE_HINT : (HINTS[code] ?? OTHER_HINT);
}

function lineAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, end < 0 ? text.length : end);
}
