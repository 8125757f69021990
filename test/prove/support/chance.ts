/** Pseudo-random numbers, always the same for one seed. */
export interface Chance {
  /** Returns a number from 0 up to, but not including, `below`. */
  number(below: number): number;
  pick<T>(items: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  let state = (seed * 2_654_435_761) >>> 0;
  const number = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c_1b_3c_6d) + 0x9e_37_79_b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x29_7a_2d_39) >>> 0;
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
  return { number, pick: (items) => items[number(items.length)] as (typeof items)[number] };
}
