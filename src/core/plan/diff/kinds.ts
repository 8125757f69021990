import type { PresentDomain } from '../../model/desired.ts';
import type { Disclosure } from '../../model/destinations.ts';
import type { Kind, SectionKind } from '../../model/kinds.ts';
import type { NameKey } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import type { StateTypes } from '../../model/resources.ts';
import { aliasFields, aliasSignature, describeAlias, planAliases } from './aliases.ts';
import { credentialSignature, describeCredential, planCredentials } from './credentials.ts';
import type { ItemMemory } from './item-memory.ts';
import { describeRule, ruleFields, ruleSignature } from './rules/rule-text.ts';
import { planRules } from './rules/rules.ts';
import type { SectionResult } from './section.ts';
import { describeSettings, settingsFields, settingsSignature } from './settings.ts';
import type { ShownChange, ShownFields } from './shown.ts';

/** What the differences of the sections depend on, other than their two sides. */
export interface SectionInput extends ItemMemory {
  /** User names whose password is to be sent again because somebody asked. */
  readonly rotate: ReadonlySet<NameKey>;
  /** User names whose password differs from what was last sent. */
  readonly changedPasswords: ReadonlySet<NameKey>;
  /** Digits after the point that the service keeps of a rank; null: all, as far as is known. */
  readonly rankDigits: number | null;
}

type Planner = (
  desired: PresentDomain,
  live: ObservedDomain | undefined,
  input: SectionInput,
) => SectionResult | null;

/** The difference of each section of a domain; null: it is not managed. */
export const SECTION_PLANNERS: Readonly<Record<SectionKind, Planner>> = {
  alias: ({ domain, aliases }, live, { prior, references }) =>
    aliases === undefined ? null : planAliases(aliases, live?.aliases ?? [], { domain, prior, references }),
  rule: ({ domain, rules }, live, { prior, references, rankDigits }) =>
    rules === undefined
      ? null
      : planRules(rules, live?.rules ?? [], { domain, prior, references, rankDigits }),
  credential: ({ domain, credentials }, live, { prior, references, rotate, changedPasswords: changed }) =>
    credentials === undefined
      ? null
      : planCredentials(credentials, live?.credentials ?? [], {
          domain,
          prior,
          references,
          rotate,
          changed,
        }),
};

/** What a signature is made of. The rank of a rule is no part of it, and of a credential nothing can be read. */
interface WantedTypes extends Omit<StateTypes, 'rule' | 'credential'> {
  readonly rule: Omit<StateTypes['rule'], 'rank'>;
  readonly credential: object;
}

/** What is desired of an item, with its kind. */
export type Wanted = { readonly [K in Kind]: { readonly kind: K; readonly state: WantedTypes[K] } }[Kind];

const SIGNATURES: {
  readonly [K in Kind]: (state: WantedTypes[K], references: Disclosure['references']) => string;
} = {
  domain: settingsSignature,
  alias: aliasSignature,
  rule: ruleSignature,
  credential: credentialSignature,
};

/**
 * A text that is equal for equal desired states. Values from references stand in it as the reference, so that it may
 * be saved; a new value behind the same reference does not change it.
 */
export function signature({ kind, state }: Wanted, references: Disclosure['references']): string {
  // The state is that of the kind, which a type cannot say of both at once.
  const sign = SIGNATURES[kind] as (state: Wanted['state'], references: Disclosure['references']) => string;
  return sign(state, references);
}

/** One side of a change; null where there is no item, or should be none. */
export function sideOf(change: Change, side: 'observed' | 'desired'): Wanted | null {
  const state = change[side];
  return state === null ? null : ({ kind: change.kind, state } as Wanted);
}

const FIELDS: { readonly [K in Kind]: (state: StateTypes[K], disclosure: Disclosure) => ShownFields } = {
  domain: settingsFields,
  alias: aliasFields,
  rule: ruleFields,
  credential: () => ({}),
};

/** Of an update the fields that it changes, of an add or delete all of them; null where the item is not. */
export function shownFields(
  change: Change,
  side: 'observed' | 'desired',
  disclosure: Disclosure,
): ShownFields | null {
  const state = change[side];
  if (state === null) return null;
  const show = FIELDS[change.kind] as (state: StateTypes[Kind], disclosure: Disclosure) => ShownFields;
  const all = show(state, disclosure);
  if (change.fields.length === 0) return all;
  return Object.fromEntries(change.fields.map((field) => [field, all[field] ?? null]));
}

/** One line's worth of a change. */
export const WORDS: Readonly<Record<Kind, (change: ShownChange) => string>> = {
  domain: describeSettings,
  alias: describeAlias,
  rule: describeRule,
  credential: describeCredential,
};
