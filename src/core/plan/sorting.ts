import type { Change } from '../model/plan.ts';

/** Compares by code point. Comparing UTF-16 units differs if surrogates are involved. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointWeight(left) - codePointWeight(right);
  }
  return a.length - b.length;
}

/** Compares ranks, ascending; NaN comes last. */
export function compareRanks(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Returns an item's rank after the change, or before it if it is deleted; NaN for an item without ranks. */
export function rankOf({ desired, observed }: Pick<Change, 'desired' | 'observed'>): number {
  const state: object = desired ?? observed ?? {};
  return 'rank' in state && typeof state.rank === 'number' ? state.rank : Number.NaN;
}

/** Returns the weight of a unit. Surrogates stand for code points above every other unit. */
function codePointWeight(unit: number): number {
  if (unit < 0xd8_00) return unit;
  return unit < 0xe0_00 ? unit + 0x20_00 : unit - 0x8_00;
}
