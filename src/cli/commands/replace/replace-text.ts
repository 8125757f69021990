import { createTwoFilesPatch } from 'diff';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import { escapeInvisible, plural } from '../../../core/model/names.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapSentence } from '../../../core/plan/render/wrap.ts';
import type { FileChange } from '../../output/files-together.ts';
import type { ReplaceDocument } from './replace-document.ts';

interface ReplaceLook {
  readonly style: Style;
  readonly columns: number;
  readonly disclosure: Disclosure;
  /** The command that comes next; null means that it is not shown. */
  readonly next: string | null;
  readonly command: CommandLine;
}

/** Renders the unified diff, the changes made, the changes to make by hand, and the next command. */
export function renderReplace(
  document: ReplaceDocument,
  files: readonly FileChange[],
  look: ReplaceLook,
): string {
  const { changes, only, references } = document;
  const sentence = (text: string): readonly string[] => wrapSentence(escapeInvisible(text), look.columns);
  const lines = [
    ...(only.length > 0 ? [] : files.flatMap((file) => diffLines(file, look))),
    ...(only.length > 0 || files.length === 0 ? [] : ['']),
    ...sentence(headline(document, files.length)),
    ...only.map((source) => `    ${escapeInvisible(showSource(source))}`),
    ...(only.length > 0
      ? [`Write another destination there first, or replace it: ${look.command('replace OLD NEW')}`]
      : []),
    ...references.flatMap(({ reference, source }) =>
      sentence(`${reference} has this value (${showSource(source)}): change it where it is set.`),
    ),
    ...(changes.length > 0 && look.next !== null
      ? [`${document.written ? 'Check it' : 'Write it'}: ${look.next}`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function headline({ from, to, written, changes, only }: ReplaceDocument, files: number): string {
  if (only.length > 0) {
    const places = only.length === 1 ? 'this place' : `these ${only.length} places`;
    return `${from} is the only destination at ${places}; nothing was written:`;
  }
  if (changes.length === 0) return `No manifest contains ${from}; nothing was changed.`;
  const where = `at ${plural(changes.length, 'place')} in ${plural(files, 'file')}`;
  const what = to === null ? `${from} removed` : `${from} replaced by ${to}`;
  return written ? `${what} ${where}.` : `${what} ${where}: nothing was written yet.`;
}

function diffLines(
  { path, before, text }: FileChange,
  { style, disclosure }: ReplaceLook,
): readonly string[] {
  const old = new TextDecoder().decode(before);
  const [from, to] = [`a/${path}`, `b/${path}`];
  const patch = createTwoFilesPatch(from, to, old, text.replace(/^\uFEFF/, ''), undefined, undefined, {
    context: 3,
  });
  return patch
    .trimEnd()
    .split('\n')
    .filter((line) => !/^={20,}$/.test(line))
    .map((line) => paintLine(escapeLine(showText(line, disclosure)), style));
}

/** Escapes a line, except for the carriage return at its end, which is a part of the patch. */
function escapeLine(line: string): string {
  return line.endsWith('\r') ? `${escapeInvisible(line.slice(0, -1))}\r` : escapeInvisible(line);
}

function paintLine(line: string, style: Style): string {
  if (/^(?:---|\+\+\+) /.test(line)) return style.strong(line);
  if (line.startsWith('+')) return style.add(line);
  if (line.startsWith('-')) return style.remove(line);
  return line.startsWith('@@') ? style.move(line) : line;
}
