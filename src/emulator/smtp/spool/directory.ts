import { Buffer } from 'node:buffer';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpoolBox, Spooled } from './spool.ts';

const BOXES: readonly SpoolBox[] = ['queue', 'mailboxes'];
const NEWLINE = 0x0a;

/** Suffix of a file that is not complete yet. */
const PART = '.part';

/**
 * Keeps each mail in a file of its directory: a line of JSON, the raw mail, and a line of JSON for each note. A file gets
 * its final name when the whole mail is on disk. Nothing relies on a note that is cut.
 */
export async function openDirectorySpool(directory: string): Promise<Spool> {
  for (const box of BOXES) await fs.mkdir(join(directory, box), { recursive: true, mode: 0o700 });
  const pathOf = (box: SpoolBox, id: string): string => join(directory, box, `${id}.mail`);
  return {
    async put(box, id, meta, raw) {
      const head = Buffer.from(`${JSON.stringify({ ...meta, bytes: raw.length })}\n`);
      await writeWhole(pathOf(box, id), [head, raw]);
      await syncDirectory(join(directory, box));
      return true;
    },
    // The leading line break ends a note that a full disk has cut.
    note: (box, id, note) => fs.appendFile(pathOf(box, id), `\n${JSON.stringify(note)}\n`),
    async raw(box, id) {
      const text = await readIfThere(pathOf(box, id));
      return text === undefined ? undefined : parse(text)?.raw;
    },
    remove: (box, id) => fs.rm(pathOf(box, id), { force: true }),
  };
}

/** Writes a complete file. If it throws, the previous file is unchanged. */
async function writeWhole(path: string, pieces: readonly Buffer[]): Promise<void> {
  const part = path + PART;
  try {
    const file = await fs.open(part, 'w', 0o600);
    try {
      await file.writeFile(pieces);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(part, path);
  } catch (error) {
    await fs.rm(part, { force: true });
    throw error;
  }
}

/** Yields all complete mails of a box in order of their names, and removes incomplete ones. */
export async function* readSpoolBox<Meta>(directory: string, box: SpoolBox): AsyncGenerator<Spooled<Meta>> {
  const names = await fs.readdir(join(directory, box));
  for (const name of names.filter((name) => name.endsWith(PART))) await fs.rm(join(directory, box, name));
  for (const name of names.filter((name) => name.endsWith('.mail')).sort()) {
    const path = join(directory, box, name);
    const parsed = parse((await readIfThere(path)) ?? Buffer.alloc(0));
    if (parsed === null) await fs.rm(path, { force: true });
    else yield { id: name.slice(0, -'.mail'.length), meta: parsed.meta as Meta, notes: parsed.notes };
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await fs.readFile(path);
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await fs.open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Parses a file. Returns null if the mail is not complete. */
function parse(
  bytes: Buffer,
): { readonly meta: object; readonly raw: Buffer; readonly notes: readonly unknown[] } | null {
  const end = bytes.indexOf(NEWLINE);
  const head = end === -1 ? null : parseLine(bytes.toString('utf8', 0, end));
  if (head === null) return null;
  const { bytes: length, ...meta } = head as { readonly bytes: number };
  const raw = bytes.subarray(end + 1, end + 1 + length);
  if (raw.length < length) return null;
  const lines = bytes.toString('utf8', end + 1 + length).split('\n');
  return { meta, raw, notes: lines.map(parseLine).filter((note) => note !== null) };
}

function parseLine(line: string): object | null {
  try {
    return JSON.parse(line) as object;
  } catch {
    return null;
  }
}
