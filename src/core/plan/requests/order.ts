import type { Operation } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type {
  AliasChange,
  Change,
  CredentialChange,
  DomainChange,
  RuleChange,
  Waits,
} from '../../model/plan.ts';
import { requestId } from '../../model/item-key.ts';
import { KINDS, type Kind } from '../../model/kinds.ts';
import type { RuleState } from '../../model/resources.ts';
import {
  rulePayload,
  ruleSteps,
  WIDENING,
  type RulePart,
  type RulePayload,
} from '../diff/rules/rule-parts.ts';
import { compareRanks, compareText, rankOf } from '../sorting.ts';
import { isWide } from '../waits/beside.ts';
import { rulesToWiden, takersFirst } from './exchanges.ts';
import { partsOfStageOne, partsOfStageTwo } from './parts.ts';

/**
 * The sequence of a run. Until it ends, mail must be routed as before or as afterwards: what adds a route comes first, and
 * what takes one away comes last. Stage 2, which may take routes away, begins once all of stage 1 has ended. Each stage has parts,
 * see `partsOfStageOne`: what waits for changes of other domains goes in a later one. The domains of a part do not wait for each
 * other. Each goes through these steps, in each step through its items in the order of `inOrder`:
 */
const STEPS = [
  'domain', // A domain must be there before anything is added to it; the service may give it a `*`.
  'credential-adds', // Credentials route no mail: a failure among them holds no route back.
  'credential-updates', // What is sent again comes after what is missing.
  'alias-adds', // A catch-all changes only once the aliases whose mail it would match are there.
  'alias-updates', // New destinations: no alias stops matching mail.
  'rule-moves', // A new rule is placed among rules that have their final ranks.
  'rule-adds', // A new rule matches its mail before another rule stops matching it.
  'rule-changes', // New destinations, and rules that become active: no rule stops matching mail.
  'rule-widenings', // Stage 2: where rules pass conditions on in a circle, one matches its old and its new one meanwhile.
  'rule-narrowings', // A rule stops matching mail once everything that matches it instead is in place.
  'rule-deletes', // A rule that changes may match the mail of a rule that is deleted.
  'alias-deletes', // The mail of an alias may be matched by a rule instead.
  'credential-deletes', // A program can send with its old credential until everything else is in place.
  'domain-delete', // All that is in the domain goes with it.
] as const;
export type Step = (typeof STEPS)[number];

/** What the requests of a step are, alone and together. v4: only aliases and rules have batch endpoints. */
export const STEP_OPERATIONS = {
  domain: { single: 'updateDomain', batch: null },
  'credential-adds': { single: 'addCredential', batch: null },
  'credential-updates': { single: 'updateCredential', batch: null },
  'alias-adds': { single: 'addAlias', batch: 'addAliases' },
  'alias-updates': { single: 'updateAlias', batch: 'updateAliases' },
  'rule-moves': { single: 'updateRule', batch: 'updateRules' },
  'rule-adds': { single: 'addRule', batch: 'addRules' },
  'rule-changes': { single: 'updateRule', batch: 'updateRules' },
  'rule-widenings': { single: 'updateRule', batch: 'updateRules' },
  'rule-narrowings': { single: 'updateRule', batch: 'updateRules' },
  'rule-deletes': { single: 'deleteRule', batch: 'deleteRules' },
  'alias-deletes': { single: 'deleteAlias', batch: 'deleteAliases' },
  'credential-deletes': { single: 'deleteCredential', batch: null },
  'domain-delete': { single: 'deleteDomain', batch: null },
} as const satisfies Readonly<Record<Step, { single: Operation; batch: Operation | null }>>;

/** Chains that do not wait for each other: a failed credential holds no route back, and the other way round. */
export type Chain = 'routes' | 'credentials';

export function chainOfKind(kind: Kind): Chain {
  return KINDS[kind].routesMail ? 'routes' : 'credentials';
}

/** What to send for a change; of a rule, `rule` is the very payload. */
export type WriteItem =
  | { readonly kind: 'domain'; readonly change: DomainChange }
  | { readonly kind: 'alias'; readonly change: AliasChange }
  | { readonly kind: 'credential'; readonly change: CredentialChange }
  | {
      readonly kind: 'rule';
      readonly change: RuleChange;
      readonly part: RulePart;
      readonly rule: RulePayload;
    };

/** A part of a stage. It starts only when all parts before it have ended. */
export interface SequencePart {
  readonly stage: 1 | 2;
  /** Side by side. */
  readonly domains: readonly DomainSequence[];
}

/** The steps of one domain, strictly one after another; so are the items of a step. */
export interface DomainSequence {
  readonly domain: DomainName;
  readonly steps: readonly StepItems[];
}

export interface StepItems {
  readonly step: Step;
  readonly items: readonly WriteItem[];
}

interface Placed {
  readonly stage: 1 | 2;
  readonly step: Step;
  readonly item: WriteItem;
}

/** All that is to be sent for these changes, in the order in which it is sent. Throws where a change lacks the id that it needs. */
export function sequenceOf(changes: readonly Change[], waits: Waits = NO_WAITS): readonly SequencePart[] {
  const widened = rulesToWiden(changes);
  const placed = changes.flatMap((change) => placesOf(change, widened));
  const sequenceIn = (
    stage: SequencePart['stage'],
    partsIn: typeof partsOfStageOne,
  ): readonly SequencePart[] => {
    const own = placed.filter((place) => place.stage === stage);
    const ordered = byDomain(own, widened).flatMap(({ steps }) =>
      steps.flatMap(({ step, items }) => items.map(({ change }) => ({ change, step: STEPS.indexOf(step) }))),
    );
    const partOf = partsIn(ordered, waits);
    return [...Map.groupBy(own, ({ item }) => partOf(item.change))]
      .sort(([a], [b]) => a - b)
      .map(([, items]) => ({ stage, domains: byDomain(items, widened) }));
  };
  return [...sequenceIn(1, partsOfStageOne), ...sequenceIn(2, partsOfStageTwo)];
}

const NO_WAITS: Waits = new Map();

function placesOf(change: Change, widened: ReadonlySet<Change>): readonly Placed[] {
  switch (change.kind) {
    case 'domain': {
      const step = change.action === 'delete' ? 'domain-delete' : 'domain';
      return [{ stage: change.stage, step, item: { kind: 'domain', change } }];
    }
    case 'alias':
      // One that is conditional has none before its domain was added.
      if (change.action !== 'add' && !change.conditional) requestId(change);
      return [{ stage: change.stage, step: `alias-${change.action}s`, item: { kind: 'alias', change } }];
    case 'credential':
      return [
        { stage: change.stage, step: `credential-${change.action}s`, item: { kind: 'credential', change } },
      ];
    case 'rule':
      return [...(widened.has(change) ? [WIDENING] : []), ...ruleSteps(change)].map(
        ({ stage, step, part }) => ({
          stage,
          step,
          item: { kind: 'rule', change, part, rule: rulePayload(change, part) },
        }),
      );
  }
}

function byDomain(placed: readonly Placed[], widened: ReadonlySet<Change>): readonly DomainSequence[] {
  const domains = Map.groupBy(placed, ({ item }) => item.change.domain);
  return [...domains]
    .sort(([a], [b]) => compareText(a, b))
    .map(([domain, places]) => ({ domain, steps: stepsOf(places, widened) }));
}

function stepsOf(places: readonly Placed[], widened: ReadonlySet<Change>): readonly StepItems[] {
  const bySteps = Map.groupBy(places, ({ step }) => step);
  return STEPS.flatMap((step) => {
    const items = bySteps.get(step)?.map(({ item }) => item);
    return items === undefined ? [] : [{ step, items: inOrder(step, items, widened) }];
  });
}

/**
 * The items of one step in the order in which they go. They are sent one after another, and in between mail must be
 * routed as before or as afterwards: what is asked first comes first and goes last.
 */
function inOrder(
  step: Step,
  items: readonly WriteItem[],
  widened: ReadonlySet<Change>,
): readonly WriteItem[] {
  const sorted = items.toSorted(comparison(step));
  return step === 'rule-narrowings' ? takersFirst(sorted, widened) : sorted;
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
    case 'rule-adds':
    case 'rule-changes':
    case 'rule-widenings':
      return byRules(compareFinal);
    default:
      return () => 0;
  }
}

/** Only what is there, and stays, is moved or narrowed. */
type StayingRule = RuleChange & { readonly observed: RuleState; readonly desired: RuleState };

/** The items of a step of rules are rules. */
function byRules<Rule extends RuleChange>(
  compare: (a: Rule, b: Rule) => number,
): (a: WriteItem, b: WriteItem) => number {
  return (a, b) => compare(a.change as Rule, b.change as Rule);
}

/** Field notes: aliases mode. An exact name is asked first, plus addresses among them, then patterns, then `*`. */
function precedence({ change: { name } }: WriteItem): number {
  if (name === '*') return 0;
  if (isWide(name)) return 1;
  return name.includes('+') ? 3 : 2;
}

/** Upward ones first in final order, then downward ones from the last, so that movers do not pass each other. */
function compareMoves(a: StayingRule, b: StayingRule): number {
  const down = Number(movesDown(a)) - Number(movesDown(b));
  if (down !== 0) return down;
  return movesDown(a) ? -compareFinal(a, b) : compareFinal(a, b);
}

/** A changed condition may match the mail of a rule that is switched off: so it comes first. */
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
