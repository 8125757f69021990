import type { Destination, ReferenceDocument } from './destinations.ts';
import type { AliasName, CredentialName, DomainName, NameKey } from './names.ts';
import type { Source } from './problem.ts';
import { SECTIONS, type Section } from './kinds.ts';
import type { RuleMatch } from './resources.ts';

/** The manifest resolved to plain resources: templates, groups and references expanded. */
export interface Desired {
  readonly api: DesiredApi;
  readonly guards: GuardSettings;
  /** In order of the domain's ASCII form. */
  readonly domains: ReadonlyMap<DomainName, DesiredDomain>;
  /** The manifest's files as they were named, and `sha256:…` over what they ask for. */
  readonly files: readonly string[];
  readonly digest: string;
  /** The references that were resolved, by normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
}

export interface DesiredApi {
  readonly url?: string;
  readonly version?: 'v4' | 'v3';
  /** The email that `GET /account` must answer. */
  readonly account?: string;
  readonly key?: Reference;
}

/** `{ env: NAME }`, or `{ file: PATH }` with the path made absolute. */
export type Reference = {
  readonly source: Source;
  /** As the manifest writes it, and the same as text. */
  readonly written: ReferenceDocument;
  readonly shown: string;
} & (
  | { readonly kind: 'env'; readonly name: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** The manifest's directory, which a relative path must not leave; null: the path is absolute. */
      readonly below: string | null;
    }
);

/** The value behind a reference, without the line break at its end; null: not set. */
export type ReferenceValue = string | null | RefusedValue;

/** There may be a value, and it must not be used; the words do not contain it. */
export interface RefusedValue {
  readonly refused: string;
  readonly hint: string;
}

export interface GuardSettings {
  readonly maxDeletes: number;
  readonly maxDeletePercent: number;
  readonly allow: readonly DatedAllowance[];
}

export type Allowance =
  | { readonly kind: 'deletes'; readonly count: number }
  | { readonly kind: 'reroutes'; readonly count: number }
  | { readonly kind: 'domain-delete'; readonly domain: DomainName }
  | { readonly kind: 'empty'; readonly domain: DomainName; readonly section: Section }
  | { readonly kind: 'unrouted'; readonly address: string };

/** An allowance written in the manifest; in force through the day `until` (ISO date, UTC). */
export interface DatedAllowance {
  readonly allowance: Allowance;
  readonly until: string;
  readonly source: Source;
}

export type DesiredDomain = PresentDomain | AbsentDomain;

/** The sections that the manifest manages in a domain: none of one that it does not name, all of one that is to be deleted. */
export function managedSections(desired: DesiredDomain | undefined): readonly Section[] {
  if (desired === undefined) return [];
  return desired.state === 'absent' ? SECTIONS : SECTIONS.filter((section) => desired[section] !== undefined);
}

export function countEntries(section: PresentDomain[Section]): number {
  if (section === undefined) return 0;
  return 'size' in section.entries ? section.entries.size : section.entries.length;
}

/** The entries of a section that are not to be absent. */
export function presentEntries(section: PresentDomain[Section]): readonly PresentEntry[] {
  return [...(section?.entries.values() ?? [])].filter((entry) => entry.state === 'present');
}

type PresentEntry = PresentAlias | PresentRule | PresentCredential;

/** The destinations of what a domain should have, some of them more than once. */
export function* destinationsOf(domain: DesiredDomain): Generator<Destination> {
  if (domain.state === 'absent') return;
  for (const entry of SECTIONS.flatMap((section) => presentEntries(domain[section]))) {
    if ('forward' in entry) yield* entry.forward;
  }
}

/** A tombstone. */
export interface AbsentDomain {
  readonly state: 'absent';
  readonly domain: DomainName;
  readonly source: Source;
}

export interface PresentDomain {
  readonly state: 'present';
  readonly domain: DomainName;
  readonly source: Source;
  /** `value: null` asks for no value; a setting that is not here is not managed. */
  readonly settings: {
    readonly notification_email?: Setting;
    readonly whitelabel?: Setting;
    readonly webhook?: Setting;
  };
  /** A section that is undefined is not managed. */
  readonly aliases?: AliasSection;
  readonly rules?: RuleSection;
  readonly credentials?: CredentialSection;
  readonly expect: readonly Expectation[];
  readonly verify: boolean;
}

export interface Setting {
  readonly value: string | null;
  readonly source: Source;
}

/** Where an entry is written; `via` is the position of the domain's `use` when a template brought it. */
export interface Origin {
  readonly source: Source;
  readonly via?: Source;
}

export interface AliasSection {
  readonly prune: boolean;
  /** Glob patterns of names that are never touched. */
  readonly ignore: readonly string[];
  readonly entries: ReadonlyMap<NameKey, DesiredAlias>;
}

export type DesiredAlias =
  | (Origin & {
      readonly state: 'present';
      readonly name: AliasName;
      readonly forward: readonly Destination[];
    })
  | (Origin & { readonly state: 'absent'; readonly name: AliasName });

export type PresentAlias = Extract<DesiredAlias, { readonly state: 'present' }>;
export type PresentRule = Extract<DesiredRule, { readonly state: 'present' }>;
export type PresentCredential = Extract<DesiredCredential, { readonly state: 'present' }>;
export type AbsentRule = Extract<DesiredRule, { readonly state: 'absent' }>;

export interface RuleSection {
  readonly prune: boolean;
  /** Ids that are never touched. */
  readonly ignore: readonly string[];
  /** In the order of evaluation, the absent ones where they stand. */
  readonly entries: readonly DesiredRule[];
}

export type DesiredRule =
  | (Origin & {
      readonly state: 'present';
      readonly name: string;
      /** `id:` where written, else the UUID version 5 of domain, type and name. */
      readonly id: string;
      readonly idIsWritten: boolean;
      /** The ids that this name would have, one a type: how a rule that changed its type is recognised. */
      readonly derivedIds: readonly string[];
      readonly match: RuleMatch;
      readonly forward: readonly Destination[];
      readonly active: boolean;
    })
  | (Origin & {
      readonly state: 'absent';
      readonly name?: string;
      readonly id?: string;
      /** The ids that this name would have, one a type: what `name` alone can be recognised by. */
      readonly derivedIds: readonly string[];
    });

export interface CredentialSection {
  readonly prune: boolean;
  readonly ignore: readonly string[];
  readonly entries: ReadonlyMap<NameKey, DesiredCredential>;
}

export type DesiredCredential =
  | (Origin & { readonly state: 'present'; readonly name: CredentialName; readonly password?: Reference })
  | (Origin & { readonly state: 'absent'; readonly name: CredentialName });

/** Which mail goes where; checked offline. */
export interface Expectation {
  readonly source: Source;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
  readonly forward:
    | { readonly kind: 'delivered'; readonly forward: readonly Destination[] }
    | { readonly kind: 'refused' };
}
