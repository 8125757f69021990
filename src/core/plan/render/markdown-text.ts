import { escapeInvisible } from '../../model/names.ts';

/**
 * Escapes text for a line of Markdown. Each word that could have a meaning there becomes a code span, which cannot be
 * a link, a mention, emphasis or HTML.
 */
export function markdownText(text: string): string {
  const words = escapeInvisible(text).match(WORDS) ?? [];
  return words.map(markdownWord).join(' ');
}

function markdownWord(word: string): string {
  const [, start, code, rest] = QUOTED.exec(word) ?? [];
  if (code !== undefined) return `${start}${codeSpan(code)}${rest}`;
  if (PLAIN.test(word) && !DOTTED.test(word)) return word;
  const [, body = word, end = ''] = /^(.+?)([,;:.]*)$/.exec(word) ?? [];
  return `${codeSpan(body)}${end}`;
}

/** Text between backticks in our own messages is one word, spaces included. */
const WORDS = /\(?`[^`]+`[),;:.]*(?= |$)|[^ ]+/g;
const QUOTED = /^(\(?)`([^`]+)`([),;:.]*)$/;

const PLAIN = /^(?!-)[\p{L}\p{N}'"()%,;:./-]+$/u;
/** Host names and paths. */
const DOTTED = /[\w/][./]\w/;

/**
 * Formats a code span, with as many backticks as its content needs. Pipes are escaped, because they would end a
 * table's cell.
 */
export function codeSpan(text: string): string {
  if (text === '') return '';
  const fence = '`'.repeat(longestRun(text) + 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${text.replaceAll('|', String.raw`\|`)}${padding}${fence}`;
}

/** Escapes text within an HTML element, where Markdown does not apply. */
export function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns the fence of a code block that holds these lines. */
export function fenceOf(lines: readonly string[]): string {
  return '`'.repeat(Math.max(3, ...lines.map((line) => longestRun(line) + 1)));
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
