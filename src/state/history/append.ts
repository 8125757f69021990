import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, succeed, type Result } from '../../model/result.ts';
import { flushDirectory } from '../files.ts';
import { describe, type OwnFiles } from '../own-files.ts';
import type { HistoryStore, StateFault } from '../store.ts';
import { headOf, isItemBefore, setBackMark } from './heads.ts';
import { linesBackwards } from './lines.ts';

type Durability = Parameters<HistoryStore['append']>[1];

interface Addition {
  readonly lines: readonly string[];
  readonly durability: Durability;
  readonly ended: (result: Result<void, StateFault>) => void;
}

/** How a file was left by the last write. */
interface FileEnd {
  readonly path: string;
  readonly size: number;
  /** The latest time of its lines, epoch milliseconds. */
  readonly latest: number;
}

/** A clock that is set back by less leaves no mark: whoever reads allows for more, `openHistory`. */
const MOST_SET_BACK_MS = 60_000;

/**
 * Adds whole lines to the file that `pathAt` names for the latest time in them. What is added while other lines are being
 * written waits for them, and then goes to disk together. Where a clock was set back, a file beside it says so first.
 */
export function createAppender(
  files: OwnFiles,
  pathAt: (latest: number) => Promise<string>,
): (lines: readonly string[], durability: Durability) => Promise<Result<void, StateFault>> {
  let waiting: Addition[] = [];
  let isWorking = false;
  let end: FileEnd = { path: '', size: 0, latest: 0 };
  const write = async (additions: readonly Addition[]): Promise<Result<void, StateFault>> => {
    const lines = additions.flatMap((addition) => addition.lines);
    const isSynced = additions.some(({ durability }) => durability === 'synced');
    const path = await pathAt(latestOf(lines));
    try {
      end = await appendLines(files, { path, lines, isSynced, before: end });
      return succeed(undefined);
    } catch (error) {
      return fail({ message: `${path} cannot be written: ${describe(error)}` });
    }
  };
  const work = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      const additions = waiting;
      waiting = [];
      const result = await write(additions);
      for (const { ended } of additions) ended(result);
    }
    isWorking = false;
  };
  return (lines, durability) =>
    new Promise((ended) => {
      waiting.push({ lines, durability, ended });
      if (!isWorking) void work();
    });
}

interface Appending {
  readonly path: string;
  readonly lines: readonly string[];
  readonly isSynced: boolean;
  readonly before: FileEnd;
}

async function appendLines(files: OwnFiles, { path, lines, isSynced, before }: Appending): Promise<FileEnd> {
  await files.makeDirectory(dirname(path));
  const file = await files.openToAppend(path);
  try {
    const { size } = await file.stat();
    const isKnown = before.path === path && before.size === size;
    const known = isKnown ? before.latest : await latestIn(file);
    const latest = latestOf(lines, known);
    const isMarked = isSetBack(lines, latest);
    if (isMarked) await (await files.openToAppend(setBackMark(path))).close();
    // What a kill cut off stays a line of its own.
    const start = (await endsWithin(file, size)) ? '\n' : '';
    const bytes = Buffer.from(start + lines.join(''), 'utf8');
    await file.appendFile(bytes);
    if (isSynced) await file.sync();
    if (isSynced && (size === 0 || isMarked)) await flushDirectory(files, dirname(path));
    return { path, size: size + bytes.length, latest };
  } finally {
    await file.close();
  }
}

function isSetBack(lines: readonly string[], latest: number): boolean {
  return lines.some((line) => isItemBefore(headOf(line), latest - MOST_SET_BACK_MS));
}

function latestOf(lines: readonly string[], known = 0): number {
  return lines.reduce((latest, line) => {
    const at = Date.parse(headOf(line)?.at ?? '');
    return at > latest ? at : latest;
  }, known);
}

/** By its last piece: others are earlier, or the file has its mark. */
async function latestIn(file: FileHandle): Promise<number> {
  let latest = 0;
  const note = (head: string): false => {
    latest = latestOf([head], latest);
    return false;
  };
  const search = { needles: ['"entry":"'], isAsked: note, isPast: (head: string) => head !== '' };
  for await (const _ of linesBackwards(file, search));
  return latest;
}

/** Whether the last line of a file has no end. */
async function endsWithin(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString('latin1') !== '\n';
}
