/** A bit for each position of a piece, 32 to a number. */
export type Bits = readonly number[];

const known = new WeakMap<readonly unknown[], Map<object, Bits>>();

/**
 * Where in the piece the items are that `owner` has of it; `read` gives these, in the order of the piece. That is
 * remembered until the piece changes, so that nothing may enter or leave `owner` alone.
 */
export function bitsOf<T>(piece: readonly T[], owner: object, read: () => readonly T[]): Bits {
  const ofPiece = known.get(piece) ?? new Map<object, Bits>();
  if (ofPiece.size === 0) known.set(piece, ofPiece);
  const marked = ofPiece.get(owner);
  if (marked !== undefined) return marked;
  const bits = markItems(piece, read());
  ofPiece.set(owner, bits);
  return bits;
}

/** Of how many owners the bits are known. */
export function countOwners(piece: readonly unknown[]): number {
  return known.get(piece)?.size ?? 0;
}

/** Call when the owner has nothing any more. */
export function forgetOwner(piece: readonly unknown[], owner: object): void {
  known.get(piece)?.delete(owner);
}

/** Call when the piece has changed. */
export function forgetBits(piece: readonly unknown[]): void {
  known.delete(piece);
}

/** Those that one of them has; there is one at least. */
export function bitsInAny(all: readonly Bits[]): Bits {
  return all.reduce((some, bits) => some.map((word, at) => word | (bits[at] as number)));
}

/** Those that each of them has; there is one at least. */
export function bitsInAll(all: readonly Bits[]): Bits {
  return all.reduce((common, bits) => common.map((word, at) => word & (bits[at] as number)));
}

/** In ascending order. */
export function positionsOf(bits: Bits): readonly number[] {
  const positions: number[] = [];
  for (const [at, word] of bits.entries()) {
    for (let left = word; left !== 0; left &= left - 1) {
      positions.push(at * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return positions;
}

export function countOnes(bits: Bits): number {
  let count = 0;
  for (const word of bits) {
    const pairs = word - ((word >>> 1) & 0x5555_5555);
    const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
    const bytes = (fours + (fours >>> 4)) & 0x0f0f_0f0f;
    count += Math.imul(bytes, 0x0101_0101) >>> 24;
  }
  return count;
}

function markItems<T>(piece: readonly T[], items: readonly T[]): Bits {
  const bits = Array.from({ length: Math.ceil(piece.length / 32) }, () => 0);
  let at = -1;
  for (const item of items) {
    at = piece.indexOf(item, at + 1);
    bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
  }
  return bits;
}
