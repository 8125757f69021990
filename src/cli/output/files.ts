import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeDirectory } from '../../state/own-files.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';

type Place = Pick<Context, 'cwd'>;

/** Writes a file that somebody named; one that cannot be written ends the command. */
export async function saveText({ cwd }: Place, path: string, text: string): Promise<void> {
  await write(path, () => writeFile(resolve(cwd, path), text));
}

/** The same for a document. */
export async function saveDocument(place: Place, path: string, document: object): Promise<void> {
  await saveText(place, path, `${JSON.stringify(document, null, 2)}\n`);
}

/** A directory that somebody named, and those that it is in, where they are not there yet. */
export async function makeOutputDirectory({ cwd }: Place, path: string): Promise<void> {
  await write(path, () => makeDirectory({ mkdir }, resolve(cwd, path)));
}

async function write(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw commandFailure(fileFault(path, error, 'written'), 'check the path and its permissions');
  }
}

/** Why a file that somebody named could not be read or written, in words: `plan.json does not exist`. */
export function fileFault(path: string, error: unknown, verb: 'read' | 'written'): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code === 'ENOENT' && verb === 'read') return `${path} does not exist`;
  const reason = typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const words = reason ?? (error instanceof Error ? error.message : String(error));
  return `${path} cannot be ${verb}: ${words}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links lead round in a circle',
  ENOENT: 'its directory does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
};
