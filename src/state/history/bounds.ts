import { join } from 'node:path';
import { removeQuietly, replaceFile } from '../files.ts';
import type { OwnFiles } from '../own-files.ts';
import { linesWithout } from './lines.ts';

/** How much of the history of an account is kept. */
export interface HistoryBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export const HISTORY_BOUNDS: HistoryBounds = { maxAgeMs: 400 * 86_400_000, maxBytes: 2 ** 30 };

/** The files of the days, the newest first. */
export interface HistoryFiles {
  readonly directory: string;
  readonly files: OwnFiles;
  readonly names: readonly string[];
}

/**
 * Removes what is older than it may be, and makes room for as much again as is added until the next time: drift goes first,
 * from the oldest days on, then whole days. The newest day stays.
 */
export async function applyBounds(
  { directory, files, names }: HistoryFiles,
  { maxAgeMs, maxBytes }: HistoryBounds,
  now: number,
): Promise<void> {
  const firstKept = new Date(now - maxAgeMs).toISOString().slice(0, 10);
  const sizes = new Map<string, number>();
  for (const name of names) {
    const path = join(directory, name);
    if (name.slice(0, 10) < firstKept) await removeQuietly(files, path);
    else sizes.set(name, await files.size(path));
  }
  const room = maxBytes - roomFor(maxBytes);
  const oldestFirst = [...sizes.keys()].toReversed().slice(0, -1);
  const isFull = (): boolean => sizes.values().reduce((sum, size) => sum + size, 0) > room;
  for (const name of oldestFirst) {
    if (!isFull()) return;
    sizes.set(name, await dropDrift(files, join(directory, name)));
  }
  for (const name of oldestFirst) {
    if (!isFull()) return;
    await removeQuietly(files, join(directory, name));
    sizes.delete(name);
  }
}

/** What is added until the bounds are applied again, bytes. */
export function roomFor(maxBytes: number): number {
  return maxBytes / 16;
}

/** The size that is left. */
async function dropDrift(files: OwnFiles, path: string): Promise<number> {
  const file = await files.openToRead(path);
  try {
    await replaceFile(files, path, linesWithout(file, '{"entry":"drift'));
  } finally {
    await file.close();
  }
  return files.size(path);
}
