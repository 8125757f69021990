import type { CommandResult } from '../command.ts';
import type { Context } from '../context.ts';
import { printJson, printLists } from './output.ts';

/** Prints what a command that ran for itself has to say, after it saved what it was asked to. */
export async function printResult(
  context: Context,
  { saved, document, lists, text = '' }: CommandResult,
): Promise<void> {
  if (saved !== undefined)
    await (await import('./files.ts')).saveDocument(context, saved.path, saved.document);
  if (document !== undefined) printJson(context, document);
  if (lists !== undefined) await printLists(context, lists);
  if (text !== '') context.stdout.write(text);
}
