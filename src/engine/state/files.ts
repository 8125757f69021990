import { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { codeOf, type OwnFiles, describe } from './own-files.ts';
import type { StateFault } from './store.ts';

/** A file that is not there; a file that is there and cannot be read. */
export type ReadOutcome =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** When it was written, in epoch milliseconds of the file system's clock. */
      readonly modifiedAt: number;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** What writing a file whole takes. */
export type WritableFiles = Pick<
  OwnFiles,
  'makeDirectory' | 'create' | 'openToRead' | 'rename' | 'remove' | 'temporaryFor'
>;

/** Larger than any state file: what exceeds it is not ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Names of the files in a directory; empty when there is none. */
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

/** A text, or its pieces: between two pieces other work goes on. */
type Text = string | Iterable<string> | AsyncIterable<string>;

/** Readable by the owner alone, and whole at any moment: written beside, flushed, then renamed over. */
export async function writeAtomically(
  files: WritableFiles,
  path: string,
  text: Text,
): Promise<Result<void, StateFault>> {
  const written = await writeWhole(files, path, text);
  if (written.ok) await flushDirectory(files, dirname(path));
  return written;
}

/** The same without flushing the directory, which several files in it can share: `flushDirectory`. */
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

/** The same in a directory that exists; throws where it cannot be written. */
export async function replaceFile(files: WritableFiles, path: string, text: Text): Promise<void> {
  await placeFile(files, path, text, (temporary) => files.rename(temporary, path));
}

/** Writes a file in one step, unless the name is taken; throws where it cannot be written. */
export async function createFile(files: OwnFiles, path: string, text: Text): Promise<'created' | 'exists'> {
  try {
    await placeFile(files, path, text, (temporary) => files.link(temporary, path));
    return 'created';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/** Reads the clock that a directory's files have their times from: one for all machines that share it. Throws where nothing can be written. */
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

/** Keeps the newest `keep` files, by name, of those that end in `suffix`. */
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
    // It stays: nothing depends on its absence.
  }
}

/** Makes the renames themselves durable; not every file system can flush a directory. */
export async function flushDirectory(files: WritableFiles, directory: string): Promise<void> {
  try {
    const handle = await files.openToRead(directory);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file itself is whole either way.
  }
}
