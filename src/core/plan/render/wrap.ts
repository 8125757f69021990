import type { Style } from './style.ts';

export interface WrapOptions {
  /** Columns that the first line has already used. */
  readonly used: number;
  /** Columns in front of every further line. */
  readonly indent: number;
  /** The most columns of a line; Infinity wraps nothing. */
  readonly columns: number;
}

/** Places to break a text that does not fit, best first: between fields, before a new value. */
const BREAKS = [/(?<=;) /, / (?=-> )/];

/**
 * Wraps text into lines, without indentation. Nothing is cut, because people review the text. A word wider than a line
 * stays whole.
 */
export function wrap(text: string, options: WrapOptions): readonly string[] {
  if (options.used + text.length <= options.columns) return [text];
  const place = BREAKS.find((candidate) => candidate.test(text));
  if (place === undefined) return wrapWords(text, options);
  return text
    .split(place)
    .flatMap((part, index) => wrap(part, index === 0 ? options : { ...options, used: options.indent }));
}

/** Wraps a sentence between any two words; further lines are indented. */
export function wrapSentence(text: string, columns: number): readonly string[] {
  const lines = wrapWords(text, { used: 0, indent: 4, columns });
  return lines.map((line, index) => (index === 0 ? line : `    ${line}`));
}

/** Wraps text between any two words. */
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

/** A placeholder for a space that no line may break at. */
const FIXED = '\u0000';

/** Splits text into words. Code between backticks is one word, because commands are copied as a whole. */
function wordsOf(text: string): readonly string[] {
  const fixed = text.replace(/`[^`]+`/g, (code) => code.replaceAll(' ', FIXED));
  return fixed.split(' ').map((word) => word.replaceAll(FIXED, ' '));
}

/** Renders the hint of a problem, below its message. */
export function hintLines(
  hint: string,
  { style, columns }: { readonly style: Pick<Style, 'dim'>; readonly columns: number },
): readonly string[] {
  const indent = ' '.repeat('    try: '.length);
  const lines = wrapWords(hint, { used: indent.length, indent: indent.length, columns });
  return lines.map((line, index) => (index === 0 ? `    ${style.dim('try:')} ${line}` : `${indent}${line}`));
}
