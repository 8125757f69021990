import { escapeJson } from '../../core/model/names.ts';
import type { CommandResult, ListsDocument } from '../command.ts';
import type { Context, ProcessContext } from '../context.ts';
import { styleFor } from './paint.ts';
import type { OutputStream } from '../process/standard-output.ts';
import { beginHash } from '../../core/model/text/hash.ts';

/** Returns the width for text. A terminal that reports 0 does not know its width. */
export function columnsOf({ columns }: Pick<OutputStream, 'columns'>): number {
  return columns || 80;
}

/** Returns the width at which to break sentences. Outside a terminal they are not broken. */
export function sentenceColumns(stream: OutputStream): number {
  return stream.isTTY === true ? columnsOf(stream) : Infinity;
}

export function sha256(text: string): string {
  return beginHash('sha256').update(text).digest('hex');
}

/** Prints the result of a command that ran for itself, after it saved the requested files. */
export async function printResult(
  context: Context,
  { saved, document, lists, text = '' }: CommandResult,
): Promise<void> {
  if (saved !== undefined)
    await (await import('./files.ts')).saveDocument(context, saved.path, saved.document);
  if (document !== undefined) printJson(context, document);
  if (lists !== undefined) await printPieces(context, documentPieces(lists));
  if (text !== '') context.stdout.write(text);
}

/** Prints a warning on standard error. */
export function printWarning(
  { stderr, color }: Pick<Context, 'stderr' | 'color'>,
  message: string,
  code: string,
): void {
  const { warning, dim } = styleFor(stderr, color);
  stderr.write(`${warning('warning')}: ${message} ${dim(`[${code}]`)}\n`);
}

/** Prints a document on standard output. */
export function printJson({ stdout }: Pick<ProcessContext, 'stdout'>, document: object): void {
  stdout.write(`${visibleJson(document)}\n`);
}

/** Number of characters to write at once. */
const WRITTEN_AT_ONCE = 1_000_000;

/** Returns a whole document that would otherwise be printed while its lists are read. */
export async function wholeDocument({ kind, lists }: ListsDocument): Promise<object> {
  const whole: Record<string, unknown> = { kind };
  for (const [name, list] of Object.entries(lists)) whole[name] = await Array.fromAsync(list);
  return whole;
}

/** Prints a text piece by piece. The whole text may not fit in memory. */
export async function printPieces(
  { stdout }: Pick<ProcessContext, 'stdout'>,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const write = (text: string): Promise<void> => new Promise((done) => stdout.write(text, () => done()));
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < WRITTEN_AT_ONCE) continue;
    await write(waiting);
    waiting = '';
  }
  await write(waiting);
}

/** Yields the text of a document while its lists are read. The lists may not fit in memory. */
async function* documentPieces({ kind, lists }: ListsDocument): AsyncGenerator<string> {
  yield `{\n  "kind": ${JSON.stringify(kind)}`;
  for (const [name, list] of Object.entries(lists)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    let isEmpty = true;
    for await (const part of list) {
      yield `${isEmpty ? '' : ','}\n    `;
      yield* jsonPieces(part, 2, '    ');
      isEmpty = false;
    }
    yield isEmpty ? ']' : '\n  ]';
  }
  yield '\n}\n';
}

/**
 * Yields the output of `visibleJson` for a value within a document. Objects and lists come in pieces, down to a
 * depth.
 */
function* jsonPieces(value: unknown, depth: number, indent: string): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield visibleJson(value).replaceAll('\n', `\n${indent}`);
    return;
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  let before = open;
  for (const [name, part] of parts) {
    yield `${before}\n${indent}  ${isList ? '' : `${visibleJson(name)}: `}`;
    yield* jsonPieces(part, depth - 1, `${indent}  `);
    before = ',';
  }
  yield parts.length === 0 ? `${open}${close}` : `\n${indent}${close}`;
}

function visibleJson(document: unknown): string {
  return escapeJson(JSON.stringify(document, null, 2));
}
