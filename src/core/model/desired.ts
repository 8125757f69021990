import type { Destination, Reference } from './destinations.ts';
import type { Silence } from './lint/findings.ts';
import type { DomainName } from './names.ts';
import type { Source } from './manifest/problem.ts';
import type { Section, SectionTypes, StateTypes, SectionEntry, PresentEntry } from './kinds.ts';

/** The manifest resolved to plain resources: templates, groups and references expanded. */
export interface Desired {
  readonly api: DesiredApi;
  readonly guards: GuardSettings;
  /** Sorted by the domain's ASCII form. */
  readonly domains: ReadonlyMap<DomainName, DesiredDomain>;
  /** The manifest's files as they were named, and the `sha256:…` digest of what they ask for. */
  readonly files: readonly string[];
  readonly digest: string;
  /** The references that were resolved, by normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
  /** Findings that the documents silence everywhere, and the number of manifest findings that `lint.off` hid. */
  readonly lint: { readonly off: readonly Silence[]; readonly silenced: number };
}

export interface DesiredApi {
  readonly url?: string;
  readonly version?: 'v4' | 'v3';
  /** The email that `GET /account` must answer. */
  readonly account?: string;
  readonly key?: Reference;
}

/** The value behind a reference, without its final line break. null means that it is not set. */
export type ReferenceValue = string | null | RefusedValue;

/** A value that exists but must not be used. The texts do not contain it. */
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

/** Returns the entries of a section that are not tombstones. */
export function presentEntries<S extends Section>(
  section: DesiredSection<S> | undefined,
): readonly PresentEntry<S>[] {
  const entries: Iterable<SectionEntry<S>> = section?.entries.values() ?? [];
  const present: PresentEntry<S>[] = [];
  for (const entry of entries) if (entry.state === 'present') present.push(entry as PresentEntry<S>);
  return present;
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
  /** Managed settings. `value: null` asks for no value; a missing setting is not managed. */
  readonly settings: {
    readonly [S in keyof StateTypes['domain']]: Setting<Exclude<StateTypes['domain'][S], undefined>>;
  };
  readonly expect: readonly Expectation[];
  readonly verify: boolean;
  /** Findings that the domain silences, or that `defaults` silences for it. */
  readonly lint: readonly Silence[];
  /** The failure count that makes a report; null means that failing mail is never reported. */
  readonly delivery: DeliveryThreshold | null;
}

/** The number of failed messages within a window of milliseconds. */
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
  /** The section's key in the domain; absent if only templates define the section. */
  readonly source?: Source;
  readonly prune: boolean;
  /** Glob patterns of names that are never touched; for rules, patterns of ids. */
  readonly ignore: readonly string[];
  readonly entries: SectionTypes[S]['desired'];
}

export type AliasSection = DesiredSection<'aliases'>;
export type RuleSection = DesiredSection<'rules'>;
export type CredentialSection = DesiredSection<'credentials'>;

/** An expected delivery or refusal, checked offline. */
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
