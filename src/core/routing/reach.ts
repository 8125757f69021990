import { isPatternName, looksLikeRegex, mayBePattern } from '../model/names.ts';
import { sameMatch, type RuleMatch } from '../model/resources.ts';
import { prefixOf } from './name-match.ts';

/**
 * A set of local parts in lower case: one word, or all that begin with it and continue with any number of characters,
 * or with at least one.
 */
export interface Part {
  readonly text: string;
  readonly rest: 'none' | 'any' | 'some';
}

export function matchesPart(word: string, { text, rest }: Part): boolean {
  if (rest === 'none') return word === text;
  return word.startsWith(text) && (rest === 'any' || word.length > text.length);
}

/** All local parts that an entry matches. */
export type Reach = readonly Part[];

export const EVERYTHING: Reach = [{ text: '', rest: 'any' }];

/** Returns the local parts that an alias's name or pattern matches; null if unknown. */
export function reachOfAlias(name: string): Reach | null {
  if (name === '*') return EVERYTHING;
  if (looksLikeRegex(name)) return reachOfPattern(name);
  return mayBePattern(name) ? null : reachOfName(name);
}

/** Returns the local parts that an alias rule matches; null if unknown. */
export function reachOfAliasRule(name: string): Reach | null {
  const prefix = prefixOf(name);
  return prefix === null ? reachOfAlias(name) : [{ text: prefix, rest: 'any' }];
}

/** True if the texts of two conditions show that all mail of `match` also meets `wide`. */
export function takesAllOf(wide: RuleMatch, match: RuleMatch): boolean {
  if (sameMatch(wide, match) || takesEverything(wide)) return true;
  if (wide.type === 'regex' && match.type === 'regex')
    return wide.regex === match.regex && match.scopes.every((scope) => wide.scopes.includes(scope));
  if (wide.type !== 'alias' || match.type !== 'alias') return false;
  const [reach, own] = [reachOfAliasRule(wide.alias), reachOfAliasRule(match.alias)];
  return reach !== null && own !== null && own.every((part) => reach.some((one) => covers(one, part)));
}

/** True if one part has all local parts of the other. No local part is empty. */
function covers(wide: Part, { text, rest }: Part): boolean {
  if (rest === 'none') return matchesPart(text, wide);
  if (wide.rest === 'none' || !text.startsWith(wide.text)) return false;
  return wide.rest === 'any' || rest === 'some' || text.length > wide.text.length || wide.text === '';
}

/** True if every mail meets a rule's condition, as far as its text shows. */
export function takesEverything(match: RuleMatch): boolean {
  switch (match.type) {
    case 'alias':
      return match.alias === '*' || (isPatternName(match.alias) && isEverything(match.alias));
    case 'regex':
      // It is unknown if a dot matches a line break, and only the body has line breaks.
      return match.scopes.some((scope) => scope !== 'body') && isEverything(match.regex);
    case 'cel':
      return match.expression.trim() === 'true';
  }
}

function isEverything(pattern: string): boolean {
  const reach = reachOfPattern(pattern);
  return reach?.some(({ text, rest }) => text === '' && rest === 'any') ?? false;
}

/** Returns the reach of a name: itself and its plus addresses. */
function reachOfName(name: string): Reach {
  const text = name.toLowerCase();
  return [
    { text, rest: 'none' },
    { text: `${text}+`, rest: 'any' },
  ];
}

/** The most alternatives that are expanded. */
const MOST_PARTS = 500;

/**
 * Returns the reach of a regular expression made of literal texts, alternatives and a final `.*` or `.+`; null for any
 * other.
 */
export function reachOfPattern(pattern: string): Reach | null {
  const reader: Reader = {
    text: pattern
      .replace(/^\^/, '')
      .replace(/(?<!\\)\$$/, '')
      .toLowerCase(),
    at: 0,
  };
  const reach = readAlternatives(reader);
  return reader.at === reader.text.length ? reach : null;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readAlternatives(reader: Reader): Reach | null {
  const all: Part[] = [];
  do {
    const parts = readSequence(reader);
    if (parts === null || all.length + parts.length > MOST_PARTS) return null;
    all.push(...parts);
  } while (skip('|', reader));
  return all;
}

function readSequence(reader: Reader): Reach | null {
  let parts: Reach = [{ text: '', rest: 'none' }];
  while (reader.at < reader.text.length && !/[|)]/.test(reader.text.charAt(reader.at))) {
    const next = readAtom(reader);
    if (next === null || /[*+?{]/.test(reader.text.charAt(reader.at))) return null;
    if (parts.some(({ rest }) => rest !== 'none') || parts.length * next.length > MOST_PARTS) return null;
    parts = parts.flatMap(({ text }) => next.map((part) => ({ text: text + part.text, rest: part.rest })));
  }
  return parts;
}

function readAtom(reader: Reader): Reach | null {
  if (skip('(', reader)) {
    skip('?:', reader);
    const inner = readAlternatives(reader);
    return skip(')', reader) ? inner : null;
  }
  if (skip('.*', reader)) return EVERYTHING;
  if (skip('.+', reader)) return [{ text: '', rest: 'some' }];
  LITERAL.lastIndex = reader.at;
  const [whole] = LITERAL.exec(reader.text) ?? [];
  if (whole === undefined) return null;
  reader.at += whole.length;
  return [{ text: whole.replaceAll('\\', ''), rest: 'none' }];
}

/** Literal characters, including escaped ones. */
const LITERAL = /(?:[^\\.[\]{}()|*+?^$]|\\[^a-z\d\\])+/y;

function skip(text: string, reader: Reader): boolean {
  if (!reader.text.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

/** The local parts that earlier entries match. A lookup takes time linear in its text. */
export interface Coverage<Entry> {
  readonly add: (entry: Entry, reach: Reach) => void;
  /** Returns the entries that together match all of a reach; null if a part is unmatched. */
  readonly whoCovers: (reach: Reach) => readonly Entry[] | null;
}

export function createCoverage<Entry>(): Coverage<Entry> {
  const known = {
    none: new Map<string, Entry>(),
    any: new Map<string, Entry>(),
    some: new Map<string, Entry>(),
  };
  function whoCoversPart({ text, rest }: Part): Entry | undefined {
    const same = rest === 'none' ? known.none.get(text) : rest === 'some' ? known.some.get(text) : undefined;
    if (same !== undefined) return same;
    for (let length = 0; length <= text.length; length += 1) {
      const start = text.slice(0, length);
      // No local part is empty.
      const goesOn = length < text.length || length === 0;
      const found = known.any.get(start) ?? (goesOn ? known.some.get(start) : undefined);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return {
    add(entry, reach) {
      for (const { text, rest } of reach) if (!known[rest].has(text)) known[rest].set(text, entry);
    },
    whoCovers(reach) {
      const found = reach.map(whoCoversPart);
      const entries = found.filter((entry) => entry !== undefined);
      return entries.length < found.length || found.length === 0 ? null : [...new Set(entries)];
    },
  };
}
