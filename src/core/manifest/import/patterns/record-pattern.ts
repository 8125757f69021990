import type { LocalPattern } from '../forwards.ts';
import { localPattern } from './local-pattern.ts';
import { parsePieces, type Branch, type Piece } from './parse-pattern.ts';

/**
 * Parses the regular expression of a record, which is searched in the name without its label. `isWhole` is false if it
 * may match only a part of the name: then the rest of the name stays around the replacement. Returns null for other
 * syntax.
 */
export function parseRecordPattern(
  source: string,
): { readonly pattern: LocalPattern; readonly isWhole: boolean } | null {
  const branch = onlyBranch(source);
  const reach = branch.at(-1)?.kind === 'end' ? 'end' : 'anywhere';
  const pattern = patternTo(reach === 'end' ? branch.slice(0, -1) : branch, reach);
  if (pattern === null || branch.length === 0) return null;
  const isFixed = reach === 'end' && branch[0]?.kind === 'start';
  return { pattern: withLabels(pattern), isWhole: isFixed || pattern.isTotal };
}

/** Returns the pieces of an expression without alternatives; empty for any other. */
function onlyBranch(source: string): Branch {
  const branches = parsePieces(source);
  return (branches?.length === 1 ? branches[0] : undefined) ?? [];
}

/** Returns the pattern of a name with any label after it. */
function withLabels(pattern: LocalPattern): LocalPattern {
  const text = pattern.isTotal ? pattern.text : `(?:${pattern.text})(?:\\+.*)?`;
  return { ...pattern, text, words: null };
}

/** Returns the pattern of pieces that reach to the end of a name, or match anywhere in it. */
function patternTo(pieces: Branch, reach: 'end' | 'anywhere'): LocalPattern | null {
  const pattern = localPattern(pieces);
  return reach === 'end' || pattern?.isTotal === true ? pattern : localPattern([...pieces, ANYTHING]);
}

const ANYTHING: Piece = { kind: 'repeat', piece: { kind: 'any' }, least: 0, most: null };
