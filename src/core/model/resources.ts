import {
  normaliseDestination,
  type Destination,
  type Reference,
  type ReferenceDocument,
} from './destinations.ts';
import type { AliasName, CredentialName, NameKey } from './names.ts';
import type { Source } from './manifest/problem.ts';

/** The settings of a domain that v4 of the API can set, under its own names. */
export const SETTINGS_OF_V4 = ['notification_email', 'whitelabel'] as const;

/** All settings of a domain, in a fixed order; the others are settings of v3 alone. */
export const SETTINGS = [...SETTINGS_OF_V4, 'webhook'] as const;

export type SettingName = (typeof SETTINGS)[number];

/**
 * The settings of a domain; null is no value. `undefined` stands for what is not managed, or what this generation of the
 * API does not know.
 */
export type DomainState = { readonly [S in SettingName]?: string | null };

/** Returns the settings alone, as they are in something that has more. */
export function pickSettings(from: DomainState): DomainState {
  return Object.fromEntries(
    SETTINGS.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  );
}

/** True if this generation of the API can set a setting. */
export function hasSetting(version: 'v4' | 'v3', name: SettingName): boolean {
  return version === 'v3' || SETTINGS_OF_V4.some((known) => known === name);
}

/** Whether two values of a setting mean the same: null and the empty text are no value, hosts have no case. */
export function sameSetting(
  setting: keyof DomainState,
  a: string | null | undefined,
  b: string | null | undefined,
): boolean {
  const [left, right] = [a ?? '', b ?? ''];
  if (setting === 'whitelabel') return left.toLowerCase() === right.toLowerCase();
  return normaliseDestination(left) === normaliseDestination(right);
}

/** Where an entry is written; `via` is the position of the domain's `use` when a template brought it. */
export interface Origin {
  readonly source: Source;
  readonly via?: Source;
}

/** An entry that says that something must not be there, as a manifest writes it. */
export interface AbsentDocument {
  readonly state: 'absent';
}

export interface AliasState {
  readonly forward: readonly Destination[];
}

export type DesiredAlias =
  | (Origin & {
      readonly state: 'present';
      readonly name: AliasName;
      readonly forward: readonly Destination[];
    })
  | (Origin & { readonly state: 'absent'; readonly name: AliasName });

export type PresentAlias = Extract<DesiredAlias, { readonly state: 'present' }>;

/** An alias as the service spells it. */
export interface ObservedAlias {
  readonly id: string;
  readonly name: string;
  readonly forward: readonly Destination[];
}

/** One destination, several, or `discard`. */
export type ForwardDocument = string | ReferenceDocument | readonly (string | ReferenceDocument)[];

export type RuleType = 'alias' | 'regex' | 'cel';
export type Scope = 'sender' | 'recipient' | 'subject' | 'body';

/** What mail a rule takes (v4: Rule, Config by type, without `forward`). */
export type RuleMatch =
  | { readonly type: 'alias'; readonly alias: string }
  | { readonly type: 'regex'; readonly regex: string; readonly scopes: readonly Scope[] }
  | { readonly type: 'cel'; readonly expression: string };

export interface RuleState {
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
  readonly rank: number;
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
      /** No manifest states one: that of a rule that is put back. */
      readonly rank?: number;
    })
  | (Origin & {
      readonly state: 'absent';
      readonly name?: string;
      readonly id?: string;
      /** The ids that this name would have, one a type: what `name` alone can be recognised by. */
      readonly derivedIds: readonly string[];
    });

export type PresentRule = Extract<DesiredRule, { readonly state: 'present' }>;
export type AbsentRule = Extract<DesiredRule, { readonly state: 'absent' }>;

export interface ObservedRule {
  readonly id: string;
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly rank: number;
  readonly active: boolean;
}

export interface RuleDocument {
  readonly name?: string;
  readonly id?: string;
  readonly state?: 'absent';
  readonly alias?: string;
  readonly regex?: string;
  readonly scopes?: readonly string[];
  readonly expression?: string;
  readonly forward?: ForwardDocument;
  readonly active?: boolean;
}

/** The names of a rule's fields in plans and reports. */
export type RuleField = 'forward' | 'alias' | 'regex' | 'scopes' | 'expression' | 'active' | 'rank';

/** A credential has nothing that can be read back; only that a new password is to be sent. */
export interface CredentialState {
  readonly password: 'set' | 'unmanaged';
}

export type DesiredCredential =
  | (Origin & { readonly state: 'present'; readonly name: CredentialName; readonly password?: Reference })
  | (Origin & { readonly state: 'absent'; readonly name: CredentialName });

export type PresentCredential = Extract<DesiredCredential, { readonly state: 'present' }>;

export interface ObservedCredential {
  readonly name: string;
}

export interface CredentialDocument {
  readonly password?: ReferenceDocument;
}

/** The state of each kind: what a change turns into another one. */
export interface StateTypes {
  readonly domain: DomainState;
  readonly alias: AliasState;
  readonly rule: RuleState;
  readonly credential: CredentialState;
}

/** What a section has: rows of the account, entries of the manifest, and these as they are written. */
export interface SectionTypes {
  readonly aliases: {
    readonly observed: ObservedAlias;
    readonly rows: readonly ObservedAlias[];
    readonly desired: ReadonlyMap<NameKey, DesiredAlias>;
    readonly present: PresentAlias;
    readonly document: ReadonlyMap<string, ForwardDocument | AbsentDocument>;
  };
  readonly rules: {
    readonly observed: ObservedRule;
    readonly rows: readonly ObservedRule[];
    /** In the order of evaluation, the absent ones where they stand. */
    readonly desired: readonly DesiredRule[];
    readonly present: PresentRule;
    readonly document: readonly RuleDocument[];
  };
  readonly credentials: {
    readonly observed: ObservedCredential;
    readonly rows: readonly ObservedCredential[];
    readonly desired: ReadonlyMap<NameKey, DesiredCredential>;
    readonly present: PresentCredential;
    readonly document: ReadonlyMap<string, CredentialDocument | AbsentDocument>;
  };
}

export type PresentEntry = SectionTypes[keyof SectionTypes]['present'];

/** Whether two rules match the same mail by the same means: type and condition, not rank, activity or destinations. */
export function sameMatch(a: RuleMatch, b: RuleMatch): boolean {
  if (a.type === 'alias') return b.type === 'alias' && a.alias === b.alias;
  if (a.type === 'cel') return b.type === 'cel' && a.expression === b.expression;
  return b.type === 'regex' && a.regex === b.regex && sameScopes(a.scopes, b.scopes);
}

function sameScopes(a: readonly Scope[], b: readonly Scope[]): boolean {
  const left = new Set(a);
  return left.size === new Set(b).size && b.every((scope) => left.has(scope));
}
