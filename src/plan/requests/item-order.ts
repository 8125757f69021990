import { takesOthers } from '../../model/names.ts';
import type { RuleChange } from '../../model/plan.ts';
import { compareRanks } from '../order.ts';
import type { Step, WriteItem } from './requests.ts';

/**
 * The items of one step in the order in which they go. They are carried out one after another, and in between mail shall be
 * routed as before or as afterwards: what is asked first comes first and goes last.
 */
export function inOrder(step: Step, items: readonly WriteItem[]): readonly WriteItem[] {
  const sorted = items.toSorted(comparison(step));
  return step === 'rule-narrowings' ? takersFirst(sorted) : sorted;
}

function comparison(step: Step): (a: WriteItem, b: WriteItem) => number {
  switch (step) {
    case 'alias-adds':
      return (a, b) => precedence(b) - precedence(a);
    case 'alias-deletes':
      return (a, b) => precedence(a) - precedence(b);
    case 'rule-moves':
      return byRules(compareMoves);
    case 'rule-deletes':
      return byRules((a, b) => -compareFinal(a, b));
    case 'rule-narrowings':
      return byRules(compareNarrowings);
    default:
      return byRules(compareFinal);
  }
}

/** A rule that takes over another's condition comes before that one lets it go. Two that swap theirs cannot both. */
function takersFirst(items: readonly WriteItem[]): readonly WriteItem[] {
  const active = items.filter((item) => item.kind === 'rule' && !isSwitchedOff(item.change));
  const takers = new Map(active.map((item) => [conditionOf(item, 'desired'), item]));
  const ordered = new Set<WriteItem>();
  const waiting = new Set<WriteItem>();
  const visit = (item: WriteItem): void => {
    if (waiting.has(item)) return;
    waiting.add(item);
    const taker = takers.get(conditionOf(item, 'observed'));
    if (taker !== undefined) visit(taker);
    ordered.add(item);
  };
  for (const item of items) visit(item);
  return [...ordered];
}

function conditionOf(item: WriteItem, side: 'observed' | 'desired'): string {
  return item.kind === 'rule' ? JSON.stringify(item.change[side]?.match) : '';
}

function byRules(compare: (a: RuleChange, b: RuleChange) => number): (a: WriteItem, b: WriteItem) => number {
  return (a, b) => (a.kind === 'rule' && b.kind === 'rule' ? compare(a.change, b.change) : 0);
}

/** Field notes: aliases mode. An exact name is asked first, plus addresses among them, then patterns, then `*`. */
function precedence({ change: { name } }: WriteItem): number {
  if (name === '*') return 0;
  if (takesOthers(name.replaceAll('+', ''))) return 1;
  return name.includes('+') ? 3 : 2;
}

/** Upward ones first in final order, then downward ones from the last, so that movers do not pass each other. */
function compareMoves(a: RuleChange, b: RuleChange): number {
  const down = Number(movesDown(a)) - Number(movesDown(b));
  if (down !== 0) return down;
  return movesDown(a) ? -compareFinal(a, b) : compareFinal(a, b);
}

/** A changed condition may take over what a rule that is switched off lets go: so it comes first. */
function compareNarrowings(a: RuleChange, b: RuleChange): number {
  const off = Number(isSwitchedOff(a)) - Number(isSwitchedOff(b));
  if (off !== 0) return off;
  return isSwitchedOff(a) ? -compareFinal(a, b) : compareFinal(a, b);
}

function isSwitchedOff({ desired }: RuleChange): boolean {
  return desired?.active === false;
}

function movesDown({ observed, desired }: RuleChange): boolean {
  return observed !== null && desired !== null && !(desired.rank < observed.rank);
}

function compareFinal(a: RuleChange, b: RuleChange): number {
  return compareRanks(rankOf(a), rankOf(b));
}

function rankOf({ observed, desired }: RuleChange): number {
  return desired?.rank ?? observed?.rank ?? Number.NaN;
}
