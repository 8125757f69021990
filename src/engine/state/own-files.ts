import { constants, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type * as fileSystem from 'node:fs/promises';

/** The part of `node:fs/promises` that the state directory uses. */
export type StateFs = Pick<
  typeof fileSystem,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm'
>;

/** Files below one directory that nobody else can have put there. All but `fault` throw as `StateFs` does. */
export interface OwnFiles {
  /** Why the files in a directory below the root must not be used; null: they may, or there is none. */
  fault(directory: string): Promise<string | null>;
  /** For the owner alone, with what is missing above it. */
  makeDirectory(directory: string): Promise<void>;
  list(directory: string): Promise<readonly string[]>;
  /** Bytes of a file. */
  size(path: string): Promise<number>;
  /** A file, or a directory to be flushed; a link is an error, and a FIFO does not block. */
  openToRead(path: string): Promise<fileSystem.FileHandle>;
  /** A file that is read and grows at its end, made for the owner alone where there is none. */
  openToAppend(path: string): Promise<fileSystem.FileHandle>;
  /** A file that is not there yet, for the owner alone. */
  create(path: string): Promise<fileSystem.FileHandle>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Succeeds when there is nothing to remove. */
  remove(path: string): Promise<void>;
  /** A path in the same directory that no other process uses. */
  temporaryFor(path: string): string;
}

export interface OwnFilesOptions {
  /** Null where the system has no user numbers. */
  readonly uid: number | null;
  /** A text that no other process and no other call gets. */
  readonly unique: () => string;
}

// Windows has neither, and links there need a privilege.
const NO_SURPRISE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | NO_SURPRISE;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_SURPRISE;
const OWNER_ONLY = { directory: 0o700, file: 0o600 } as const;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Whoever can write to a directory on the way to a state file, or has put a link there, chooses which file is read,
 * written or deleted. So the root and every directory below it must be a real one, ours, and writable by nobody else,
 * or nothing in it is touched.
 */
export function ownFiles(fs: StateFs, root: string, { uid, unique }: OwnFilesOptions): OwnFiles {
  /** Directories that passed: nobody else can change what is in them from then on. */
  const passed = new Set<string>();
  const fault = async (directory: string): Promise<string | null> => {
    for (const at of pathBelow(root, directory)) {
      if (passed.has(at)) continue;
      const found = await directoryFault(fs, at, uid);
      if (found === 'missing') return null;
      if (found !== null) return found;
      passed.add(at);
    }
    return null;
  };
  const check = async (directory: string): Promise<void> => {
    const found = await fault(directory);
    if (found !== null) throw new Error(found);
  };
  return {
    fault,
    makeDirectory: (directory) =>
      check(directory).then(() => makeDirectory(fs, directory, OWNER_ONLY.directory)),
    list: (directory) => check(directory).then(() => fs.readdir(directory)),
    size: async (path) => {
      await check(dirname(path));
      return (await fs.lstat(path)).size;
    },
    openToRead: (path) => check(dirname(path)).then(() => fs.open(path, READ)),
    openToAppend: (path) => check(dirname(path)).then(() => fs.open(path, APPEND, OWNER_ONLY.file)),
    // `wx`: whatever has the name, a link included, is an error.
    create: (path) => check(dirname(path)).then(() => fs.open(path, 'wx', OWNER_ONLY.file)),
    link: (from, to) => check(dirname(to)).then(() => fs.link(from, to)),
    rename: (from, to) => check(dirname(to)).then(() => fs.rename(from, to)),
    remove: (path) => check(dirname(path)).then(() => fs.rm(path, { force: true })),
    temporaryFor: (path) => join(dirname(path), `${unique()}.tmp`),
  };
}

/** The root and every directory from there to this one, in this order. */
function pathBelow(root: string, directory: string): readonly string[] {
  const names = relative(root, directory)
    .split(sep)
    .filter((name) => name !== '');
  return names.reduce<readonly string[]>((path, name) => [...path, join(path.at(-1) ?? root, name)], [root]);
}

async function directoryFault(fs: StateFs, directory: string, uid: number | null): Promise<string | null> {
  const stats = await fs.lstat(directory).catch((error: unknown) => codeOf(error) ?? 'unknown');
  if (stats === 'ENOENT' || stats === 'ENOTDIR') return 'missing';
  if (typeof stats === 'string') return `${directory} cannot be checked (${stats})`;
  if (stats.isSymbolicLink()) return `${directory} is a link; the state must be in a real directory`;
  if (!stats.isDirectory()) return `${directory} is not a directory`;
  return uid === null ? null : ownerFault(directory, stats, uid);
}

function ownerFault(directory: string, { uid, mode }: Stats, ours: number): string | null {
  if (uid !== ours) return `${directory} belongs to user ${uid}, and this is user ${ours}`;
  if ((mode & WRITABLE_BY_OTHERS) === 0) return null;
  const shown = (mode & 0o7777).toString(8);
  return `others can write to ${directory} (mode ${shown}); if nobody did, run: chmod 700 ${directory}`;
}

/** Makes a directory and those above it, one at a time: in /proc, a recursive mkdir of Node never ends. */
export async function makeDirectory(
  fs: Pick<StateFs, 'mkdir'>,
  directory: string,
  mode?: number,
): Promise<void> {
  const make = async (): Promise<unknown> => {
    try {
      await fs.mkdir(directory, { mode });
      return null;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null;
      if (codeOf(error) === 'ENOENT') return error;
      throw error;
    }
  };
  if ((await make()) === null) return;
  if (dirname(directory) !== directory) await makeDirectory(fs, dirname(directory), mode);
  const missing = await make();
  if (missing !== null) throw missing;
}

export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
