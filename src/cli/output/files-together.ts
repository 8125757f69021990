import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { replaceFile, removeQuietly } from '../../engine/state/files.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';
import { fileFault, filesBeside } from './files.ts';

/** A file that gets another text. */
export interface FileChange {
  /** The path as it is shown. */
  readonly path: string;
  /** Content of the file from which the new text was made. */
  readonly before: Uint8Array;
  readonly text: string;
}

/**
 * Replaces files by renaming. All new texts are first written beside the files and then renamed one by one, so each
 * file is old or new at any moment. If one cannot be replaced, the replaced ones are restored.
 */
export async function saveTogether(
  { cwd }: Pick<Context, 'cwd'>,
  changes: readonly FileChange[],
): Promise<void> {
  const staged: StagedFile[] = [];
  try {
    for (const change of changes) staged.push(await stage(cwd, change));
    for (const file of staged) await assertUnchanged(file);
    await placeAll(staged);
  } finally {
    for (const { files, temporary } of staged) await removeQuietly(files, temporary);
  }
}

interface StagedFile extends FileChange {
  /** The path without links. */
  readonly real: string;
  readonly temporary: string;
  readonly files: ReturnType<typeof filesBeside>;
}

async function stage(cwd: string, change: FileChange): Promise<StagedFile> {
  return orFailure(change.path, async () => {
    const real = await fs.realpath(resolve(cwd, change.path));
    const stats: Stats = await fs.stat(real);
    const files = filesBeside(stats);
    const temporary = files.temporaryFor(real);
    const file = await files.create(temporary);
    try {
      await file.writeFile(Buffer.from(change.text, 'utf8'));
      await file.sync();
    } finally {
      await file.close();
    }
    return { ...change, real, temporary, files };
  });
}

async function assertUnchanged({ path, real, before }: StagedFile): Promise<void> {
  const now = await orFailure(path, () => fs.readFile(real));
  if (now.equals(before)) return;
  throw commandFailure(
    `${path} was changed meanwhile; nothing was written`,
    'run the command again: it reads the files again',
  );
}

async function placeAll(staged: readonly StagedFile[]): Promise<void> {
  const placed: StagedFile[] = [];
  for (const file of staged) {
    try {
      await file.files.rename(file.temporary, file.real);
      placed.push(file);
    } catch (error) {
      const left = await putBack(placed);
      const state = left.length === 0 ? 'nothing was changed' : `these stay changed: ${left.join(', ')}`;
      throw commandFailure(
        `${fileFault(file.path, error, 'written')}; ${state}`,
        'check the path and its permissions',
      );
    }
  }
}

/** Restores files. Returns those that could not be restored. */
async function putBack(placed: readonly StagedFile[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { path, real, before, files } of placed.toReversed()) {
    try {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(before);
      await replaceFile(files, real, text);
    } catch {
      left.push(path);
    }
  }
  return left;
}

async function orFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw commandFailure(fileFault(path, error, 'written'), 'check the path and its permissions');
  }
}
