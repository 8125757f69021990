/** The lower-case texts of a list of items, one after the other. */
interface PieceText {
  readonly text: string;
  /** Where the text of each item begins, and at the end how long the whole is. */
  readonly starts: Uint32Array;
}

/** Ends each text. It is one of the characters that take a byte only, so that the whole text takes half the memory. */
const END = '\0';

const texts = new WeakMap<readonly unknown[], PieceText>();

/** Positions, in ascending order, of the items whose text holds `wanted`, which is in lower case and not empty. */
export function positionsWith<T>(
  piece: readonly T[],
  textOf: (item: T) => string,
  wanted: string,
): readonly number[] {
  const { text, starts } = readyText(piece, textOf);
  const positions: number[] = [];
  let position = 0;
  for (let at = text.indexOf(wanted); at !== -1;) {
    while ((starts[position + 1] as number) <= at) position += 1;
    const next = starts[position + 1] as number;
    // Whoever looks for the end's character finds it between two texts, too.
    const isWithin = at + wanted.length < next;
    if (isWithin) positions.push(position);
    at = text.indexOf(wanted, isWithin ? next : at + 1);
  }
  return positions;
}

/** Call when the list, or the text of one of its items, has changed. */
export function forgetText(piece: readonly unknown[]): void {
  texts.delete(piece);
}

/** Gathers the texts of a list, unless that was done since its last change. */
export function readyText<T>(piece: readonly T[], textOf: (item: T) => string): PieceText {
  const known = texts.get(piece);
  if (known !== undefined) return known;
  const parts = piece.map((item) => textOf(item).toLowerCase() + END);
  const starts = new Uint32Array(piece.length + 1);
  for (const [position, part] of parts.entries()) {
    starts[position + 1] = (starts[position] ?? 0) + part.length;
  }
  const gathered = { text: parts.join(''), starts };
  texts.set(piece, gathered);
  return gathered;
}
