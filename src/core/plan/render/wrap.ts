import type { Style } from './style.ts';

export interface WrapOptions {
  /** Columns that the first line has already used. */
  readonly used: number;
  /** Columns in front of every further line. */
  readonly indent: number;
  /** Width to keep to; Infinity wraps nothing. */
  readonly columns: number;
}

/** Where a text that does not fit is broken, the best place first: between fields, before what a value becomes. */
const BREAKS = [/(?<=;) /, / (?=-> )/];

/**
 * Text on as many lines as it needs, without indentation: nothing is cut, so that what somebody reviews is all there.
 * A word that is wider than a line stays whole.
 */
export function wrap(text: string, options: WrapOptions): readonly string[] {
  if (options.used + text.length <= options.columns) return [text];
  const place = BREAKS.find((candidate) => candidate.test(text));
  if (place === undefined) return wrapWords(text, options);
  return text
    .split(place)
    .flatMap((part, index) => wrap(part, index === 0 ? options : { ...options, used: options.indent }));
}

/** A sentence of its own, broken between any two words; its further lines are indented. */
export function wrapSentence(text: string, columns: number): readonly string[] {
  const lines = wrapWords(text, { used: 0, indent: 4, columns });
  return lines.map((line, index) => (index === 0 ? line : `    ${line}`));
}

/** The same as `wrap`, broken between any two words. */
export function wrapWords(text: string, { used, indent, columns }: WrapOptions): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let room = columns - used;
  for (const word of wordsOf(text)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
      room = columns - indent;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Stands for a space that no line ends with. */
const FIXED = '\u0000';

/** Code between backticks is one word: a command is copied as a whole. */
function wordsOf(text: string): readonly string[] {
  const fixed = text.replace(/`[^`]+`/g, (code) => code.replaceAll(' ', FIXED));
  return fixed.split(' ').map((word) => word.replaceAll(FIXED, ' '));
}

/** What to do about a problem, below its message. */
export function hintLines(
  hint: string,
  { style, columns }: { readonly style: Pick<Style, 'dim'>; readonly columns: number },
): readonly string[] {
  const indent = ' '.repeat('    try: '.length);
  const lines = wrapWords(hint, { used: indent.length, indent: indent.length, columns });
  return lines.map((line, index) => (index === 0 ? `    ${style.dim('try:')} ${line}` : `${indent}${line}`));
}
