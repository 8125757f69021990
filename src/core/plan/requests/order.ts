import { ALL_KINDS, KINDS, SECTION_KINDS } from '../../kinds/registry.ts';
import type { PlacedItem, Placing, WriteItem } from '../../kinds/steps.ts';
import type { Verb } from '../../kinds/wire.ts';
import type { Kind } from '../../model/kinds.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';
import { overtakingChanges, waitsInStageOne } from './dependencies.ts';

/** A route is taken away only where everything that is to replace it is in place, and no other domain needs it. */
const GATES_OF_STAGE_TWO: readonly GateName[] = [
  'the run goes on',
  'stage 1 of its domain',
  'rules in order',
  'who forwards to it',
];

/**
 * The sequence of a run. Until it ends, mail must be routed as before or as afterwards: what adds a route comes first, and
 * what takes one away comes last. A run goes through these parts. In each, domains do not wait for each other; a domain
 * goes through the steps, and in each step through its items in the order that its kind gives them. Right before a request
 * each gate of its part is asked (engine/apply/gate.ts): one that does not let a change through has it skipped, with a reason.
 */
const PARTS: readonly RunPart[] = [
  {
    name: 'new domains',
    stage: 1,
    // A domain must be there before anything is added to it; the service may give it a `*`.
    steps: ['domain-adds'],
    gates: [],
  },
  {
    name: 'stage 1',
    stage: 1,
    // A domain that waits to be added keeps no other waiting. One whose mail is led to what this part adds in others does wait.
    begins: 'domain by domain',
    steps: [
      'domain-updates',
      ...ofKindsWithoutMail('adds'), // Such as credentials: they route no mail, and a failure among them holds no route back.
      ...ofKindsWithoutMail('updates'), // What is sent again comes after what is missing.
      'alias-adds', // A catch-all changes only once the aliases whose mail it would match are there.
      'alias-updates', // New destinations: no alias stops matching mail.
      'rule-moves', // A new rule is placed among rules that have their final ranks.
      'rule-adds', // A new rule matches its mail before another rule stops matching it.
      'rule-changes', // New destinations, and rules that become active: no rule stops matching mail.
    ],
    gates: ['aliases beside it', 'what it leads to'],
  },
  {
    name: 'stage 2',
    stage: 2,
    // All of stage 1 may be what takes the mail of a route that is taken away here.
    begins: 'after all before it',
    steps: [
      'rule-widenings', // Where rules pass conditions on in a circle, one matches its old and its new one meanwhile.
      'rule-narrowings', // A rule stops matching mail once everything that matches it instead is in place.
      'rule-deletes', // A rule that changes may match the mail of a rule that is deleted.
      'alias-deletes', // The mail of an alias may be matched by a rule instead.
      ...ofKindsWithoutMail('deletes'), // A program can send with its old credential until everything else is in place.
    ],
    gates: GATES_OF_STAGE_TWO,
  },
  {
    name: 'forwarded-to domains',
    stage: 2,
    // Other domains forward here until their own stage 2 has ended: the steps of stage 2 for what they forward to, and these.
    begins: 'after all before it',
    steps: ['domain-deletes'], // All that is in the domain goes with it.
    gates: GATES_OF_STAGE_TWO,
  },
];

function ofKindsWithoutMail(steps: 'adds' | 'updates' | 'deletes'): readonly string[] {
  return SECTION_KINDS.filter((kind) => !KINDS[kind].routesMail).map((kind) => `${kind}-${steps}`);
}

/** A part of a run. */
export interface RunPart {
  readonly name: string;
  readonly stage: 1 | 2;
  /** When a domain begins it: once the part before has ended there, or everywhere. By default at once. */
  readonly begins?: 'domain by domain' | 'after all before it';
  readonly steps: readonly string[];
  readonly gates: readonly GateName[];
}

/** What lets a change through. */
export type GateName =
  | 'aliases beside it' // Aliases whose mail it would match meanwhile are there.
  | 'what it leads to' // So is what its mail is led to.
  | 'the run goes on'
  | 'stage 1 of its domain' // Everything that was to replace it is in place.
  | 'rules in order'
  | 'who forwards to it'; // No other domain still does.

/** All steps, in this order. */
export const STEPS: readonly string[] = PARTS.flatMap(({ steps }) => steps);

interface StepVerb {
  readonly kind: Kind;
  readonly verb: Verb;
}

/** True for a step that adds domains. */
export function addsDomain(step: string): boolean {
  return PARTS[0]?.steps.includes(step) === true;
}

const VERBS: ReadonlyMap<string, StepVerb> = new Map(
  ALL_KINDS.flatMap((kind) =>
    Object.entries(KINDS[kind].steps.verbs).map(([step, verb]) => [step, { kind, verb }] as const),
  ),
);

/** Returns what the requests of a step do, to which kind. Throws where it has no place in the sequence. */
export function verbOf(step: string): StepVerb {
  const found = STEPS.includes(step) ? VERBS.get(step) : undefined;
  if (found === undefined) throw new Error(`the step ${step} has no place in the sequence of a run`);
  return found;
}

/** True if deletes of the one kind wait for changes of the other: a failed credential holds no route back, nor the other way round. */
export function isOneChain(kind: Kind, other: Kind): boolean {
  return kind === other || (KINDS[kind].routesMail && KINDS[other].routesMail);
}

/** Items that are sent side by side; those after them start only when all of them have ended. */
export interface SequencePart extends Pick<RunPart, 'stage' | 'gates'> {
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
  const forwardedTo = overtakingChanges(changes);
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  const placings = new Map([...byKind].map(([kind, own]) => [kind, KINDS[kind].steps.place(own)]));
  const places = Map.groupBy(
    placings.values().flatMap((placing) => placing.places),
    ({ step, item }) => partOf(step, forwardedTo.has(item.change)),
  );
  return PARTS.flatMap((part) => {
    const { stage, gates } = part;
    const own = places.get(part) ?? [];
    const waves = Map.groupBy(own, ({ item }) => (stage === 1 ? (waits.get(item.change.domain) ?? 0) : 0));
    return [...waves]
      .sort(([a], [b]) => a - b)
      .map(([, wave]) => ({ stage, gates, domains: byDomain(wave, placings) }));
  });
}

/** The part in which a step goes: new domains along with stage 1, and what is forwarded to after the rest of stage 2. */
function partOf(step: string, isForwardedTo: boolean): RunPart | undefined {
  const index = PARTS.findIndex(({ steps }) => steps.includes(step));
  if (isForwardedTo && PARTS[index]?.stage === 2) return PARTS.at(-1);
  return PARTS.slice(index).find((_, offset) => PARTS[index + offset + 1]?.begins !== 'domain by domain');
}

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
    .map(({ step, kind, items }) => ({ step, items: placings.get(kind)?.inOrder(step, items) ?? items }));
}
