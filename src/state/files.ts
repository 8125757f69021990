import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { fail, succeed, type Result } from '../model/result.ts';
import { codeOf, type OwnFiles, describe } from './own-files.ts';

export interface StateFault {
  readonly message: string;
}

/** A file that is not there; a file that is there and cannot be read. */
export type ReadOutcome =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** What writing a file whole takes. */
export type WritableFiles = Pick<OwnFiles, 'makeDirectory' | 'create' | 'openToRead' | 'rename' | 'remove'>;

/** No state file of ours comes near it: what is larger is not ours. */
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
      return { kind: 'text', text: (await file.readFile()).toString('utf8') };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', message: describe(error) };
  }
}

/**
 * Readable by the owner alone, and whole at any moment: written beside, flushed, then renamed over. A text in pieces is
 * taken one piece after the other, and other work goes on in between.
 */
export async function writeAtomically(
  files: WritableFiles,
  path: StatePath,
  text: string | Iterable<string>,
): Promise<Result<void, StateFault>> {
  const written = await writeWhole(files, path, text);
  if (written.ok) await flushDirectory(files, path.directory);
  return written;
}

/** The directory of a file, its name, and its name until it is whole. */
export interface StatePath {
  readonly directory: string;
  readonly name: string;
  readonly temporary: string;
}

/** The same without flushing the directory, which several files in it can share: `flushDirectory`. */
export async function writeWhole(
  files: WritableFiles,
  path: StatePath,
  text: string | Iterable<string>,
): Promise<Result<void, StateFault>> {
  const temporary = join(path.directory, path.temporary);
  try {
    await files.makeDirectory(path.directory);
    await writeFlushed(files, temporary, text);
    await files.rename(temporary, join(path.directory, path.name));
    return succeed(undefined);
  } catch (error) {
    await removeQuietly(files, temporary);
    return fail({ message: `${join(path.directory, path.name)} cannot be written: ${describe(error)}` });
  }
}

export async function writeFlushed(
  files: WritableFiles,
  path: string,
  text: string | Iterable<string>,
): Promise<void> {
  const file = await files.create(path);
  try {
    await file.writeFile(typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
    await file.sync();
  } finally {
    await file.close();
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
