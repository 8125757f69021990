import type { PresentDomain } from '../../model/desired.ts';
import type { Kind, SectionKind } from '../../model/kinds.ts';
import type { NameKey } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import { describeAlias, planAliases } from './aliases.ts';
import { describeCredential, planCredentials } from './credentials.ts';
import type { ItemMemory } from './item-memory.ts';
import { describeRule } from './rules/rule-text.ts';
import { planRules } from './rules/rules.ts';
import type { SectionResult } from './section.ts';
import { describeSettings } from './settings.ts';
import type { ShownChange } from './shown.ts';

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

/** One line's worth of a change. */
export const WORDS: Readonly<Record<Kind, (change: ShownChange) => string>> = {
  domain: describeSettings,
  alias: describeAlias,
  rule: describeRule,
  credential: describeCredential,
};
