import type { MailLog } from '../account/model.ts';
import type { Switches } from '../account/switches.ts';

const EXACT = 8;
const PREFIX = 6;
const WITHIN = 4;
const TYPO = 3;

/** Longer words are cut. Nothing useful is that long, and comparing takes time. */
const MAX_WORD = 64;

/** An entry found by a search and its score. A higher score is a better match. */
export interface LogHit {
  readonly entry: MailLog;
  readonly score: number;
}

/**
 * Searches subject, sender, recipient and forward for the words of the query (v4: Email logs). Scores rank a whole word
 * highest, then the beginning of a word, then a part of it, then a word with one or two typing errors.
 */
export function searchEntries(
  entries: readonly MailLog[],
  query: string,
  switches: Pick<Switches, 'logSearchWords' | 'logSearchTypos'>,
): readonly LogHit[] {
  const fits = [...wordsIn(query)].map((word) => createFit(word, switches.logSearchTypos));
  return entries.flatMap((entry) => {
    const words = [...wordsIn(textsOf(entry))];
    const scores = fits.map((fit) => Math.max(0, ...words.map(fit)));
    const isFound = switches.logSearchWords === 'any' || !scores.includes(0);
    const score = isFound ? scores.reduce((sum, each) => sum + each, 0) : 0;
    return score > 0 ? [{ entry, score }] : [];
  });
}

function textsOf({ subject, sender, recipient, forward }: MailLog): string {
  const people = [sender, recipient, forward].map((person) => `${person?.email ?? ''} ${person?.name ?? ''}`);
  return [subject, ...people].join(' ');
}

function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => word.slice(0, MAX_WORD)));
}

/**
 * Returns a function that scores a word of the log against a word of the query; 0 means no match. Each word of the log is
 * compared once.
 */
function createFit(word: string, typos: Switches['logSearchTypos']): (known: string) => number {
  const tolerated = toleratedErrors(word, typos);
  const scores = new Map<string, number>();
  return (known) => {
    const score = scores.get(known) ?? fit(word, known, tolerated);
    scores.set(known, score);
    return score;
  };
}

function fit(word: string, known: string, tolerated: number): number {
  const at = known.indexOf(word);
  if (at === 0) return known.length === word.length ? EXACT : PREFIX;
  if (at > 0) return WITHIN;
  const errors = Math.abs(word.length - known.length) > tolerated ? Infinity : countErrors(word, known);
  return errors > tolerated ? 0 : TYPO - errors;
}

function toleratedErrors(word: string, typos: Switches['logSearchTypos']): number {
  if (word.length < 4) return 0;
  return word.length < 8 || typos === 'one' ? 1 : 2;
}

/** Counts the letters to change, add, drop or swap with their neighbor: the optimal string alignment distance. */
function countErrors(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const added = Math.min(cell(last, column), cell(current, column - 1)) + 1;
      const changed = cell(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isExchanged = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const exchanged = isExchanged ? cell(beforeLast, column - 2) + 1 : Infinity;
      current.push(Math.min(added, changed, exchanged));
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

/** Returns a cell of the row; Infinity outside the row. */
function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
