import type { Allowance } from './desired.ts';
import type { FindingCode, FindingSubject } from './lint/findings.ts';
import type { DomainName } from './names.ts';
import type { Problem, Source } from './manifest/problem.ts';
import type { Kind, KindTypes, StateTypes } from './kinds.ts';
import type { Destination } from './destinations.ts';
import type { RuleMatch } from './resources.ts';

/** What the change is for; `drift` only where the desired state of the item is known to have been applied before. */
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
  /** Whole states; null where the item does not exist, or should not. */
  readonly observed: StateTypes[K] | null;
  readonly desired: StateTypes[K] | null;
  /** Which fields an update changes, in a fixed order. */
  readonly fields: readonly string[];
  /** The stage in which the change is complete; a rule that moves in 1 and narrows in 2 has 2. */
  readonly stage: 1 | 2;
  /** Depends on what the service does on the way: the `*` of a new domain. */
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

export type GuardName =
  | 'max-deletes'
  | 'max-reroutes'
  | 'empty-section'
  | 'catch-all'
  | 'unrouted'
  | 'domain-delete'
  | 'manifest-shrink'
  | 'remote-shrink'
  | 'account-mismatch'
  | 'account-required'
  | 'account-locked'
  | 'plan-limit'
  | 'loop';

/** What a guard that is not allowed keeps from running. */
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
  /** One sentence for people: what was found and why it is held back. */
  readonly message: string;
  /** What allows it; null: nothing does. */
  readonly allowance: Allowance | null;
  /** The same as the flag, with its value. */
  readonly allow: string | null;
  readonly allowed: boolean;
  readonly holds: Hold;
  /** Whether it refuses the plan (exit 4), or only ever withholds its part (`remote-shrink`). */
  readonly refuses: boolean;
}

export interface Withheld {
  readonly domain: DomainName;
  readonly reason: string;
  /** What is kept from running: the whole domain, its stage 2, or changes that wait for what is withheld elsewhere. */
  readonly part: 'domain' | 'deletes' | 'changes';
  /**
   * An unproven read or an ambiguous account makes `plan` and `apply` end with 1; a guard has its own finding, and
   * `manifest` its own problem.
   */
  readonly cause: 'unproven' | 'guard' | 'tombstone' | 'manifest';
}

/** A warning or notice. */
export interface Warning {
  readonly code: FindingCode;
  readonly message: string;
  readonly hint?: string;
  readonly source: Source | null;
  /** What it is about, for `lint.off`; not part of a plan. */
  readonly subject?: FindingSubject;
}

/**
 * `new`: not delivered before and delivered after; `lost`: the reverse, a discard included; `reroute`: it ends elsewhere, or
 * where is not known; `renamed`: an alias goes and another comes with the same destinations.
 */
export type RouteKind = 'new' | 'lost' | 'reroute' | 'renamed';

/** What decides about mail in its first domain; a fallback has no name, and a rule that only the account has its id. */
export interface Decider {
  readonly kind: 'alias' | 'rule' | 'fallback';
  readonly name: string | null;
}

/** Where mail ends before a plan and after it. */
export interface RouteEnds {
  readonly kind: RouteKind;
  /** Where it ends after all hops: none is refused; null: it depends on `unknown`. */
  readonly from: readonly Destination[] | null;
  readonly to: readonly Destination[] | null;
  /** null: nothing takes it. */
  readonly by: { readonly before: Decider | null; readonly after: Decider | null };
  /** Sections that were not read, as `DOMAIN/SECTION`. */
  readonly unknown: readonly string[];
  /**
   * Names of entries of which any may take the mail, for it is not known which of them the service asks first: `from` and `to`
   * may come about, and so may others. None: they are known.
   */
  readonly undecided: readonly string[];
}

/** Mail that ends elsewhere once a plan is applied. */
export interface PlannedRoute extends RouteEnds {
  readonly domain: DomainName;
  /** Null: every other address of the domain, or the mail that `rule` takes. */
  readonly address: string | null;
  /** `destination`: only destinations name it. */
  readonly knownBy: 'name' | 'pattern' | 'destination';
  /** For mail that only a condition describes: the rule, and what it matches. */
  readonly rule: { readonly name: string; readonly match: RuleMatch } | null;
  /** Of `renamed`: the address before. */
  readonly was: string | null;
  /** The addresses that the mail passes on its way to `to`; where it ends nowhere, those that it passed before. */
  readonly via: readonly string[];
  /** What is so by rules, where the account does not tell the engine and the rest is so by aliases. */
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
  /** How many findings `lint.off` hid, those of the manifest included. */
  readonly silenced: number;
}

/**
 * Why a change waits for another one. `leads-there`: its mail comes there afterwards; `led-away`: mail that comes to it now is led
 * away there; `beside`: the one alias would match mail of the other one meanwhile.
 */
export type WaitReason = 'leads-there' | 'led-away' | 'beside';

/** By item: the changes that have to be in place before it is changed; see `planWaits`. */
export type Waits = ReadonlyMap<string, ReadonlyMap<Change, WaitReason>>;

/** The ordered changes, with guards and warnings; plain data. Same inputs, same bytes. */
export interface Plan {
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3'; readonly account: string };
  readonly manifest: { readonly files: readonly string[]; readonly digest: string };
  readonly summary: PlanSummary;
  readonly limits: PlanLimits;
  /** Per domain, for people: unchanged items. */
  readonly unchanged: ReadonlyMap<DomainName, number>;
  readonly changes: readonly Change[];
  readonly guards: readonly GuardFinding[];
  /** The allowances under which it was made, as flags; part of the digest. */
  readonly allowances: readonly string[];
  readonly withheld: readonly Withheld[];
  readonly warnings: readonly Warning[];
  /** Errors of the manifest that only a read of the account shows; what they concern does not run. */
  readonly problems: readonly Problem[];
  /** Changes of stage 2 that have to wait, because a domain that a problem withholds still forwards there. */
  readonly neededElsewhere: ReadonlyMap<Change, Withheld>;
  readonly waits: Waits;
  /** Live rules taken over by content: to be remembered by the state directory. */
  readonly adoptions: readonly Adoption[];
}

/** Of domains those of the account, of aliases and rules those of the manifest's domains; limit null: unknown or none. */
export type PlanLimits = Readonly<
  Record<'domains' | 'aliases' | 'rules', { readonly live: number; readonly limit: number | null }>
>;

export interface PlanUsage {
  readonly what: keyof PlanLimits;
  /** After the plan is applied. */
  readonly used: number;
  readonly limit: number;
}

export interface Adoption {
  readonly domain: DomainName;
  readonly name: string;
  readonly id: string;
}

/** What `apply` will send once the plan is made: writes, reads before stage 2, verification. */
export interface Forecast extends PhaseForecast {
  readonly writes: number;
  /** Requests per window of the tightest endpoint that is used; null: not known yet. */
  readonly limit: number | null;
  /** Length of that window, as far as the answers showed it; null: not known yet. */
  readonly windowSeconds: number | null;
  readonly endpoints: readonly EndpointForecast[];
  readonly phases: ForecastPhases;
  /** Of all phases: the whole run. */
  readonly total: PhaseForecast;
}

/**
 * The parts of a run, one after another. Reading ends with the plan, writing with the last write: it includes what is read
 * meanwhile, before stage 2 and to verify. Verifying is what remains.
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
