/** A part of a regular expression, in the syntax that POSIX, PCRE and RE2 share. */
export type Piece =
  | { readonly kind: 'character'; readonly text: string }
  | { readonly kind: 'any' }
  /** Items are characters, ranges such as `a-z`, and classes such as `[:alpha:]`. */
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly items: readonly string[] }
  | { readonly kind: 'group'; readonly isCapture: boolean; readonly branches: readonly Branch[] }
  | { readonly kind: 'repeat'; readonly piece: Piece; readonly least: number; readonly most: number | null }
  | { readonly kind: 'start' | 'end' };

export type Branch = readonly Piece[];

/** Parses a regular expression; null if the three syntaxes read any part of it differently. */
export function parsePieces(source: string): readonly Branch[] | null {
  const reader: PieceReader = { text: source, at: 0 };
  const branches = readBranches(reader);
  return branches !== null && reader.at === source.length ? branches : null;
}

interface PieceReader {
  readonly text: string;
  at: number;
}

/** The most repeats that RE2 allows. */
const MOST_REPEATS = 1000;

function readBranches(reader: PieceReader): readonly Branch[] | null {
  const branches: Branch[] = [];
  do {
    const branch = readBranch(reader);
    if (branch === null) return null;
    branches.push(branch);
  } while (accept(/\|/y, reader) !== null);
  return branches;
}

function readBranch(reader: PieceReader): Branch | null {
  const pieces: Piece[] = [];
  while (reader.at < reader.text.length && !/[|)]/.test(reader.text.charAt(reader.at))) {
    const piece = readPiece(reader);
    const repeated = piece === null ? null : readRepeat(piece, reader);
    if (repeated === null) return null;
    pieces.push(repeated);
  }
  return pieces;
}

function readPiece(reader: PieceReader): Piece | null {
  if (accept(/\^/y, reader) !== null) return { kind: 'start' };
  if (accept(/\$/y, reader) !== null) return { kind: 'end' };
  if (accept(/\./y, reader) !== null) return { kind: 'any' };
  if (accept(/\[/y, reader) !== null) return readSet(reader);
  const open = accept(/\((\?:)?(?!\?)/y, reader);
  if (open !== null) return readGroup(reader, open[1] === undefined);
  const [, escaped, plain] = accept(/\\([^\w\s])|([^\\()[\]{}|*+?.^$])/uy, reader) ?? [];
  const text = escaped ?? plain;
  return text === undefined ? null : { kind: 'character', text };
}

function readGroup(reader: PieceReader, isCapture: boolean): Piece | null {
  const branches = readBranches(reader);
  if (branches === null || accept(/\)/y, reader) === null) return null;
  return { kind: 'group', isCapture, branches };
}

/**
 * Reads the repetition of a piece. Repeated repetitions are lazy or possessive in PCRE and something else in POSIX, so
 * they are refused.
 */
function readRepeat(piece: Piece, reader: PieceReader): Piece | null {
  const found = accept(/([*+?])|\{(\d+)(?:(,)(\d*))?\}/y, reader);
  if (found === null) return piece;
  const isAnchor = piece.kind === 'start' || piece.kind === 'end';
  if (isAnchor || /[*+?{]/.test(reader.text.charAt(reader.at))) return null;
  const bounds = SIGNS[found[1] ?? ''] ?? boundsOf(found);
  return isTaken(bounds) ? { kind: 'repeat', piece, ...bounds } : null;
}

/** True if RE2 allows the bounds. */
function isTaken({ least, most }: Bounds): boolean {
  return least <= MOST_REPEATS && (most === null || (most <= MOST_REPEATS && most >= least));
}

interface Bounds {
  readonly least: number;
  readonly most: number | null;
}

const SIGNS: Readonly<Record<string, Bounds>> = {
  '*': { least: 0, most: null },
  '+': { least: 1, most: null },
  '?': { least: 0, most: 1 },
};

function boundsOf([, , from = '', comma, to = '']: RegExpExecArray): Bounds {
  const least = Number(from);
  if (comma === undefined) return { least, most: least };
  return { least, most: to === '' ? null : Number(to) };
}

/** Reads a set after its opening bracket. A backslash in it is a character in POSIX and an escape in PCRE. */
function readSet(reader: PieceReader): Piece | null {
  const isNegated = accept(/\^/y, reader) !== null;
  const items: string[] = [];
  do {
    const item = accept(/\[:[a-z]+:\]|[^\\[\]](?:-[^\\[\]])?/uy, reader) ?? leadingBracket(reader, items);
    if (item === null || !isItem(item[0])) return null;
    items.push(item[0]);
  } while (reader.at < reader.text.length && accept(/\]/y, reader) === null);
  return { kind: 'set', isNegated, items };
}

/** Reads a `]`, which is a member of a set only in first place. */
function leadingBracket(reader: PieceReader, items: readonly string[]): RegExpExecArray | null {
  return items.length === 0 ? accept(/\]/y, reader) : null;
}

const CLASS_NAMES = /^\[:(?:alnum|alpha|digit|lower|upper|punct|xdigit):\]$/;

function isItem(item: string): boolean {
  if (item.length > 3) return CLASS_NAMES.test(item);
  if (item.length < 3) return true;
  // Ranges of other characters depend on the locale.
  return /^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d)$/.test(item) && item.charAt(0) <= item.charAt(2);
}

function accept(pattern: RegExp, reader: PieceReader): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found !== null) reader.at = pattern.lastIndex;
  return found;
}
