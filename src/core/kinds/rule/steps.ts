import type { Change, RuleChange } from '../../model/plan.ts';
import { compareRanks, rankOf } from '../../plan/sorting.ts';
import type { ChangePart, KindSteps, PlacedItem, WriteItem } from '../steps.ts';
import type { RuleState } from './fields.ts';
import { rulesToWiden, takersFirst } from './steps-exchanges.ts';
import {
  stageOneOf,
  ruleSteps,
  type RuleStep,
  RULE_VERBS,
  type RulePart,
  rulePayload,
  type RuleStepName,
  stateOf,
} from './steps-parts.ts';

/** The steps of rules. A rule may move, widen and narrow in separate requests. */
export const RULE_STEPS: KindSteps = {
  verbs: RULE_VERBS,
  place(changes) {
    const rules = changes as readonly RuleChange[];
    const widened = rulesToWiden(rules);
    return {
      places: rules.flatMap((change) => placesOf(change, widened)),
      inOrder: (step, items) => inOrder(step as RuleStepName, items, widened),
    };
  },
  stageOneOf: (change) => stageOneOf(change as RuleChange),
};

/** A step before the narrowing of a rule, so that others can change their conditions in between. */
const WIDENING: RuleStep = { stage: 2, step: 'rule-widenings', part: 'widen' };

function placesOf(change: RuleChange, widened: ReadonlySet<Change>): readonly PlacedItem[] {
  const steps = [...(widened.has(change) ? [WIDENING] : []), ...ruleSteps(change)];
  let from: RuleState | null = change.observed;
  return steps.map(({ step, stage, part }, index) => {
    const sent = rulePayload(change, part);
    if (part === 'add' || part === 'delete') return { step, stage, item: { change, sent } };
    const to: RuleState = { ...stateOf(change, part), rank: sent.rank ?? from?.rank ?? 0 };
    const item = {
      change,
      sent,
      part: { ...partOf(change, part), from, to, isLast: index === steps.length - 1 },
    };
    from = to;
    return { step, stage, item };
  });
}

function partOf({ action, fields }: RuleChange, part: RulePart): Pick<ChangePart, 'action' | 'fields'> {
  if (part === 'move') return { action: 'move', fields: ['rank'] };
  return { action, fields: part === 'whole' ? fields : fields.filter((field) => field !== 'rank') };
}

/**
 * Sorts the items of one step into the order in which they are sent. Between two of them mail must be routed as before
 * or as afterwards: the rule that is asked first is added first and deleted last. A rule that stops matching mail is in
 * a later group than the rule that matches it instead.
 */
function inOrder(
  step: RuleStepName,
  items: readonly WriteItem[],
  widened: ReadonlySet<Change>,
): readonly (readonly WriteItem[])[] {
  const compare = COMPARE[step] ?? compareFinal;
  const sorted = items.toSorted((a, b) => compare(a.change as StayingRule, b.change as StayingRule));
  if (step !== 'rule-narrowings') return [sorted];
  const isOff = ({ change }: WriteItem): boolean => isSwitchedOff(change as StayingRule);
  const changed = takersFirst(
    sorted.filter((item) => !isOff(item)),
    widened,
  );
  return [...changed, sorted.filter(isOff)].filter((group) => group.length > 0);
}

/** A rule that exists and stays; only such a rule is moved or narrowed. */
type StayingRule = RuleChange & { readonly observed: RuleState; readonly desired: RuleState };

const COMPARE: Readonly<Partial<Record<RuleStepName, (a: StayingRule, b: StayingRule) => number>>> = {
  'rule-moves': compareMoves,
  'rule-narrowings': compareNarrowings,
  'rule-deletes': (a, b) => -compareFinal(a, b),
};

/**
 * Compares moves: upward ones first in final order, then downward ones from the last, so that rules do not pass each
 * other.
 */
function compareMoves(a: StayingRule, b: StayingRule): number {
  const down = Number(movesDown(a)) - Number(movesDown(b));
  if (down !== 0) return down;
  return movesDown(a) ? -compareFinal(a, b) : compareFinal(a, b);
}

/** Compares narrowings. A changed condition may match the mail of a rule that is switched off, so it comes first. */
function compareNarrowings(a: StayingRule, b: StayingRule): number {
  const off = Number(isSwitchedOff(a)) - Number(isSwitchedOff(b));
  if (off !== 0) return off;
  return isSwitchedOff(a) ? -compareFinal(a, b) : compareFinal(a, b);
}

function isSwitchedOff({ desired }: StayingRule): boolean {
  return !desired.active;
}

function movesDown({ observed, desired }: StayingRule): boolean {
  return !(desired.rank < observed.rank);
}

function compareFinal(a: RuleChange, b: RuleChange): number {
  return compareRanks(rankOf(a), rankOf(b));
}
