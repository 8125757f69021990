import { compilePattern } from '../../../routing/regex.ts';
import type { LocalPattern } from '../forwards.ts';
import type { Branch, Piece } from './parse-pattern.ts';
import { hasCapture, writeBranch } from './write-pattern.ts';

/**
 * Turns a part of a regular expression into a pattern for whole local parts. It reaches to the end of the local part,
 * and begins anywhere unless it has `^`. Returns null if that cannot be written.
 */
export function localPattern(branch: Branch): LocalPattern | null {
  const isAnchored = branch[0]?.kind === 'start';
  const pieces = isAnchored ? branch.slice(1) : branch;
  const text = writeBranch(pieces);
  if (text === null) return null;
  // It is lazy, so that groups hold the same text as in a search from the left.
  const whole = isAnchored || beginsAnywhere(pieces) ? text : `.*?${text}`;
  const compiled = compilePattern(whole, { letterCase: 'any' });
  if (!compiled.ok || whole === '') return null;
  return {
    text: whole,
    groups: compiled.value.groups,
    words: whole === text ? wordsOf(pieces) : null,
    isTotal: isEverything(pieces, isAnchored),
    wholeGroup: isOneGroup(pieces) ? 1 : null,
    emptyGroups: emptyGroupsOf(pieces),
  };
}

function isOneGroup(pieces: Branch): boolean {
  const [only] = pieces;
  return pieces.length === 1 && only?.kind === 'group' && only.isCapture;
}

function beginsAnywhere([first]: Branch): boolean {
  if (first?.kind === 'group') return first.branches.length === 1 && beginsAnywhere(first.branches[0] ?? []);
  return first?.kind === 'repeat' && first.most === null && first.least === 0 && isAnyCharacter(first.piece);
}

function isAnyCharacter(piece: Piece): boolean {
  return piece.kind === 'any' || (piece.kind === 'set' && piece.isNegated && piece.items.join('') === '@');
}

/** True if the expression is `.*`, `(.+)`, or empty without an anchor. */
function isEverything(pieces: Branch, isAnchored: boolean): boolean {
  const [only] = pieces;
  if (only === undefined) return !isAnchored;
  if (pieces.length > 1) return false;
  if (only.kind === 'group') return only.branches.length === 1 && isEverything(only.branches[0] ?? [], true);
  return only.kind === 'repeat' && only.most === null && only.least <= 1 && isAnyCharacter(only.piece);
}

const MOST_WORDS = 100;

/** Returns all local parts that pieces match; null if there are many. */
function wordsOf(pieces: Branch): readonly string[] | null {
  let words: readonly string[] | null = [''];
  for (const piece of pieces) {
    const next =
      piece.kind === 'repeat' && piece.most === 1
        ? withNothing(wordsOfPiece(piece.piece))
        : wordsOfPiece(piece);
    if (next === null || words.length * next.length > MOST_WORDS) return null;
    words = words.flatMap((word) => next.map((end) => word + end));
  }
  return [...new Set(words)];
}

function withNothing(words: readonly string[] | null): readonly string[] | null {
  return words === null ? null : [...words, ''];
}

function wordsOfPiece(piece: Piece): readonly string[] | null {
  if (piece.kind === 'character') return [piece.text.toLowerCase()];
  if (piece.kind !== 'group') return null;
  const branches = piece.branches.map(wordsOf);
  return branches.includes(null) ? null : branches.flatMap((words) => words ?? []);
}

/**
 * True if the content of groups may depend on choosing the first or the longest match: if branches begin alike, or if
 * a group is repeated.
 */
export function hasUncertainGroups(branch: Branch): boolean {
  return branch.some((piece) => {
    if (piece.kind === 'repeat') {
      return piece.piece.kind === 'group' && (piece.most !== 1 || hasUncertainGroups([piece.piece]));
    }
    if (piece.kind !== 'group') return false;
    if (piece.branches.length === 1) return hasUncertainGroups(piece.branches[0] ?? []);
    const isWhole =
      branch.filter(({ kind }) => kind !== 'start').length === 1 && !piece.branches.flat().some(hasCapture);
    return !isWhole && !isPrefixFree(piece.branches);
  });
}

/** True if at most one branch matches at any place: no word of a branch begins with another. */
function isPrefixFree(branches: readonly Branch[]): boolean {
  const known = branches.map(wordsOf).filter((words) => words !== null);
  const all = known.flat();
  if (known.length < branches.length) return false;
  return all.every((word, index) => all.every((other, at) => at === index || !other.startsWith(word)));
}

/** Returns the numbers of the groups that may be empty or unused. */
function emptyGroupsOf(branch: Branch): ReadonlySet<number> {
  const found = new Set<number>();
  let number = 0;
  const visitGroup = (group: Extract<Piece, { readonly kind: 'group' }>, isOptional: boolean): void => {
    if (group.isCapture) number += 1;
    if (group.isCapture && (isOptional || group.branches.some(canBeEmpty))) found.add(number);
    for (const inner of group.branches) visit(inner, isOptional || group.branches.length > 1);
  };
  const visit = (pieces: Branch, isOptional: boolean): void => {
    for (const piece of pieces) {
      if (piece.kind === 'repeat') visit([piece.piece], isOptional || piece.least === 0);
      if (piece.kind === 'group') visitGroup(piece, isOptional);
    }
  };
  visit(branch, false);
  return found;
}

function canBeEmpty(branch: Branch): boolean {
  return branch.every((piece) => {
    if (piece.kind === 'repeat') return piece.least === 0 || canBeEmpty([piece.piece]);
    return piece.kind === 'group' && piece.branches.some(canBeEmpty);
  });
}

/** True if a pattern contains letters, so that case could matter. */
export function hasLetters({ text }: LocalPattern): boolean {
  const plain = text.replace(/\\x[0-9a-f]{2}/g, '');
  return plain.toLowerCase() !== plain.toUpperCase();
}
