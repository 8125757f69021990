import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from './context.ts';
import { CommandError, EXIT } from './exit.ts';

/** Writes a file that somebody named; one that cannot be written ends the command. */
export async function saveText({ cwd }: Pick<Context, 'cwd'>, path: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(cwd, path), text);
  } catch (error) {
    throw new CommandError(
      EXIT.failed,
      `${path} cannot be written: ${(error as Error).message}`,
      'check the path and its permissions',
    );
  }
}

/** The same for a document. */
export async function saveDocument(
  context: Pick<Context, 'cwd'>,
  path: string,
  document: object,
): Promise<void> {
  await saveText(context, path, `${JSON.stringify(document, null, 2)}\n`);
}
