import type { Node, TextNode } from '../../read/node.ts';
import type { ProblemLog } from '../../problems.ts';
import type { Place } from '../../read/text.ts';

/** What is wrong inside a text that has a syntax of its own. */
export interface InnerFault {
  readonly message: string;
  readonly hint: string;
  /** Where in the text, counted from 0; null when the whole of it is meant. */
  readonly offset: number | null;
}

/** Reports it with its column inside the text, at its place in the file where the text stands there as it is. */
export function reportInside(
  what: 'expression' | 'pattern',
  written: Node,
  { message, hint, offset }: InnerFault,
  log: ProblemLog,
): void {
  const code = what === 'expression' ? 'invalid-expression' : 'invalid-regex';
  if (offset === null || written.kind !== 'text') {
    log.report(code, written, { message, hint });
    return;
  }
  const column = columnOf(written.text, offset);
  log.report(code, placeWithin(written, offset), {
    message: `column ${column} of the ${what}: ${message}`,
    hint,
  });
}

function columnOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return before.length === 1 ? String(column) : `${column} of line ${before.length}`;
}

function placeWithin(written: TextNode, offset: number): Place {
  const { within } = written;
  for (const start of [written.offset, written.offset + 1]) {
    if (within.text.startsWith(written.text, start)) return { within, offset: start + offset };
  }
  return written;
}
