import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file that contain a text, the last first, read backwards piece by piece: what does not contain it is never
 * made a text. A last line without an end was cut off by a kill, and is left out.
 */
export async function* linesBackwards(file: FileHandle, containing: string): AsyncGenerator<string> {
  const needle = Buffer.from(containing, 'utf8');
  let end = (await file.stat()).size;
  /** What is read of lines that begin before `end`: nothing, or up to the end of a line. */
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const piece = await readExactly(file, start, end - start);
    const data = rest.length === 0 ? withoutCutLine(piece) : Buffer.concat([piece, rest]);
    const whole = start === 0 ? 0 : data.indexOf(NEWLINE, 0) + 1;
    yield* matchesIn(data.subarray(whole), needle);
    rest = data.subarray(0, whole);
    end = start;
  }
}

/** The lines in which `needle` is, the last first. To search forwards is several times faster than backwards. */
function* matchesIn(lines: Buffer, needle: Buffer): Generator<string> {
  const matches: { readonly start: number; readonly end: number }[] = [];
  for (let found = lines.indexOf(needle); found >= 0;) {
    const end = lines.indexOf(NEWLINE, found);
    matches.push({ start: lines.lastIndexOf(NEWLINE, found) + 1, end });
    found = lines.indexOf(needle, end);
  }
  for (const { start, end } of matches.reverse()) yield lines.toString('utf8', start, end);
}

/** The lines of a file that do not begin with a text, in pieces of any size; a line that was cut off is left out. */
export async function* linesWithout(file: FileHandle, beginning: string): AsyncGenerator<string> {
  const { size } = await file.stat();
  let rest: Buffer = Buffer.alloc(0);
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const piece = await readExactly(file, start, Math.min(CHUNK_BYTES, size - start));
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

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    filled += bytesRead;
  }
  return buffer;
}
