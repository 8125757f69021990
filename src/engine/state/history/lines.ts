import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 64;
const NEWLINE = 0x0a;

/** A search for lines by their bytes. Lines that do not match are not decoded. */
export interface LineSearch {
  /** Texts of which each matching line contains at least one. */
  readonly needles: readonly string[];
  /**
   * True if a line with this head may match. The head is the line's first 64 bytes; after a shorter line, it ends with the
   * beginning of the next one.
   */
  readonly mayMatch: (head: string) => boolean;
  /** True if no matching line was written before the line with this head. */
  readonly isBeforeRange: (head: string) => boolean;
}

/**
 * Yields the matching lines of a file, the last first. It reads the file backwards in pieces. A last line that a kill cut
 * off is left out.
 */
export async function* linesBackwards(
  file: FileHandle,
  { needles, mayMatch, isBeforeRange }: LineSearch,
): AsyncGenerator<string> {
  const sought = needles.map((needle) => Buffer.from(needle, 'utf8'));
  let end = (await file.stat()).size;
  // One buffer for all pieces, because collecting many buffers takes longer than reading.
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(2 * CHUNK_BYTES, end));
  /** Bytes at the start of the buffer that belong to a line which begins before `end`. Zero, or up to the end of a line. */
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
      if (mayMatch(headAt(lines, start))) yield lines.toString('utf8', start, stop);
    }
    if (isBeforeRange(headAt(lines, 0))) return;
  }
}

function headAt(lines: Buffer, start: number): string {
  return lines.toString('latin1', start, start + HEAD_BYTES);
}

/**
 * Returns start and end of each line that contains a needle, the last first. Searching forwards is several times faster than
 * backwards.
 */
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

/** Yields the lines of a file that do not begin with a text, in pieces of any size. A line that was cut off is left out. */
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
