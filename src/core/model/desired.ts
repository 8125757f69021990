import type { Destination, Reference } from './destinations.ts';
import type { Silence } from './lint/findings.ts';
import type { DomainName } from './names.ts';
import type { Source } from './manifest/problem.ts';
import type { Section, SectionTypes, StateTypes, SectionEntry, PresentEntry } from './kinds.ts';

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
  /** What the documents silence everywhere, and how many findings of the manifest `lint.off` hid. */
  readonly lint: { readonly off: readonly Silence[]; readonly silenced: number };
}

export interface DesiredApi {
  readonly url?: string;
  readonly version?: 'v4' | 'v3';
  /** The email that `GET /account` must answer. */
  readonly account?: string;
  readonly key?: Reference;
}

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

/** An allowance written in the manifest; valid through the day `until` (ISO date, UTC). */
export interface DatedAllowance {
  readonly allowance: Allowance;
  readonly until: string;
  readonly source: Source;
}

export type DesiredDomain = PresentDomain | AbsentDomain;

export function countEntries(section: PresentDomain[Section]): number {
  if (section === undefined) return 0;
  return 'size' in section.entries ? section.entries.size : section.entries.length;
}

/** The entries of a section that are not to be absent. */
export function presentEntries<S extends Section>(
  section: DesiredSection<S> | undefined,
): readonly PresentEntry<S>[] {
  const entries: Iterable<SectionEntry<S>> = section?.entries.values() ?? [];
  return [...entries].filter((entry): entry is PresentEntry<S> => entry.state === 'present');
}

/** A tombstone. */
export interface AbsentDomain {
  readonly state: 'absent';
  readonly domain: DomainName;
  readonly source: Source;
}

export interface PresentDomain extends DesiredSections {
  readonly state: 'present';
  readonly domain: DomainName;
  readonly source: Source;
  /** `value: null` asks for no value; a setting that is not here is not managed. */
  readonly settings: {
    readonly [S in keyof StateTypes['domain']]: Setting<Exclude<StateTypes['domain'][S], undefined>>;
  };
  readonly expect: readonly Expectation[];
  readonly verify: boolean;
  /** What it silences, or `defaults` for it. */
  readonly lint: readonly Silence[];
  /** When failing mail is reported; null: never. */
  readonly delivery: DeliveryThreshold | null;
}

/** So many failed messages within so many milliseconds. */
export interface DeliveryThreshold {
  readonly after: number;
  readonly withinMs: number;
}

export interface Setting<Value = unknown> {
  readonly value: Value;
  readonly source: Source;
}

/** A section that is undefined is not managed. */
export type DesiredSections = { readonly [S in Section]?: DesiredSection<S> };

export interface DesiredSection<S extends Section> {
  /** Its key in the domain; absent where only templates bring it. */
  readonly source?: Source;
  readonly prune: boolean;
  /** What is never touched: glob patterns of names; of rules ids. */
  readonly ignore: readonly string[];
  readonly entries: SectionTypes[S]['desired'];
}

export type AliasSection = DesiredSection<'aliases'>;
export type RuleSection = DesiredSection<'rules'>;
export type CredentialSection = DesiredSection<'credentials'>;

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
