import { requestId } from '../../model/item-key.ts';
import type { RuleChange } from '../../model/plan.ts';

import type { RuleState } from './fields.ts';
import type { SentItem } from '../wire.ts';
import { rankOf } from '../../plan/sorting.ts';
import { isPatternName, takesOthers } from '../../model/names.ts';
import { sameMatch, type RuleMatch } from '../../model/resources.ts';

export const RULE_VERBS = {
  'rule-moves': 'update',
  'rule-adds': 'add',
  'rule-changes': 'update',
  'rule-widenings': 'update',
  'rule-narrowings': 'update',
  'rule-deletes': 'delete',
} as const;

export type RuleStepName = keyof typeof RULE_VERBS;

/**
 * The part of a rule that one request sends. `move`: the live rule at its new rank. `content`: the desired rule at its
 * current rank. `whole`: both at once. `widen`: the live rule with its old and new condition joined.
 */
export type RulePart = 'add' | 'move' | 'widen' | 'content' | 'whole' | 'delete';

export interface RuleStep {
  readonly stage: 1 | 2;
  readonly step: RuleStepName;
  readonly part: RulePart;
}

/**
 * Returns the requests that a change of a rule takes, in order. A rule must not stop matching mail before its
 * replacement is in place, so deactivations and condition changes are stage 2. Destinations change together with the
 * condition; if they changed earlier, mail of the old condition would reach the new place. An inactive rule routes
 * nothing, so everything is sent at once, activation included.
 */
export function ruleSteps(change: RuleChange): readonly RuleStep[] {
  const steps = usualSteps(change);
  if (change.stage === 1 || steps.some(({ stage }) => stage === 2)) return steps;
  return steps.flatMap((own) => delayed(own));
}

/** Moves a step to stage 2, because a change of stage 2 must come first. Only the rank still changes in stage 1. */
function delayed({ step, part }: RuleStep): readonly RuleStep[] {
  if (step !== 'rule-moves' || part === 'move') return [{ stage: 2, step, part }];
  return [
    { stage: 1, step: 'rule-moves', part: 'move' },
    { stage: 2, step: 'rule-changes', part: 'content' },
  ];
}

function usualSteps({ observed, desired, fields }: RuleDifference): readonly RuleStep[] {
  if (observed === null) return [{ stage: 1, step: 'rule-adds', part: 'add' }];
  if (desired === null) return [{ stage: 2, step: 'rule-deletes', part: 'delete' }];
  const moves = fields.includes('rank');
  const changes = fields.some((field) => field !== 'rank');
  if (!changes) return [{ stage: 1, step: 'rule-moves', part: 'move' }];
  if (!observed.active) return [{ stage: 1, step: 'rule-changes', part: 'whole' }];
  if (!desired.active) return [{ stage: 2, step: 'rule-narrowings', part: 'whole' }];
  if (!sameMatch(observed.match, desired.match)) {
    const narrowing: RuleStep = { stage: 2, step: 'rule-narrowings', part: 'content' };
    return moves ? [{ stage: 1, step: 'rule-moves', part: 'move' }, narrowing] : [narrowing];
  }
  return [{ stage: 1, step: moves ? 'rule-moves' : 'rule-changes', part: 'whole' }];
}

type RuleDifference = Pick<RuleChange, 'observed' | 'desired' | 'fields'>;

export function stageOf(change: RuleDifference): 1 | 2 {
  return usualSteps(change).some(({ stage }) => stage === 2) ? 2 : 1;
}

/** Returns the part of a change that remains if its stage 2 is withheld: its move, or null. */
export function stageOneOf(change: RuleChange): RuleChange | null {
  if (change.stage === 1) return change;
  const moves = ruleSteps(change).some(({ stage }) => stage === 1);
  if (!moves) return null;
  // A rule that moves and has a stage 2 exists and stays.
  const moved = { ...(change.observed as RuleState), rank: rankOf(change) };
  return { ...change, action: 'move', fields: ['rank'], desired: moved, stage: 1, reason: 'reorder' };
}

/**
 * Returns a rule as a request sends it, with its whole config. The rank is left out if JSON cannot hold the live one.
 */
export function rulePayload(change: RuleChange, part: RulePart): SentItem<'rule'> {
  const id = requestId(change);
  const { match, forward, active } = stateOf(change, part);
  const rank = rankOf(change);
  return Number.isFinite(rank) ? { id, match, forward, active, rank } : { id, match, forward, active };
}

export function stateOf(change: RuleChange, part: RulePart): RuleState {
  const { observed, desired } = change;
  const state = part === 'move' || part === 'widen' || desired === null ? observed : desired;
  if (state === null) throw new Error(`rule change ${change.id} has neither an observed nor a desired state`);
  if (part !== 'widen' || desired === null) return state;
  return { ...state, match: joinMatches(state.match, desired.match) ?? state.match };
}

/** Returns one condition that matches all mail of either one; null if no condition of their type can. */
export function joinMatches(a: RuleMatch, b: RuleMatch): RuleMatch | null {
  if (a.type === 'cel' && b.type === 'cel') {
    return { type: 'cel', expression: `(${a.expression}) || (${b.expression})` };
  }
  if (a.type === 'regex' && b.type === 'regex') {
    if (!sameMatch(a, { ...b, regex: a.regex })) return null;
    return { ...a, regex: joinPatterns(a.regex, b.regex) };
  }
  if (a.type !== 'alias' || b.type !== 'alias') return null;
  const [left, right] = [patternOf(a.alias), patternOf(b.alias)];
  return left === null || right === null ? null : { type: 'alias', alias: joinPatterns(left, right) };
}

/** Joins two patterns. The outer group keeps both inside anchors that the service may add. */
function joinPatterns(a: string, b: string): string {
  return `((${a})|(${b}))`;
}

/**
 * Returns the pattern of an alias name in rules mode, where a name also takes its labelled addresses. Returns null if
 * it is unknown how the service reads the name.
 */
function patternOf(alias: string): string | null {
  if (isPatternName(alias)) return alias;
  const isPrefix = alias.endsWith('*');
  const text = isPrefix ? alias.slice(0, -1) : alias;
  if (takesOthers(text)) return null;
  const literal = text.replaceAll(/[.+?*]/g, String.raw`\$&`);
  if (isPrefix) return `${literal}.*`;
  return text.includes('+') ? literal : String.raw`${literal}(\+.*)?`;
}
