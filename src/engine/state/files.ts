import { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { codeOf, type OwnFiles, describe } from './own-files.ts';
import type { StateFault } from './store.ts';

/** The result of reading a file: its text, or that it is missing or unreadable. */
export type ReadOutcome =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Time of writing, in epoch milliseconds of the file system's clock. */
      readonly modifiedAt: number;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** File operations needed to write a complete file. */
export type WritableFiles = Pick<
  OwnFiles,
  'makeDirectory' | 'create' | 'openToRead' | 'rename' | 'remove' | 'temporaryFor'
>;

/** Larger than any state file. A larger file is not ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Returns the names of the files in a directory, or none if it does not exist. */
export async function listFiles(files: OwnFiles, directory: string): Promise<readonly string[]> {
  try {
    return await files.list(directory);
  } catch {
    return [];
  }
}

export async function readText(files: OwnFiles, path: string): Promise<ReadOutcome> {
  try {
    const file = await files.openToRead(path);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { kind: 'unreadable', message: `${path} is not a file` };
      if (stats.size > MAX_BYTES) return { kind: 'unreadable', message: `${path} is too large` };
      return { kind: 'text', text: (await file.readFile()).toString('utf8'), modifiedAt: stats.mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', message: describe(error) };
  }
}

/** A text or its pieces. Other work can run between two pieces. */
type Text = string | Iterable<string> | AsyncIterable<string>;

/**
 * Writes a file in one step, readable only by the owner: a temporary file is written, flushed and renamed. The file is
 * complete at every moment.
 */
export async function writeAtomically(
  files: WritableFiles,
  path: string,
  text: Text,
): Promise<Result<void, StateFault>> {
  const written = await writeWhole(files, path, text);
  if (written.ok) await flushDirectory(files, dirname(path));
  return written;
}

/** Writes a file like `writeAtomically`, but does not flush the directory. Several files can share one `flushDirectory`. */
export async function writeWhole(
  files: WritableFiles,
  path: string,
  text: Text,
): Promise<Result<void, StateFault>> {
  try {
    await files.makeDirectory(dirname(path));
    await replaceFile(files, path, text);
    return succeed(undefined);
  } catch (error) {
    return fail({ message: `${path} cannot be written: ${describe(error)}` });
  }
}

/** Writes a file like `writeWhole`, in a directory that exists. Throws if it cannot be written. */
export async function replaceFile(files: WritableFiles, path: string, text: Text): Promise<void> {
  await placeFile(files, path, text, (temporary) => files.rename(temporary, path));
}

/** Writes a file in one step unless the name is taken. Throws if it cannot be written. */
export async function createFile(files: OwnFiles, path: string, text: Text): Promise<'created' | 'exists'> {
  try {
    await placeFile(files, path, text, (temporary) => files.link(temporary, path));
    return 'created';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/**
 * Returns the time of the file system's clock, which all machines that share the directory have in common. Throws if nothing
 * can be written.
 */
export async function fileSystemTime(files: OwnFiles, directory: string): Promise<number> {
  let time = Number.NaN;
  await placeFile(files, join(directory, 'time'), '\n', async (temporary) => {
    const written = await readText(files, temporary);
    if (written.kind !== 'text') throw new Error(`${temporary} cannot be read`);
    time = written.modifiedAt;
  });
  return time;
}

async function placeFile(
  files: WritableFiles,
  path: string,
  text: Text,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = files.temporaryFor(path);
  try {
    const file = await files.create(temporary);
    try {
      await file.writeFile(typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } finally {
    await removeQuietly(files, temporary);
  }
}

/** Keeps the newest `keep` files whose names end in `suffix`. Newest means last by name. */
export async function keepNewest(
  files: OwnFiles,
  directory: string,
  options: { readonly suffix: string; readonly keep: number },
): Promise<void> {
  const names = (await listFiles(files, directory)).filter((name) => name.endsWith(options.suffix));
  for (const name of names.toSorted().slice(0, -options.keep))
    await removeQuietly(files, join(directory, name));
}

export async function removeQuietly(files: WritableFiles, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch {
    // The file stays. Nothing depends on its removal.
  }
}

/** Flushes a directory, so that renames in it survive a crash. Not every file system can do that. */
export async function flushDirectory(files: WritableFiles, directory: string): Promise<void> {
  try {
    const handle = await files.openToRead(directory);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file itself is complete in any case.
  }
}
