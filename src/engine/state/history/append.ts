import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { flushDirectory } from '../files.ts';
import { describe, type OwnFiles } from '../own-files.ts';
import type { HistoryStore, StateFault } from '../store.ts';

type Durability = Parameters<HistoryStore['append']>[1];

interface Addition {
  readonly text: string;
  readonly durability: Durability;
  readonly ended: (result: Result<void, StateFault>) => void;
}

/**
 * Returns a function that appends whole lines to the file named by `pathNow`. Lines added during a write wait for it, and
 * are then written together.
 */
export function createAppender(
  files: OwnFiles,
  pathNow: () => Promise<string>,
): (text: string, durability: Durability) => Promise<Result<void, StateFault>> {
  let waiting: Addition[] = [];
  let isWorking = false;
  const work = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      const additions = waiting;
      waiting = [];
      const result = await write(files, pathNow, additions);
      for (const { ended } of additions) ended(result);
    }
    isWorking = false;
  };
  return (text, durability) =>
    new Promise((ended) => {
      waiting.push({ text, durability, ended });
      if (!isWorking) void work();
    });
}

async function write(
  files: OwnFiles,
  pathNow: () => Promise<string>,
  additions: readonly Addition[],
): Promise<Result<void, StateFault>> {
  const path = await pathNow();
  try {
    await files.makeDirectory(dirname(path));
    const isSynced = additions.some(({ durability }) => durability === 'synced');
    const text = additions.map((addition) => addition.text).join('');
    const file = await files.openToAppend(path);
    const { size } = await file.stat();
    try {
      // A line that a kill cut off stays a separate line.
      const before = (await endsWithin(file, size)) ? '\n' : '';
      await file.appendFile(Buffer.from(before + text, 'utf8'));
      if (isSynced) await file.sync();
    } finally {
      await file.close();
    }
    if (isSynced && size === 0) await flushDirectory(files, dirname(path));
    return succeed(undefined);
  } catch (error) {
    return fail({ message: `${path} cannot be written: ${describe(error)}` });
  }
}

/** True if the last line of a file is not terminated. */
async function endsWithin(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString('latin1') !== '\n';
}
