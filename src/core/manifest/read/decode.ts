import { quote } from '../../model/names.ts';
import type { ProblemLog } from '../problems.ts';
import type { TextNode } from './node.ts';
import { createSourceText, type ManifestText, type SourceText } from './text.ts';

/** The most bytes of a file, or characters of a decoded text. Larger files are refused before they are parsed. */
export const MAX_FILE_SIZE = 16 * 1024 * 1024;

/**
 * Decodes a manifest and checks its characters. Returns null if the text cannot be parsed; the log has the reason.
 * YAML 1.2 in UTF-8; a byte order mark and CRLF are accepted.
 */
export function decodeManifest(input: ManifestText, log: ProblemLog): SourceText | null {
  const start = { file: input.file, line: 1, column: 1 };
  if (input.text.length > MAX_FILE_SIZE) {
    log.report('file-too-large', start, {
      message: `the file is larger than ${MAX_FILE_SIZE / 1024 / 1024} MiB`,
      hint: 'split it: -f takes several files and directories',
    });
    return null;
  }
  const text = typeof input.text === 'string' ? input.text : decodeBytes(input.file, input.text, log);
  if (text === null) return null;
  const source = createSourceText(input.file, text.startsWith('\uFEFF') ? text.slice(1) : text);
  const readable = [findForbiddenCharacters(source, log), findConflictMarkers(source, log)];
  return readable.includes('unreadable') ? null : source;
}

/**
 * Warns if the final line break is missing. A file that was cut between two entries still parses, and this is the only
 * sign.
 */
export function checkFinalNewline(source: SourceText, log: ProblemLog): void {
  if (source.text === '' || source.text.endsWith('\n')) return;
  log.report(
    'no-final-newline',
    { within: source, offset: source.text.length },
    {
      message: 'the file does not end in a line break: it may be cut off',
      hint: 'check the end of the file, and add a line break',
    },
  );
}

type Readable = 'readable' | 'unreadable';

function decodeBytes(file: string, bytes: Uint8Array, log: ProblemLog): string | null {
  const other = otherEncoding(bytes);
  if (other !== null) {
    const words = { message: `the file is in ${other}, not in UTF-8`, hint: 'save it as UTF-8' };
    log.report('invalid-encoding', { file, line: 1, column: 1 }, words);
    return null;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const within = createSourceText(file, lossy);
    log.report(
      'invalid-encoding',
      { within, offset: Math.max(0, lossy.indexOf('\uFFFD')) },
      { message: 'a byte here is not valid UTF-8', hint: 'save the file as UTF-8' },
    );
    return null;
  }
}

/** Detects another encoding by byte order marks, then by the zero bytes that the first ASCII letter has in UTF-16. */
function otherEncoding(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (/^(?:fffe0000|0000feff)/.test(start)) return 'UTF-32';
  return /^(?:fffe|feff|00(?!00)..|(?!00)..00)/.test(start) ? 'UTF-16' : null;
}

/** Control, zero-width and bidirectional characters, which can make a text differ from its appearance. */
const FORBIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;
/** Characters that are forbidden outside escapes. A carriage return may only be part of a line break. */
const FORBIDDEN_UNESCAPED = new RegExp(`${FORBIDDEN.source}|\\r(?!\\n)`, 'g');
/** The most characters reported. A binary file has millions. */
const MAX_REPORTED = 20;

function findForbiddenCharacters(source: SourceText, log: ProblemLog): Readable {
  let found: Readable = 'readable';
  let count = 0;
  for (const match of source.text.matchAll(FORBIDDEN_UNESCAPED)) {
    found = 'unreadable';
    reportForbidden(match[0], source, match.index, log);
    count += 1;
    if (count === MAX_REPORTED) break;
  }
  return found;
}

function reportForbidden(character: string, within: SourceText, offset: number, log: ProblemLog): void {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  log.report(
    'forbidden-character',
    { within, offset },
    {
      message: `the character U+${code} is not allowed in a manifest: it is invisible`,
      hint: 'delete it and type the text around it again',
    },
  );
}

/** Reports an escape such as "\u202E", which puts a forbidden character into a quoted text. */
export function reportForbiddenEscape(node: TextNode, log: ProblemLog): void {
  if (!FORBIDDEN.test(node.text)) return;
  log.report('forbidden-character', node, {
    message: `the string ${quote(node.text)} contains an invisible character`,
    hint: 'delete the escape sequence',
  });
}

function findConflictMarkers(source: SourceText, log: ProblemLog): Readable {
  let found: Readable = 'readable';
  for (const match of source.text.matchAll(/^(?:<{7}|>{7})(?=[ \r\n]|$)/gm)) {
    found = 'unreadable';
    log.report(
      'merge-conflict',
      { within: source, offset: match.index },
      { message: `${match[0]} is a marker of a merge conflict`, hint: 'resolve the conflict' },
    );
  }
  return found;
}
