import type { Node, TextNode } from '../../read/node.ts';
import type { ProblemLog } from '../../problems.ts';
import type { Place } from '../../read/text.ts';

/** A fault inside a text that has its own syntax. */
export interface InnerFault {
  readonly message: string;
  readonly hint: string;
  /** The offset in the text, from 0; null means the whole text. */
  readonly offset: number | null;
}

/** Reports a fault with its column inside the text, at its place in the file if the text is unchanged there. */
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
