import type { Dirent, Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail, succeed, type Result } from '../../model/result.ts';
import { MAX_FILE_SIZE } from './decode.ts';
import type { ManifestText } from './text.ts';

/** File-system functions and input needed to read manifests. */
export interface ReadPorts {
  readonly fs: ReadFileSystem;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /**
   * The absolute path of a directory that holds no manifests, even within a named one: the state directory with its
   * snapshots.
   */
  readonly leaveOut?: string | undefined;
}

/** The part of `node:fs/promises` that is used. */
export interface ReadFileSystem {
  readonly stat: (path: string) => Promise<Stats>;
  readonly realpath: (path: string) => Promise<string>;
  readonly readdir: (path: string, options: { withFileTypes: true }) => Promise<Dirent[]>;
  readonly open: (path: string, flags: 'r') => Promise<OpenFile>;
}

export interface OpenFile {
  readonly read: (buffer: Uint8Array, offset: number, length: number) => Promise<{ bytesRead: number }>;
  readonly close: () => Promise<void>;
}

/** The reason why the manifests cannot be read: exit code 1. */
export interface ReadFault {
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** The most levels of directories below a named one. Links may make loops. */
const MAX_DEPTH = 32;

/**
 * Reads the manifests that `-f` names: files, directories with every `*.yaml` and `*.yml` below them in name order,
 * and `-`. Links are followed, and each real file is read once. Names that begin with a dot are skipped, so that a
 * Kubernetes volume is read once. Anything but a file or directory is refused before it is opened, because a FIFO
 * would block. The list is never empty: a missing manifest is not an empty manifest.
 */
export async function readManifests(
  paths: readonly string[],
  ports: ReadPorts,
): Promise<Result<readonly ManifestText[], ReadFault>> {
  const reading: Reading = { ports, canRepeat: paths.length > 1, seen: new Set(), texts: [] };
  for (const path of paths) {
    try {
      const found = path === '-' ? await readStandardInput(reading) : await readPath(path, reading, 0);
      if (found === 'nothing') return fail(emptyFault(path));
    } catch (error) {
      return fail(faultOf(path, error));
    }
  }
  return reading.texts.length === 0 ? fail(NOTHING_NAMED) : succeed(reading.texts);
}

/**
 * Lists the manifests of `--accounts DIR`: every YAML file and every directory directly in it, in name order. It
 * includes entries that cannot be examined, such as a dangling link, because reading one fails only for that account.
 */
export async function listAccounts(
  directory: string,
  ports: ReadPorts,
): Promise<Result<readonly string[], ReadFault>> {
  try {
    const entries = await ports.fs.readdir(resolve(ports.cwd, directory), { withFileTypes: true });
    const accounts: string[] = [];
    const outside = await leftOut(ports);
    for (const entry of entries.sort(byName)) {
      const path = join(directory, entry.name);
      if (!entry.name.startsWith('.') && (await isAccount(path, entry, { ...ports, outside })))
        accounts.push(path);
    }
    return accounts.length === 0 ? fail(emptyFault(directory)) : succeed(accounts);
  } catch (error) {
    return fail(faultOf(directory, error));
  }
}

/**
 * True if an entry is a manifest, or cannot be examined. Plain files need no system call, and nearly all entries are
 * plain files.
 */
async function isAccount(
  path: string,
  entry: Dirent,
  { fs, cwd, outside }: ReadPorts & { readonly outside: string | null },
): Promise<boolean> {
  if (entry.isFile()) return isYaml(entry.name);
  const full = resolve(cwd, path);
  try {
    if (outside !== null && (await fs.realpath(full)) === outside) return false;
    return (await fs.stat(full)).isDirectory() || isYaml(entry.name);
  } catch {
    return true;
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

/** An error that already has its message. */
class UnreadableError extends Error {
  readonly fault: ReadFault;
  constructor(fault: ReadFault) {
    super(fault.message);
    this.fault = fault;
  }
}

interface Reading {
  readonly ports: ReadPorts;
  /** True if the same file can be found twice. */
  readonly canRepeat: boolean;
  /** Real paths of files and directories, and `-`. */
  readonly seen: Set<string>;
  readonly texts: ManifestText[];
}

/** `manifests` if a path leads to any manifest, including one that was already read. */
type Found = 'manifests' | 'nothing';

/** Returns the real path of the excluded directory; null if there is none. */
async function leftOut({ fs, leaveOut }: ReadPorts): Promise<string | null> {
  return leaveOut === undefined ? null : fs.realpath(leaveOut).catch(() => null);
}

async function readStandardInput({ ports, seen, texts }: Reading): Promise<Found> {
  if (!seen.has('-')) texts.push({ file: '-', text: await readStream(ports.stdin) });
  seen.add('-');
  return 'manifests';
}

async function readPath(path: string, reading: Reading, depth: number): Promise<Found> {
  const { fs, cwd } = reading.ports;
  const full = resolve(cwd, path);
  const stats = await annotated(path, () => fs.stat(full));
  if (!stats.isDirectory() && !stats.isFile()) throw new UnreadableError(specialFault(path, stats));
  // A daemon that reads thousands of files makes as few system calls as possible.
  const real = reading.canRepeat || stats.isDirectory() ? await fs.realpath(full) : full;
  if (depth > 0 && stats.isDirectory() && real === (await leftOut(reading.ports))) return 'nothing';
  if (reading.seen.has(real)) return 'manifests';
  reading.seen.add(real);
  if (stats.isDirectory()) return readDirectory(path, reading, depth);
  reading.texts.push({ file: path, text: await annotated(path, () => readFile(full, stats, fs)) });
  return 'manifests';
}

async function readDirectory(path: string, reading: Reading, depth: number): Promise<Found> {
  if (depth > MAX_DEPTH) return 'nothing';
  const { fs, cwd } = reading.ports;
  const entries = await annotated(path, () => fs.readdir(resolve(cwd, path), { withFileTypes: true }));
  let found: Found = 'nothing';
  for (const entry of entries.sort(byName)) {
    if (entry.name.startsWith('.')) continue;
    const below = join(path, entry.name);
    if (!isYaml(entry.name) && !(await isDirectory(below, entry, reading.ports))) continue;
    if ((await readPath(below, { ...reading, canRepeat: true }, depth + 1)) === 'manifests')
      found = 'manifests';
  }
  return found;
}

async function isDirectory(path: string, entry: Dirent, { fs, cwd }: ReadPorts): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await annotated(path, () => fs.stat(resolve(cwd, path)))).isDirectory();
}

/**
 * The size of a chunk: the file's size plus one byte, which shows its end, within these bounds. Thousands of files are
 * read again and again.
 */
const LEAST_CHUNK = 4 * 1024;
const MOST_CHUNK = 256 * 1024;

/** Reads at most one byte more than a manifest may have, which is enough to know that it is too large. */
async function readFile(path: string, { size }: Stats, fs: ReadFileSystem): Promise<Uint8Array> {
  const file = await fs.open(path, 'r');
  try {
    const chunks: Uint8Array[] = [];
    const most = Math.min(Math.max(size + 1, LEAST_CHUNK), MOST_CHUNK);
    for (let read = 0; read <= MAX_FILE_SIZE;) {
      const chunk = new Uint8Array(most);
      const { bytesRead } = await file.read(chunk, 0, most);
      chunks.push(chunk.subarray(0, bytesRead));
      read += bytesRead;
      if (bytesRead === 0 || (bytesRead < most && read >= size)) break;
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_FILE_SIZE) break;
  }
  return Buffer.concat(chunks);
}

async function annotated<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UnreadableError(faultOf(path, error));
  }
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}

function faultOf(path: string, error: unknown): ReadFault {
  if (error instanceof UnreadableError) return error.fault;
  const code = (error as { readonly code?: unknown }).code;
  switch (code) {
    case 'ENOENT':
      return {
        path,
        message: `${path} does not exist`,
        hint: 'check the path (-f, FWDSYNC_FILE, --accounts)',
      };
    case 'EACCES':
    case 'EPERM':
      return { path, message: `${path}: no permission to read it`, hint: 'check its owner and mode' };
    case 'ELOOP':
      return {
        path,
        message: `${path}: its symbolic links form a loop`,
        hint: 'fix the symbolic link',
      };
    default:
      return {
        path,
        message: `${path}: it cannot be read (${String(code ?? error)})`,
        hint: 'check the file',
      };
  }
}

function specialFault(path: string, stats: Stats): ReadFault {
  const kind = stats.isFIFO() ? 'a FIFO' : stats.isSocket() ? 'a socket' : 'a device';
  return {
    path,
    message: `${path}: it is ${kind}, not a file or directory`,
    hint: 'name a file, a directory, or - for standard input',
  };
}

const NOTHING_NAMED: ReadFault = {
  path: '',
  message: 'no manifest is given',
  hint: 'name a file or directory with -f or FWDSYNC_FILE',
};

function emptyFault(path: string): ReadFault {
  return {
    path,
    message: `${path}: the directory has no *.yaml or *.yml file`,
    hint: 'name the directory of the manifests',
  };
}
