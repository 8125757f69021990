import type { Destination } from '../../../model/destinations.ts';
import { requestId } from '../../../model/item-key.ts';
import type { RuleChange } from '../../../model/plan.ts';
import { sameMatch, type RuleMatch, type RuleState } from '../../../model/resources.ts';
import { rankOf } from '../../sorting.ts';
import { joinMatches } from './joined-match.ts';

/**
 * What is sent of a rule in one request. `move`: what it is, at its new rank; `content`: what is desired of it, at the rank
 * that it has by then; `whole`: both at once; `widen`: what it is, with its old and new condition joined.
 */
export type RulePart = 'add' | 'move' | 'widen' | 'content' | 'whole' | 'delete';

export interface RuleStep {
  readonly stage: 1 | 2;
  readonly step:
    | 'rule-moves'
    | 'rule-adds'
    | 'rule-changes'
    | 'rule-widenings'
    | 'rule-narrowings'
    | 'rule-deletes';
  readonly part: RulePart;
}

/** Comes before the narrowing of a rule, so that others can change their conditions in between. */
export const WIDENING: RuleStep = { stage: 2, step: 'rule-widenings', part: 'widen' };

/** A rule as a request sends it: v4 and v3 require the whole config with every update of one rule. */
export interface RulePayload {
  readonly id: string;
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
  /** Left out where the live rank is no number that JSON can hold. */
  readonly rank?: number;
}

/**
 * The requests that a change of a rule takes, in order. A rule must not stop matching mail before everything that matches
 * it instead is in place: deactivations and changes of the condition are stage 2. Its destinations go along with the
 * condition: sent before it, mail of the old condition would reach the new place. An inactive rule routes nothing, so
 * that all of it is sent at once, activation included.
 */
export function ruleSteps(change: RuleChange): readonly RuleStep[] {
  const steps = usualSteps(change);
  if (change.stage === 1 || steps.some(({ stage }) => stage === 2)) return steps;
  return steps.flatMap((own) => delayed(own));
}

/** The same in stage 2, where something there has to come first: only the rank is changed before. */
function delayed({ step, part }: RuleStep): readonly RuleStep[] {
  if (step !== 'rule-moves' || part === 'move') return [{ stage: 2, step, part }];
  return [
    { stage: 1, step, part: 'move' },
    { stage: 2, step: 'rule-changes', part: 'content' },
  ];
}

function usualSteps(change: Pick<RuleChange, 'observed' | 'desired' | 'fields'>): readonly RuleStep[] {
  const { observed, desired } = change;
  if (observed === null) return [{ stage: 1, step: 'rule-adds', part: 'add' }];
  if (desired === null) return [{ stage: 2, step: 'rule-deletes', part: 'delete' }];
  const moves = change.fields.includes('rank');
  const changes = change.fields.some((field) => field !== 'rank');
  if (!changes) return [{ stage: 1, step: 'rule-moves', part: 'move' }];
  if (!observed.active) return [{ stage: 1, step: 'rule-changes', part: 'whole' }];
  if (!desired.active) return [{ stage: 2, step: 'rule-narrowings', part: 'whole' }];
  if (!sameMatch(observed.match, desired.match)) {
    const narrowing: RuleStep = { stage: 2, step: 'rule-narrowings', part: 'content' };
    return moves ? [{ stage: 1, step: 'rule-moves', part: 'move' }, narrowing] : [narrowing];
  }
  return [{ stage: 1, step: moves ? 'rule-moves' : 'rule-changes', part: 'whole' }];
}

export function stageOf(change: Pick<RuleChange, 'observed' | 'desired' | 'fields'>): 1 | 2 {
  return usualSteps(change).some(({ stage }) => stage === 2) ? 2 : 1;
}

/** What remains of a change when its stage 2 is withheld: its move, or nothing. */
export function stageOneOf(change: RuleChange): RuleChange | null {
  if (change.stage === 1) return change;
  const moves = ruleSteps(change).some(({ stage }) => stage === 1);
  if (!moves) return null;
  // What moves and has a stage 2 is there, and stays.
  const moved = { ...(change.observed as RuleState), rank: rankOf(change) };
  return { ...change, action: 'move', fields: ['rank'], desired: moved, stage: 1, reason: 'reorder' };
}

export function rulePayload(change: RuleChange, part: RulePart): RulePayload {
  const id = requestId(change);
  const state = stateOf(change, part);
  if (state === null) throw new Error(`rule change ${id} has neither an observed nor a desired state`);
  return payloadOf(id, state, rankOf(change));
}

function stateOf({ observed, desired }: RuleChange, part: RulePart): RuleState | null {
  if (part === 'move' || desired === null) return observed;
  if (part !== 'widen' || observed === null) return desired;
  return { ...observed, match: joinMatches(observed.match, desired.match) ?? observed.match };
}

function payloadOf(id: string, { match, forward, active }: RuleState, rank: number): RulePayload {
  return Number.isFinite(rank) ? { id, match, forward, active, rank } : { id, match, forward, active };
}
