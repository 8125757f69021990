import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 64;
const NEWLINE = 0x0a;

/** Which lines are asked for, known by their bytes: no others are decoded. */
export interface LineSearch {
  /** Each line has at least one of these in it. */
  readonly needles: readonly string[];
  /** Whether it is one, by its first 64 bytes; where it is shorter, what follows it is at the end. */
  readonly isAsked: (head: string) => boolean;
  /** Whether nothing that is asked for was written before this line; by the same. */
  readonly isPast: (head: string) => boolean;
}

/**
 * The lines of a file that are asked for, the last first, read backwards piece by piece. A last line without an end was cut
 * off by a kill, and is left out.
 */
export async function* linesBackwards(
  file: FileHandle,
  { needles, isAsked, isPast }: LineSearch,
): AsyncGenerator<string> {
  const sought = needles.map((needle) => Buffer.from(needle, 'utf8'));
  let end = (await file.stat()).size;
  // The same for all pieces: to collect that many buffers would take longer than to read.
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(2 * CHUNK_BYTES, end));
  /** How much is at its start of a line that begins before `end`: nothing, or up to the end of a line. */
  let rest = 0;
  while (end > 0) {
    const length = Math.min(CHUNK_BYTES, end);
    if (length + rest > buffer.length) buffer = Buffer.concat([buffer], 2 * (length + rest));
    buffer.copyWithin(length, 0, rest);
    end -= length;
    await readExactly(file, buffer.subarray(0, length), end);
    const data = rest === 0 ? withoutCutLine(buffer.subarray(0, length)) : buffer.subarray(0, length + rest);
    rest = end === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    const lines = data.subarray(rest);
    for (const [start, stop] of matchesIn(lines, sought)) {
      if (isAsked(headAt(lines, start))) yield lines.toString('utf8', start, stop);
    }
    if (isPast(headAt(lines, 0))) return;
  }
}

function headAt(lines: Buffer, start: number): string {
  return lines.toString('latin1', start, start + HEAD_BYTES);
}

/** Start and end of each line with a needle in it, the last first. To search forwards is several times faster than backwards. */
function matchesIn(lines: Buffer, needles: readonly Buffer[]): readonly (readonly [number, number])[] {
  const matches = new Map<number, number>();
  for (const needle of needles) {
    for (let found = lines.indexOf(needle); found >= 0;) {
      const end = lines.indexOf(NEWLINE, found);
      matches.set(lines.lastIndexOf(NEWLINE, found) + 1, end);
      found = lines.indexOf(needle, end);
    }
  }
  return [...matches].sort(([a], [b]) => b - a);
}

/** The lines of a file that do not begin with a text, in pieces of any size; a line that was cut off is left out. */
export async function* linesWithout(file: FileHandle, beginning: string): AsyncGenerator<string> {
  const { size } = await file.stat();
  let rest: Buffer = Buffer.alloc(0);
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - start));
    await readExactly(file, piece, start);
    const data = Buffer.concat([rest, piece]);
    const lines = withoutCutLine(data);
    rest = data.subarray(lines.length);
    yield lines
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(beginning))
      .map((line) => `${line}\n`)
      .join('');
  }
}

function withoutCutLine(data: Buffer): Buffer {
  return data.subarray(0, data.lastIndexOf(NEWLINE) + 1);
}

async function readExactly(file: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < into.length;) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    filled += bytesRead;
  }
}
