import type { LogEntry, Mailbox } from './model.ts';
import type { Switches } from './switches.ts';

/** The words of a domain's logs, for a search that forgives typing errors. */
export interface Vocabulary {
  /** Entries that hold a word, each once. */
  readonly postings: Map<string, LogEntry[]>;
  /** Entries that the log has dropped since. */
  stale: number;
}

const EXACT = 8;
const PREFIX = 6;
const WITHIN = 4;
const TYPO = 3;

/** Longer words are cut: nobody types them, and comparing them takes time. */
const MAX_WORD = 64;

export function createVocabulary(entries: Iterable<LogEntry>): Vocabulary {
  const vocabulary: Vocabulary = { postings: new Map(), stale: 0 };
  for (const entry of entries) addToVocabulary(vocabulary, entry);
  return vocabulary;
}

/** Subject, sender, recipient and forward (v4: Email logs). */
export function addToVocabulary({ postings }: Vocabulary, entry: LogEntry): void {
  const { subject, sender, recipient, forward } = entry;
  const people = forward === null ? [sender, recipient] : [sender, recipient, forward];
  for (const words of [wordsIn(subject), ...people.map(wordsOf)]) {
    for (const word of words) {
      const posting = postings.get(word);
      if (posting === undefined) postings.set(word, [entry]);
      // A word that the entry has twice was the last to get it.
      else if (posting.at(-1) !== entry) posting.push(entry);
    }
  }
}

/**
 * Entries in which the words of the query are found, with how well they fit: a whole word over its beginning, over a
 * part of it, over one with a typing error or two.
 */
export function searchVocabulary(
  vocabulary: Vocabulary,
  query: string,
  switches: Pick<Switches, 'logSearchWords' | 'logSearchTypos'>,
): ReadonlyMap<LogEntry, number> {
  const combine = switches.logSearchWords === 'every' ? sumOfBoth : sumOfEither;
  let found: Map<LogEntry, number> | undefined;
  for (const word of wordsIn(query)) {
    const scores = scoresOf(vocabulary, word, toleratedErrors(word, switches.logSearchTypos));
    found = found === undefined ? scores : combine(found, scores);
  }
  return found ?? new Map();
}

const wordsOfMailboxes = new WeakMap<Mailbox, ReadonlySet<string>>();

/** Entries share the mailboxes of their correspondents. */
function wordsOf(mailbox: Mailbox): ReadonlySet<string> {
  const words = wordsOfMailboxes.get(mailbox) ?? wordsIn(`${mailbox.email} ${mailbox.name ?? ''}`);
  wordsOfMailboxes.set(mailbox, words);
  return words;
}

function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => word.slice(0, MAX_WORD)));
}

function scoresOf({ postings }: Vocabulary, word: string, tolerated: number): Map<LogEntry, number> {
  const scores = new Map<LogEntry, number>();
  for (const [known, entries] of postings) {
    const score = fit(word, known, tolerated);
    if (score === 0) continue;
    for (const entry of entries) {
      if ((scores.get(entry) ?? 0) < score) scores.set(entry, score);
    }
  }
  return scores;
}

function sumOfBoth(
  left: ReadonlyMap<LogEntry, number>,
  right: ReadonlyMap<LogEntry, number>,
): Map<LogEntry, number> {
  const sums = new Map<LogEntry, number>();
  for (const [entry, score] of left) {
    const other = right.get(entry);
    if (other !== undefined) sums.set(entry, score + other);
  }
  return sums;
}

function sumOfEither(
  left: ReadonlyMap<LogEntry, number>,
  right: ReadonlyMap<LogEntry, number>,
): Map<LogEntry, number> {
  const sums = new Map(left);
  for (const [entry, score] of right) sums.set(entry, score + (sums.get(entry) ?? 0));
  return sums;
}

/** How well a word of the query fits one of the log; 0: not at all. */
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

/** Letters to change, add, leave out or exchange with their neighbour: the optimal string alignment distance. */
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

/** Infinite outside of the row. */
function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
