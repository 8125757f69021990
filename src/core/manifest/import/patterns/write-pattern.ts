import type { Branch, Piece } from './parse-pattern.ts';

/** Writes pieces in RE2 syntax with characters that are allowed in alias names; null if that is impossible. */
export function writeBranch(branch: Branch): string | null {
  const parts = branch.map(writePiece);
  return parts.includes(null) ? null : parts.join('');
}

function writePiece(piece: Piece): string | null {
  switch (piece.kind) {
    case 'character':
      return escapeCharacter(piece.text);
    case 'any':
      return '.';
    case 'set':
      return writeSet(piece);
    case 'group': {
      const branches = piece.branches.map(writeBranch);
      if (branches.includes(null)) return null;
      return `(${piece.isCapture ? '' : '?:'}${branches.join('|')})`;
    }
    case 'repeat':
      return writeRepeat(piece);
    case 'start':
    case 'end':
      // Within a pattern for local parts nothing can match there.
      return null;
  }
}

/** Characters that alias names cannot contain; they are written as codes. */
const NOT_IN_NAMES = /[/#@,%\s]/;

function escapeCharacter(text: string): string {
  if (NOT_IN_NAMES.test(text)) return `\\x${text.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return /[\\^$.|?*+()[\]{}]/.test(text) ? `\\${text}` : text;
}

/** Writes a set without `@`, which no local part contains. */
function writeSet({ isNegated, items }: Extract<Piece, { readonly kind: 'set' }>): string | null {
  const kept = items.filter((item) => item !== '@');
  if (kept.length === 0) return isNegated ? '.' : null;
  const inner = kept.map((item) => {
    if (item.length > 1) return item;
    return /[\\^\][-]/.test(item) ? `\\${item}` : escapeInSet(item);
  });
  return `[${isNegated ? '^' : ''}${inner.join('')}]`;
}

function escapeInSet(item: string): string {
  return NOT_IN_NAMES.test(item) ? escapeCharacter(item) : item;
}

/** Writes a repetition without a comma, which alias names cannot contain: `x{2,4}` becomes `x{2}(?:x(?:x)?)?`. */
function writeRepeat({ piece, least, most }: Extract<Piece, { readonly kind: 'repeat' }>): string | null {
  const once = writePiece(piece);
  if (once === null) return null;
  if (most === null) return least < 2 ? `${once}${least === 0 ? '*' : '+'}` : `${once}{${least}}${once}*`;
  if (least === 0 && most === 1) return `${once}?`;
  const optional = most - least;
  if (optional > MOST_OPTIONAL || (optional > 0 && hasCapture(piece))) return null;
  return timesText(once, least) + `(?:${once}`.repeat(optional) + ')?'.repeat(optional);
}

function timesText(once: string, count: number): string {
  if (count === 0) return '';
  return count === 1 ? once : `${once}{${count}}`;
}

/** The most optional repetitions. Each is written out, and a name has at most 150 characters. */
const MOST_OPTIONAL = 20;

export function hasCapture(piece: Piece): boolean {
  switch (piece.kind) {
    case 'group':
      return piece.isCapture || piece.branches.some((branch) => branch.some(hasCapture));
    case 'repeat':
      return hasCapture(piece.piece);
    default:
      return false;
  }
}
