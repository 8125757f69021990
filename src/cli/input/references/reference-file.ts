import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { ReferenceValue, RefusedValue } from '../../../core/model/desired.ts';

const MOST_BYTES = 64 * 1024;

/** Number of attempts to read a file whose directory may be replaced during the read, as with a mounted Secret. */
const ATTEMPTS = 3;

const MOVED: unique symbol = Symbol('moved');

/**
 * Returns the text of a file that a manifest names; null if there is no file. It must be a regular file of at most 64
 * KiB whose real path is below one of these directories. Opening never waits.
 */
export async function readReferenceFile(path: string, below: readonly string[]): Promise<ReferenceValue> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const read = await attemptRead(path, below);
    if (read !== MOVED) return read;
  }
  return refuse('it was replaced again and again while it was read', 'run the command again');
}

async function attemptRead(path: string, below: readonly string[]): Promise<ReferenceValue | typeof MOVED> {
  try {
    const real = await realpath(path);
    const fault = await findFault(real, below);
    if (fault !== null) return fault;
    // If it has become a FIFO or a link meanwhile, opening neither waits nor follows.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      return await readOpened(handle, real);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return refuse(`it cannot be read (${code})`, 'check the path and its permissions');
  }
}

/** Returns why a real path is refused before it is opened, because opening a device may already have an effect. */
async function findFault(real: string, below: readonly string[]): Promise<RefusedValue | null> {
  if (real.includes('/kubernetes.io/serviceaccount/')) {
    return refuse('it is the token of a Kubernetes service account', 'name a file of your own');
  }
  const directories = await Promise.all(below.map((directory) => realpath(directory).catch(() => null)));
  if (!directories.some((directory) => directory !== null && isBelow(real, directory))) {
    return refuse(
      `it is not below ${below.join(' or ')}`,
      'keep the file below the directory of its manifest, or name its directory in FWDSYNC_REFERENCE_PATH',
    );
  }
  return (await lstat(real)).isFile() ? null : NOT_A_FILE;
}

/**
 * Reads the open file if it is the one that was checked: no link at its path leads elsewhere, and its inode is the
 * same.
 */
async function readOpened(handle: FileHandle, real: string): Promise<ReferenceValue | typeof MOVED> {
  const [opened, atPath, realNow] = await Promise.all([handle.stat(), lstat(real), realpath(real)]);
  if (realNow !== real || opened.ino !== atPath.ino || opened.dev !== atPath.dev) return MOVED;
  if (!opened.isFile()) return NOT_A_FILE;
  const buffer = Buffer.alloc(MOST_BYTES + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > MOST_BYTES) return refuse('it is larger than 64 KiB', 'keep only the value in the file');
    if (bytesRead === 0) break;
  }
  return buffer.toString('utf8', 0, length).replace(/\r?\n$/, '') || null;
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refuse(refused: string, hint: string): RefusedValue {
  return { refused, hint };
}

const NOT_A_FILE = refuse('it is not a regular file', 'name a regular file');
