import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Bits of a file's mode. */
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Turns on Node's compile cache in `~/.cache/fwdsync`. A user who can write there decides what runs, so the cache
 * stays off if another user could: docs/decisions/0009. Node's own NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE
 * come first.
 */
export function enableCompileCache(): void {
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE || module.getCompileCacheDir() !== undefined) return;
  const directory = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'fwdsync');
  try {
    if (isAbsolute(directory) && makePrivate(directory)) module.enableCompileCache(directory);
  } catch {
    // Without it the next start takes longer.
  }
}

/** Makes a directory, and the one above it. Returns false if another user could put something into it or in its place. */
function makePrivate(directory: string): boolean {
  for (const path of [dirname(directory), directory]) {
    if (!isSafe(dirname(path))) return false;
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, 0o700);
  }
  return isSafe(directory) && (lstatSync(directory).mode & STICKY) === 0;
}

/**
 * True if the directory and all above it belong to this user or to root, and none is a link. In a sticky directory
 * such as /tmp, other users cannot rename what they do not own.
 */
function isSafe(directory: string): boolean {
  const parent = dirname(directory);
  if (parent !== directory && !isSafe(parent)) return false;
  const stats = lstatSync(directory);
  if (!stats.isDirectory()) return false;
  if (process.getuid === undefined) return true; // Windows: its modes do not tell who can write
  const isShared = (stats.mode & WRITABLE_BY_OTHERS) !== 0 && (stats.mode & STICKY) === 0;
  return [0, process.getuid()].includes(stats.uid) && !isShared;
}
