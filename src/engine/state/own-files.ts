import { constants, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type * as fileSystem from 'node:fs/promises';

/** Functions of `node:fs/promises` that the state directory uses. */
export type StateFs = Pick<
  typeof fileSystem,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm'
>;

/** Files below one directory, in which no other user can have placed them. All methods but `fault` throw like `StateFs`. */
export interface OwnFiles {
  /**
   * Returns why the files in a directory below the root must not be used. null means that they may, or that the directory
   * does not exist.
   */
  fault(directory: string): Promise<string | null>;
  /** Creates a directory for the owner alone, with its missing parents. */
  makeDirectory(directory: string): Promise<void>;
  list(directory: string): Promise<readonly string[]>;
  /** Returns the size of a file in bytes. */
  size(path: string): Promise<number>;
  /** Opens a file for reading, or a directory to flush it. A link is an error, and a FIFO does not block. */
  openToRead(path: string): Promise<fileSystem.FileHandle>;
  /** Opens a file for reading and appending. A missing file is created for the owner alone. */
  openToAppend(path: string): Promise<fileSystem.FileHandle>;
  /** Creates a new file for the owner alone. */
  create(path: string): Promise<fileSystem.FileHandle>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file. Succeeds if it does not exist. */
  remove(path: string): Promise<void>;
  /** Returns a path in the same directory that no other process uses. */
  temporaryFor(path: string): string;
}

export interface OwnFilesOptions {
  /** The user's number; null if the system has no user numbers. */
  readonly uid: number | null;
  /** Returns a text that no other process and no other call gets. */
  readonly unique: () => string;
}

// Windows has neither flag, and links there need a privilege.
const NO_SURPRISE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | NO_SURPRISE;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_SURPRISE;
const OWNER_ONLY = { directory: 0o700, file: 0o600 } as const;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Returns the files below a root. A user who can write to a directory on the path of a state file, or has put a link there,
 * chooses which file is read, written or deleted. So the root and every directory below it must be a real directory that
 * belongs to us and that no other user can write to. Otherwise nothing in it is touched.
 */
export function ownFiles(fs: StateFs, root: string, { uid, unique }: OwnFilesOptions): OwnFiles {
  /** Directories that passed the check. After that, no other user can change their contents. */
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
    // With `wx`, any existing file is an error, including a link.
    create: (path) => check(dirname(path)).then(() => fs.open(path, 'wx', OWNER_ONLY.file)),
    link: (from, to) => check(dirname(to)).then(() => fs.link(from, to)),
    rename: (from, to) => check(dirname(to)).then(() => fs.rename(from, to)),
    remove: (path) => check(dirname(path)).then(() => fs.rm(path, { force: true })),
    temporaryFor: (path) => join(dirname(path), `${unique()}.tmp`),
  };
}

/** Returns the root and every directory from there to this one, in this order. */
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
  return `others can write to ${directory} (mode ${shown}); if no other user has, run: chmod 700 ${directory}`;
}

/** Creates a directory and its parents, one at a time, because Node's recursive mkdir never ends in /proc. */
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
