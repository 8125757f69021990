import { ALL_KINDS, KINDS, SECTION_KINDS } from '../../kinds/registry.ts';
import type { PlacedItem, Placing, WriteItem } from '../../kinds/steps.ts';
import type { Verb } from '../../kinds/wire.ts';
import type { Kind } from '../../model/kinds.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';
import { overtakingChanges, waitsInStageOne } from './dependencies.ts';

/**
 * The sequence of a run. Until it ends, mail must be routed as before or as afterwards: what adds a route comes first, and
 * what takes one away comes last. The parts of `sequenceOf` are: stage 1 of all domains, and after it of those whose mail
 * is led to what it adds in other domains; stage 2, which may take routes away, once all of stage 1 has ended; and last what
 * other domains forward to until their own stage 2 has ended. The domains of a part do not wait for each other. Each goes
 * through these steps, in each step through its items in the order that its kind gives them:
 */
const STEPS: readonly string[] = [
  'domain-adds', // A domain must be there before anything is added to it; the service may give it a `*`.
  'domain-updates',
  ...ofKindsWithoutMail('adds'), // Such as credentials: they route no mail, and a failure among them holds no route back.
  ...ofKindsWithoutMail('updates'), // What is sent again comes after what is missing.
  'alias-adds', // A catch-all changes only once the aliases whose mail it would match are there.
  'alias-updates', // New destinations: no alias stops matching mail.
  'rule-moves', // A new rule is placed among rules that have their final ranks.
  'rule-adds', // A new rule matches its mail before another rule stops matching it.
  'rule-changes', // New destinations, and rules that become active: no rule stops matching mail.
  'rule-widenings', // Stage 2: where rules pass conditions on in a circle, one matches its old and its new one meanwhile.
  'rule-narrowings', // A rule stops matching mail once everything that matches it instead is in place.
  'rule-deletes', // A rule that changes may match the mail of a rule that is deleted.
  'alias-deletes', // The mail of an alias may be matched by a rule instead.
  ...ofKindsWithoutMail('deletes'), // A program can send with its old credential until everything else is in place.
  'domain-deletes', // All that is in the domain goes with it.
];

function ofKindsWithoutMail(steps: 'adds' | 'updates' | 'deletes'): readonly string[] {
  return SECTION_KINDS.filter((kind) => !KINDS[kind].routesMail).map((kind) => `${kind}-${steps}`);
}

/** What the requests of a step do, to which kind. */
export interface StepVerb {
  readonly kind: Kind;
  readonly verb: Verb;
}

const VERBS: ReadonlyMap<string, StepVerb> = new Map(
  ALL_KINDS.flatMap((kind) =>
    Object.entries(KINDS[kind].steps.verbs).map(([step, verb]) => [step, { kind, verb }] as const),
  ),
);

/** Throws where a step has no place in the sequence. */
export function verbOf(step: string): StepVerb {
  const found = STEPS.includes(step) ? VERBS.get(step) : undefined;
  if (found === undefined) throw new Error(`the step ${step} has no place in the sequence of a run`);
  return found;
}

/** Chains that do not wait for each other: a failed credential holds no route back, and the other way round. */
export type Chain = 'routes' | 'credentials';

export function chainOfKind(kind: Kind): Chain {
  return KINDS[kind].routesMail ? 'routes' : 'credentials';
}

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
  readonly step: string;
  readonly items: readonly WriteItem[];
}

/** All that is to be sent for these changes, in the order in which it is sent. Throws where a change lacks the id that it needs. */
export function sequenceOf(changes: readonly Change[]): readonly SequencePart[] {
  const waits = waitsInStageOne(changes);
  const late = overtakingChanges(changes);
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  const placings = new Map([...byKind].map(([kind, own]) => [kind, KINDS[kind].steps.place(own)]));
  const places = Map.groupBy(
    placings.values().flatMap((placing) => placing.places),
    ({ stage }) => stage,
  );
  const early = Map.groupBy(places.get(1) ?? [], ({ item }) => waits.get(item.change.domain) ?? 0);
  const last = Map.groupBy(places.get(2) ?? [], ({ item }) => Number(late.has(item.change)));
  return [...partsOf(1, early, placings), ...partsOf(2, last, placings)];
}

type Placings = ReadonlyMap<Kind, Placing>;

/** The parts of a stage, by their numbers. */
function partsOf(
  stage: SequencePart['stage'],
  parts: ReadonlyMap<number, readonly PlacedItem[]>,
  placings: Placings,
): readonly SequencePart[] {
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([, places]) => ({ stage, domains: byDomain(places, placings) }));
}

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
    .map(({ step, kind, items }) => ({ step, items: placings.get(kind)?.inOrder(step, items) ?? items }));
}
