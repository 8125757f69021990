import type { Allowance } from './desired.ts';
import type { FindingCode, FindingSubject } from './lint/findings.ts';
import type { DomainName } from './names.ts';
import type { Problem, Source } from './manifest/problem.ts';
import type { Kind, KindTypes, StateTypes } from './kinds.ts';
import type { Destination } from './destinations.ts';
import type { RuleMatch } from './resources.ts';

/** The cause of a change; `drift` only if the item's desired state is known to have been applied before. */
export type Reason =
  | 'manifest'
  | 'drift'
  | 'prune'
  | 'absent'
  | 'reorder'
  | 'type-change'
  | 'rotate'
  | 'tombstone'
  | 'undo';

export type Action = 'add' | 'update' | 'move' | 'delete';

interface PlainChange<K extends Kind> {
  readonly kind: K;
  readonly action: Action;
  readonly domain: DomainName;
  /** Domain name, alias name, rule name (its id when only the account has it) or user name. */
  readonly name: string;
  /** The live id, or the id to be created with (rules); null when there is none yet or none at all. */
  readonly id: string | null;
  /** Whole states; null if the item does not exist, or should not. */
  readonly observed: StateTypes[K] | null;
  readonly desired: StateTypes[K] | null;
  /** Fields that an update changes, in a fixed order. */
  readonly fields: readonly string[];
  /** The stage in which the change is complete. A rule that moves in stage 1 and narrows in stage 2 has 2. */
  readonly stage: 1 | 2;
  /** True if the change depends on what the service does meanwhile, such as the `*` of a new domain. */
  readonly conditional: boolean;
  readonly reason: Reason;
  readonly source: Source | null;
  readonly via?: Source;
}

export type ChangeOf<K extends Kind> = PlainChange<K> & KindTypes[K]['change'];
export type DomainChange = ChangeOf<'domain'>;
export type AliasChange = ChangeOf<'alias'>;
export type RuleChange = ChangeOf<'rule'>;
export type CredentialChange = ChangeOf<'credential'>;
export type Change = { readonly [K in Kind]: ChangeOf<K> }[Kind];

export const GUARD_NAMES = [
  'max-deletes',
  'max-reroutes',
  'empty-section',
  'catch-all',
  'unrouted',
  'domain-delete',
  'manifest-shrink',
  'remote-shrink',
  'account-mismatch',
  'account-required',
  'account-locked',
  'plan-limit',
  'loop',
] as const;

export type GuardName = (typeof GUARD_NAMES)[number];

/** The part of a run that a guard holds back unless it is allowed. */
export type Hold =
  | { readonly kind: 'run' }
  | { readonly kind: 'run-deletes' }
  | { readonly kind: 'domain'; readonly domain: DomainName }
  | { readonly kind: 'domains'; readonly domains: readonly DomainName[] }
  | { readonly kind: 'domain-deletes'; readonly domain: DomainName }
  | { readonly kind: 'domains-deletes'; readonly domains: readonly DomainName[] };

export interface GuardFinding {
  readonly guard: GuardName;
  /** `run`, a domain, or `domain/section`. */
  readonly scope: string;
  readonly limit: number;
  readonly planned: number;
  /** One sentence for people: the finding, and why it is held back. */
  readonly message: string;
  /** The allowance that lifts the guard; null means that nothing does. */
  readonly allowance: Allowance | null;
  /** The allowance as a flag with its value. */
  readonly allow: string | null;
  readonly allowed: boolean;
  readonly holds: Hold;
  /** True if the guard refuses the plan (exit 4); false if it only withholds its part (`remote-shrink`). */
  readonly refuses: boolean;
}

export interface Withheld {
  readonly domain: DomainName;
  readonly reason: string;
  /**
   * The part that is withheld: the whole domain, its stage 2, or changes that wait for something withheld elsewhere.
   */
  readonly part: 'domain' | 'deletes' | 'changes';
  /**
   * The cause decides the exit code. `plan` and `apply` end with 1 after an unproven read or an ambiguous account. A
   * guard has its own finding, and `manifest` its own problem.
   */
  readonly cause: 'unproven' | 'guard' | 'tombstone' | 'manifest';
}

/** A warning or notice. */
export interface Warning {
  readonly code: FindingCode;
  readonly message: string;
  readonly hint?: string;
  readonly source: Source | null;
  /** The subject that `lint.off` matches; not part of a plan. */
  readonly subject?: FindingSubject;
}

/**
 * The change of a route. `new`: not delivered before, delivered after. `lost`: delivered before, refused or discarded
 * after. `reroute`: it ends elsewhere, or its end is unknown. `renamed`: one alias is replaced by another with the
 * same destinations.
 */
export type RouteKind = 'new' | 'lost' | 'reroute' | 'renamed';

/**
 * The entry that decides about mail in its first domain. A fallback has no name; a rule that only the account has is
 * named by its id.
 */
export interface Decider {
  readonly kind: 'alias' | 'rule' | 'fallback';
  readonly name: string | null;
}

/** The ends of a route before a plan and after it. */
export interface RouteEnds {
  readonly kind: RouteKind;
  /** Destinations after all hops: empty means refused; null means that they depend on `unknown`. */
  readonly from: readonly Destination[] | null;
  readonly to: readonly Destination[] | null;
  /** null means that nothing takes the mail. */
  readonly by: { readonly before: Decider | null; readonly after: Decider | null };
  /** Sections that were not read, as `DOMAIN/SECTION`. */
  readonly unknown: readonly string[];
  /**
   * Names of entries that may each take the mail, because it is unknown which of them the service asks first. `from`
   * and `to` are then only one possibility. Absent if they are certain, so that digests of earlier versions stay valid.
   */
  readonly undecided?: readonly string[];
}

/** Mail that ends elsewhere after a plan is applied. */
export interface PlannedRoute extends RouteEnds {
  readonly domain: DomainName;
  /** The address; null means every other address of the domain, or the mail that `rule` takes. */
  readonly address: string | null;
  /** The source of the address; `destination` means that only destinations name it. */
  readonly knownBy: 'name' | 'pattern' | 'destination';
  /** The rule and its condition, if only a condition describes the mail. */
  readonly rule: { readonly name: string; readonly match: RuleMatch } | null;
  /** The previous address of a `renamed` route. */
  readonly was: string | null;
  /** Addresses that the mail passes on its way to `to`. If it ends nowhere, those that it passed before. */
  readonly via: readonly string[];
  /**
   * The ends if rules route the mail, for an account that does not show the engine; the other fields assume aliases.
   */
  readonly otherwise: RouteEnds | null;
}

export interface PlanSummary {
  readonly add: number;
  readonly update: number;
  readonly move: number;
  readonly delete: number;
  readonly conditional: number;
  readonly unchanged: number;
  readonly unmanaged: number;
  /** Warnings of severity notice. */
  readonly notices: number;
  /** Number of findings that `lint.off` hid, including those of the manifest. */
  readonly silenced: number;
}

/**
 * The reason why a change waits for another one. `leads-there`: its mail will go there. `led-away`: mail that comes to
 * it now is led away there. `beside`: one alias would match the other's mail meanwhile.
 */
export type WaitReason = 'leads-there' | 'led-away' | 'beside';

/** By item: the changes that must be in place before it is changed; see `planWaits`. */
export type Waits = ReadonlyMap<string, ReadonlyMap<Change, WaitReason>>;

/** The ordered changes, with guards and warnings; plain data. Same inputs, same bytes. */
export interface Plan {
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3'; readonly account: string };
  readonly manifest: { readonly files: readonly string[]; readonly digest: string };
  readonly summary: PlanSummary;
  readonly limits: PlanLimits;
  /** Number of unchanged items per domain, for people. */
  readonly unchanged: ReadonlyMap<DomainName, number>;
  readonly changes: readonly Change[];
  readonly guards: readonly GuardFinding[];
  /** Flags of the allowances that the plan was made under; part of the digest. */
  readonly allowances: readonly string[];
  readonly withheld: readonly Withheld[];
  readonly warnings: readonly Warning[];
  /** Manifest errors that only a read of the account shows. The affected changes do not run. */
  readonly problems: readonly Problem[];
  /** Stage 2 changes that must wait, because a domain that a problem withholds still forwards there. */
  readonly neededElsewhere: ReadonlyMap<Change, Withheld>;
  readonly waits: Waits;
  /** Live rules taken over by content; the state directory remembers them. */
  readonly adoptions: readonly Adoption[];
}

/**
 * Live items and limits. `domains` counts those of the account; `aliases` and `rules` count those of the manifest's
 * domains. A limit of null means unknown or none.
 */
export type PlanLimits = Readonly<
  Record<'domains' | 'aliases' | 'rules', { readonly live: number; readonly limit: number | null }>
>;

export interface PlanUsage {
  readonly what: keyof PlanLimits;
  /** Items in use after the plan is applied. */
  readonly used: number;
  readonly limit: number;
}

export interface Adoption {
  readonly domain: DomainName;
  readonly name: string;
  readonly id: string;
}

/** The requests of `apply` after planning: writes, reads before stage 2, verification. */
export interface Forecast extends PhaseForecast {
  readonly writes: number;
  /** Requests per window of the tightest endpoint that is used; null means not known yet. */
  readonly limit: number | null;
  /** Length of that window in seconds, as far as the answers showed it; null means not known yet. */
  readonly windowSeconds: number | null;
  readonly endpoints: readonly EndpointForecast[];
  readonly phases: ForecastPhases;
  /** The whole run, with all phases. */
  readonly total: PhaseForecast;
}

/**
 * The parts of a run, one after another. Reading ends with the plan. Writing ends with the last write and includes the
 * reads before stage 2 and for verification. Verifying is the rest.
 */
export interface ForecastPhases {
  readonly reading: PhaseForecast;
  readonly writing: PhaseForecast;
  readonly verifying: PhaseForecast;
}

export interface PhaseForecast {
  readonly requests: number;
  readonly seconds: number;
}

export interface EndpointForecast {
  /** Method and route template, such as `PUT /domains/:domain/aliases/:id`. */
  readonly endpoint: string;
  readonly requests: number;
  readonly items: number;
}
