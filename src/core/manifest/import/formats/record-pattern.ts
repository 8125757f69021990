import type { LocalPattern } from '../forwards.ts';
import { localPattern } from '../patterns/local-pattern.ts';
import { parsePieces, type Piece } from '../patterns/parse-pattern.ts';

/**
 * Parses a regular expression of a record, which is searched in the name without its label. `isWhole` is false if it may match
 * only a part of the name: then the rest of the name stays around what is substituted. Null for other syntax.
 */
export function parseRecordPattern(
  source: string,
): { readonly pattern: LocalPattern; readonly isWhole: boolean } | null {
  const [branch, ...others] = parsePieces(source) ?? [];
  if (branch === undefined || others.length > 0) return null;
  const isEnded = branch.at(-1)?.kind === 'end';
  const isStarted = branch[0]?.kind === 'start';
  const pieces = isEnded ? branch.slice(0, -1) : branch;
  const found = localPattern(pieces);
  const pattern = isEnded || found?.isTotal === true ? found : localPattern([...pieces, ANYTHING]);
  if (pattern === null) return null;
  const text = pattern.isTotal ? pattern.text : `(?:${pattern.text})(?:\\+.*)?`;
  return { pattern: { ...pattern, text, words: null }, isWhole: (isEnded && isStarted) || pattern.isTotal };
}

const ANYTHING: Piece = { kind: 'repeat', piece: { kind: 'any' }, least: 0, most: null };
