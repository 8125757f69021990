import { Buffer } from 'node:buffer';
import { lstatSync, readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SOURCE_FORMATS, type SourceFormat } from '../../../core/manifest/import/formats.ts';
import type { SourceFile } from '../../../core/manifest/import/import.ts';
import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import { createSourceText, type SourceText } from '../../../core/manifest/read/text.ts';
import { parseDomainName, quote } from '../../../core/model/names.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { fileFault } from '../../output/files.ts';

/** Larger files are refused before they are parsed; a million forwards have about 50 MiB. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_INCLUDED_BYTES = 1024 * 1024;

/** Reads the sources of the arguments, each `FORMAT:FILE`, in order. */
export async function readSources(context: Context, args: readonly string[]): Promise<readonly SourceFile[]> {
  const named = args.map(parseArgument);
  if (named.filter(({ path }) => path === '-').length > 1) {
    throw usageError('- is named twice: standard input can be read once', 'name files for the others');
  }
  const files: SourceFile[] = [];
  for (const { format, path } of named) {
    const bytes = path === '-' ? await readInput(context) : await readFile(context, path);
    files.push({
      format,
      text: decodeSource(path, bytes),
      fileDomain: path === '-' ? null : domainOfFile(path),
      include: (name) => (path === '-' ? null : readIncluded(resolve(context.cwd, path), name)),
    });
  }
  return files;
}

function parseArgument(argument: string): { readonly format: SourceFormat; readonly path: string } {
  const [, format = '', path = ''] = /^([^:]*):(.+)$/s.exec(argument) ?? [];
  if (Object.hasOwn(SOURCE_FORMATS, format)) return { format: format as SourceFormat, path };
  const known = Object.keys(SOURCE_FORMATS);
  const what = path === '' ? 'is not FORMAT:FILE' : `has an unknown format ${quote(format)}`;
  const formats = `write FORMAT:FILE; formats are ${known.join(', ')}`;
  throw usageError(`${quote(argument)} ${what}`, path === '' ? formats : didYouMean(format, known, formats));
}

function domainOfFile(path: string): string | null {
  const parsed = parseDomainName(basename(path));
  return parsed.ok ? parsed.value : null;
}

async function readFile({ cwd }: Context, path: string): Promise<Uint8Array> {
  const full = resolve(cwd, path);
  try {
    const stats = await stat(full);
    if (!stats.isFile()) {
      const hint = 'name a file, or pipe its text to - (standard input)';
      throw commandFailure(`${path} is not a regular file`, hint);
    }
    if (stats.size > MOST_BYTES) throw tooLarge(path);
    const file = await open(full, 'r');
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === undefined) throw error;
    throw commandFailure(fileFault(path, error, 'read'), 'check the path and its permissions');
  }
}

async function readInput({ stdin }: Context): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > MOST_BYTES) throw tooLarge('-');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLarge(path: string): Error {
  const message = `${path} is larger than ${MOST_BYTES / 1024 / 1024} MiB`;
  return commandFailure(message, 'split it, for example by domain, and import the parts one by one');
}

function decodeSource(path: string, bytes: Uint8Array): SourceText {
  const utf16 = /^(?:fffe|feff)/.test(Buffer.from(bytes.subarray(0, 2)).toString('hex'));
  if (!utf16 && bytes.includes(0)) {
    throw commandFailure(
      `${path} is not a text`,
      'name the text file that it was made from, such as virtual instead of virtual.db',
    );
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return createSourceText(path, text.replaceAll('\r\n', '\n'));
  } catch {
    const [from, line] = utf16 ? ['UTF-16', 1] : ['LATIN1', brokenLine(bytes)];
    const convert = `iconv -f ${from} -t UTF-8 ${path === '-' ? 'FILE' : path} > FILE.utf8`;
    throw commandFailure(
      `${path}:${line}: this is not UTF-8`,
      `convert the file, and import the new one: ${convert}`,
    );
  }
}

function brokenLine(bytes: Uint8Array): number {
  const lossy = new TextDecoder('utf-8').decode(bytes);
  return lossy.slice(0, Math.max(0, lossy.indexOf('\uFFFD'))).split('\n').length;
}

/**
 * Reads a list that an aliases file includes: a regular file in the same directory, by its base name. null means that
 * there is none.
 */
function readIncluded(file: string, name: string): SourceText | null {
  if (name === '' || name === '.' || name === '..' || basename(name) !== name) return null;
  const path = join(dirname(file), name);
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > MOST_INCLUDED_BYTES) return null;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    return text.includes('\0') ? null : createSourceText(name, text.replaceAll('\r\n', '\n'));
  } catch {
    return null;
  }
}
