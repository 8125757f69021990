import { ALL_KINDS, KINDS, SECTION_KINDS } from '../../kinds/registry.ts';
import type { PlacedItem, Placing, WriteItem } from '../../kinds/steps.ts';
import type { Verb } from '../../kinds/wire.ts';
import type { Kind } from '../../model/kinds.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change, Waits } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';
import { partsOfStageOne, partsOfStageTwo } from './parts.ts';

/**
 * The sequence of a run. Until it ends, mail must be routed as before or as afterwards: adding a route comes first,
 * and removing one comes last. Stage 2, which may remove routes, begins after all of stage 1. Within a part of a
 * stage, domains do not wait for each other. Each domain goes through these steps, and through the items of each step
 * in the order that their kind defines. A change that waits for one of stage 2 is in stage 2 as well. Right before a
 * request, each gate of its stage is asked (engine/apply/gate.ts). A gate that does not let a change through skips it
 * with a reason.
 */
const STAGES: readonly Stage[] = [
  {
    stage: 1,
    steps: [
      'domain-adds', // A domain must exist before anything is added to it; the service may give it a `*`.
      'domain-updates',
      ...ofKindsWithoutMail('adds'), // Credentials, for example: they route no mail, and their failure holds no route back.
      ...ofKindsWithoutMail('updates'), // Missing items are added before others are sent again.
      'alias-adds', // Aliases are added before a catch-all that would match their mail changes.
      'alias-updates', // New destinations: no alias stops matching mail.
      'rule-moves', // A new rule is placed among rules that have their final ranks.
      'rule-adds', // A new rule matches its mail before another rule stops matching it.
      'rule-changes', // New destinations, and rules that become active: no rule stops matching mail.
    ],
    gates: ['aliases beside it', 'what it waits for'],
    partsOf: partsOfStageOne,
  },
  {
    stage: 2,
    steps: [
      'rule-widenings', // If rules pass conditions on in a circle, one matches both its old and its new condition meanwhile.
      'rule-narrowings', // A rule stops matching mail after the rules that match it instead are in place.
      'rule-deletes', // A rule that changes may match the mail of a rule that is deleted.
      'alias-deletes', // The mail of an alias may be matched by a rule instead.
      ...ofKindsWithoutMail('deletes'), // A program can send with its old credential until everything else is in place.
      'domain-deletes', // Everything in the domain is deleted with it.
    ],
    gates: [
      'the run goes on',
      'stage 1 of its domain',
      'rules in order',
      'who forwards to it',
      'what it waits for',
    ],
    partsOf: partsOfStageTwo,
  },
];

function ofKindsWithoutMail(steps: 'adds' | 'updates' | 'deletes'): readonly string[] {
  return SECTION_KINDS.filter((kind) => !KINDS[kind].routesMail).map((kind) => `${kind}-${steps}`);
}

/** A stage of a run. */
interface Stage {
  readonly stage: 1 | 2;
  readonly steps: readonly string[];
  readonly gates: readonly GateName[];
  /** Returns a function from a change to its part, counted from 0. */
  readonly partsOf: typeof partsOfStageOne;
}

/** The name of a gate, which lets a change through or skips it. */
export type GateName =
  | 'aliases beside it' // The aliases whose mail it would match meanwhile exist.
  | 'the run goes on'
  | 'stage 1 of its domain' // Its replacements are in place.
  | 'rules in order'
  | 'who forwards to it' // No other domain still forwards to it.
  | 'what it waits for'; // The changes of `Plan.waits` are in place.

/** All steps, in the order of a run. */
export const STEPS: readonly string[] = STAGES.flatMap(({ steps }) => steps);

interface StepVerb {
  readonly kind: Kind;
  readonly verb: Verb;
}

/** True if a step adds domains. */
export function addsDomain(step: string): boolean {
  return step === 'domain-adds';
}

const VERBS: ReadonlyMap<string, StepVerb> = new Map(
  ALL_KINDS.flatMap((kind) =>
    Object.entries(KINDS[kind].steps.verbs).map(([step, verb]) => [step, { kind, verb }] as const),
  ),
);

/** Returns the kind and verb of a step's requests. Throws if the sequence does not contain the step. */
export function verbOf(step: string): StepVerb {
  const found = STEPS.includes(step) ? VERBS.get(step) : undefined;
  if (found === undefined) throw new Error(`the step ${step} has no place in the sequence of a run`);
  return found;
}

/**
 * True if deletes of one kind wait for changes of the other. A failed credential holds no route back, and a route
 * holds no credential back.
 */
export function isOneChain(kind: Kind, other: Kind): boolean {
  return kind === other || (KINDS[kind].routesMail && KINDS[other].routesMail);
}

/** Items that are sent side by side. Later parts start only after all of them have ended. */
export interface SequencePart extends Pick<Stage, 'stage' | 'gates'> {
  /** Domains, which run side by side. */
  readonly domains: readonly DomainSequence[];
}

/** The steps of one domain, strictly one after another, as are the items of a step. A step may come more than once. */
export interface DomainSequence {
  readonly domain: DomainName;
  readonly steps: readonly StepItems[];
}

export interface StepItems {
  readonly step: string;
  readonly items: readonly WriteItem[];
}

/**
 * Returns the requests for these changes in the order in which they are sent. Each stage is split into parts: a change
 * that waits for another domain goes in a later part. Throws if a change lacks the id that it needs.
 */
export function sequenceOf(changes: readonly Change[], waits: Waits = NO_WAITS): readonly SequencePart[] {
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  const placings = new Map([...byKind].map(([kind, own]) => [kind, KINDS[kind].steps.place(own)]));
  const places = [...placings.values()].flatMap((placing) => placing.places);
  return STAGES.flatMap(({ stage, gates, partsOf }) => {
    const own = places.filter((place) => place.stage === stage);
    const ordered = byDomain(own, placings).flatMap(({ steps }) =>
      steps.flatMap(({ step, items }) => items.map(({ change }) => ({ change, step: STEPS.indexOf(step) }))),
    );
    const partOf = partsOf(ordered, waits);
    return [...Map.groupBy(own, ({ item }) => partOf(item.change))]
      .sort(([a], [b]) => a - b)
      .map(([, items]) => ({ stage, gates, domains: byDomain(items, placings) }));
  });
}

const NO_WAITS: Waits = new Map();

type Placings = ReadonlyMap<Kind, Placing>;

function byDomain(placed: readonly PlacedItem[], placings: Placings): readonly DomainSequence[] {
  const domains = Map.groupBy(placed, ({ item }) => item.change.domain);
  return [...domains]
    .sort(([a], [b]) => compareText(a, b))
    .map(([domain, places]) => ({ domain, steps: stepsOf(places, placings) }));
}

function stepsOf(places: readonly PlacedItem[], placings: Placings): readonly StepItems[] {
  const bySteps = Map.groupBy(places, ({ step }) => step);
  return [...bySteps]
    .map(([step, placed]) => ({ step, ...verbOf(step), items: placed.map(({ item }) => item) }))
    .sort((a, b) => STEPS.indexOf(a.step) - STEPS.indexOf(b.step))
    .flatMap(({ step, kind, items }) => {
      const groups = placings.get(kind)?.inOrder(step, items) ?? [items];
      return groups.map((group) => ({ step, items: group }));
    });
}
