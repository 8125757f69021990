import { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import { fail, succeed, type Result } from '../model/result.ts';
import type { StateFault } from './state-store.ts';

/** The part of `node:fs/promises` that the state directory uses. */
export type StateFs = Pick<
  typeof import('node:fs/promises'),
  'link' | 'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm'
>;

/** A file that is not there; a file that is there and cannot be read. */
export type ReadOutcome =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** No state file of ours comes near it: what is larger is not ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Names of the files in a directory; empty when there is none. */
export async function listFiles(fs: StateFs, directory: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(directory);
  } catch {
    return [];
  }
}

export async function readText(fs: StateFs, path: string): Promise<ReadOutcome> {
  try {
    const bytes = await fs.readFile(path);
    if (bytes.length > MAX_BYTES) return { kind: 'unreadable', message: `${path} is too large` };
    return { kind: 'text', text: bytes.toString('utf8') };
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
  fs: StateFs,
  path: StatePath,
  text: string | Iterable<string>,
): Promise<Result<void, StateFault>> {
  const written = await writeWhole(fs, path, text);
  if (written.ok) await flushDirectory(fs, path.directory);
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
  fs: StateFs,
  path: StatePath,
  text: string | Iterable<string>,
): Promise<Result<void, StateFault>> {
  const temporary = join(path.directory, path.temporary);
  try {
    await makeDirectory(fs, path.directory);
    await writeFlushed(fs, temporary, text);
    await fs.rename(temporary, join(path.directory, path.name));
    return succeed(undefined);
  } catch (error) {
    await removeQuietly(fs, temporary);
    return fail({ message: `${join(path.directory, path.name)} cannot be written: ${describe(error)}` });
  }
}

export async function writeFlushed(
  fs: StateFs,
  path: string,
  text: string | Iterable<string>,
): Promise<void> {
  const file = await fs.open(path, 'w', 0o600);
  try {
    await file.writeFile(typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keeps the newest `keep` files, by name, of those that end in `suffix`. */
export async function keepNewest(
  fs: StateFs,
  directory: string,
  options: { readonly suffix: string; readonly keep: number },
): Promise<void> {
  const names = (await listFiles(fs, directory)).filter((name) => name.endsWith(options.suffix));
  for (const name of names.toSorted().slice(0, -options.keep)) await removeQuietly(fs, join(directory, name));
}

export async function removeQuietly(fs: StateFs, path: string): Promise<void> {
  try {
    await fs.rm(path, { force: true });
  } catch {
    // It stays: nothing depends on its absence.
  }
}

export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Step by step: in /proc, a recursive mkdir of Node never ends. */
export async function makeDirectory(fs: StateFs, directory: string): Promise<void> {
  const make = async (): Promise<string | null> => {
    try {
      await fs.mkdir(directory, { mode: 0o700 });
      return null;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null;
      if (codeOf(error) === 'ENOENT') return describe(error);
      throw error;
    }
  };
  if ((await make()) === null) return;
  if (dirname(directory) !== directory) await makeDirectory(fs, dirname(directory));
  const missing = await make();
  if (missing !== null) throw new Error(missing);
}

/** Makes the renames themselves durable; not every file system can flush a directory. */
export async function flushDirectory(fs: StateFs, directory: string): Promise<void> {
  try {
    const handle = await fs.open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file itself is whole either way.
  }
}
