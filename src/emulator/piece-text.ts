/** The lower-case texts of a list of items, one after the other. */
interface PieceText {
  readonly text: string;
  /** Where the text of each item begins, and at the end how long the whole is. */
  readonly starts: Uint32Array;
}

/** No character; a text that is looked for and holds it is in no item. */
const SEPARATOR = '\uffff';

const texts = new WeakMap<readonly unknown[], PieceText>();

/** Positions, in ascending order, of the items whose text holds `wanted`, which is in lower case and not empty. */
export function positionsWith<T>(
  piece: readonly T[],
  textOf: (item: T) => string,
  wanted: string,
): readonly number[] {
  const { text, starts } = texts.get(piece) ?? gatherText(piece, textOf);
  const positions: number[] = [];
  if (wanted.includes(SEPARATOR)) return positions;
  let position = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, starts[position])) {
    while ((starts[position + 1] as number) <= at) position += 1;
    positions.push(position);
    position += 1;
  }
  return positions;
}

/** Call when the list, or the text of one of its items, has changed. */
export function forgetText(piece: readonly unknown[]): void {
  texts.delete(piece);
}

function gatherText<T>(piece: readonly T[], textOf: (item: T) => string): PieceText {
  const parts = piece.map((item) => textOf(item).toLowerCase() + SEPARATOR);
  const starts = new Uint32Array(piece.length + 1);
  for (const [position, part] of parts.entries()) {
    starts[position + 1] = (starts[position] ?? 0) + part.length;
  }
  const gathered = { text: parts.join(''), starts };
  texts.set(piece, gathered);
  return gathered;
}
