import type { Change } from '../model/plan.ts';
import { ALL_KINDS } from '../kinds/registry.ts';

/**
 * The order of a plan's changes, the same for any order of the inputs: by domain, then stage, then kind, then name;
 * rules of one stage by the place they have, or had, in the list.
 */
export function compareChanges(a: Change, b: Change): number {
  if (a.domain !== b.domain) return compareText(a.domain, b.domain);
  if (a.stage !== b.stage) return a.stage - b.stage;
  if (a.kind !== b.kind) return ALL_KINDS.indexOf(a.kind) - ALL_KINDS.indexOf(b.kind);
  return compareRanks(rankOf(a), rankOf(b)) || compareText(a.name, b.name) || compareText(idOf(a), idOf(b));
}

/** By code point, which differs from comparing UTF-16 units where surrogates are involved. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointWeight(left) - codePointWeight(right);
  }
  return a.length - b.length;
}

/** Ascending, with what is no number last. */
export function compareRanks(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** The place that a rule will have, or had, in the list; what is no rule has none. */
export function rankOf(change: Change): number {
  const state = change.kind === 'rule' ? (change.desired ?? change.observed) : null;
  return state?.rank ?? Number.NaN;
}

function idOf(change: Change): string {
  return change.id ?? '';
}

/** Surrogates stand for code points above every other unit. */
function codePointWeight(unit: number): number {
  if (unit < 0xd8_00) return unit;
  return unit < 0xe0_00 ? unit + 0x20_00 : unit - 0x8_00;
}
