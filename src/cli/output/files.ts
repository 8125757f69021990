import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { replaceFile, type WritableFiles } from '../../engine/state/files.ts';
import { codeOf, makeDirectory } from '../../engine/state/own-files.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';

type Place = Pick<Context, 'cwd'>;

/** Writes a file that the user named. If it cannot be written, it stays as it was and the command ends. */
export async function saveText({ cwd }: Place, path: string, text: string): Promise<void> {
  await write(path, () => replaceText(resolve(cwd, path), text));
}

/** Replaces a file in one step. Writes in place if it is a device or a pipe, or if it cannot be replaced. */
async function replaceText(named: string, text: string): Promise<void> {
  const path = await fs.realpath(named).catch(() => named);
  const before = await fs.stat(path).catch(() => null);
  if (before !== null && !before.isFile()) return fs.writeFile(path, text);
  try {
    await replaceFile(filesBeside(before), path, text);
  } catch (error) {
    if (before === null || !CANNOT_REPLACE.has(codeOf(error) ?? '')) throw error;
    await fs.writeFile(path, text);
  }
}

/** Error codes for a file that is mounted alone, or whose directory must not be changed. */
const CANNOT_REPLACE = new Set(['EACCES', 'EBUSY', 'EPERM', 'EROFS']);

/**
 * Returns file functions that write a new file beside the one that it replaces, with the mode and the owner of that
 * one.
 */
export function filesBeside(before: Pick<Stats, 'mode' | 'uid' | 'gid'> | null): WritableFiles {
  return {
    makeDirectory: (directory) => makeDirectory(fs, directory),
    async create(path) {
      const file = await fs.open(path, 'wx', before === null ? 0o666 : 0o600);
      if (before !== null) {
        await file.chown(before.uid, before.gid).catch(() => undefined);
        await file.chmod(before.mode);
      }
      return file;
    },
    openToRead: (path) => fs.open(path, 'r'),
    rename: (from, to) => fs.rename(from, to),
    remove: (path) => fs.rm(path, { force: true }),
    temporaryFor: (path) => join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`),
  };
}

/** Writes a JSON document to a file that the user named. */
export async function saveDocument(place: Place, path: string, document: object): Promise<void> {
  await saveText(place, path, `${JSON.stringify(document, null, 2)}\n`);
}

/** Creates a directory that the user named, and its parents, if they do not exist. */
export async function makeOutputDirectory({ cwd }: Place, path: string): Promise<void> {
  await write(path, () => makeDirectory(fs, resolve(cwd, path)));
}

async function write(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw commandFailure(fileFault(path, error, 'written'), 'check the path and its permissions');
  }
}

/** Explains why a file that the user named could not be read or written: `plan.json does not exist`. */
export function fileFault(path: string, error: unknown, verb: 'read' | 'written'): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code === 'ENOENT' && verb === 'read') return `${path} does not exist`;
  const reason = typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const words = reason ?? (error instanceof Error ? error.message : String(error));
  return `${path} cannot be ${verb}: ${words}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file would be larger than the system allows',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links form a loop',
  ENOENT: 'its directory does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
};
