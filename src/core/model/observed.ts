import type { DomainName } from './names.ts';
import type { Section, SectionTypes, StateTypes } from './kinds.ts';

/** What a complete, proven read of the live account found. Of each row it keeps what the planner uses. */
export interface Observed {
  readonly account: Account;
  /** Every domain of the account, managed or not, in the order of the listing. */
  readonly domains: ReadonlyMap<DomainName, ObservedDomain>;
  /** Where domains were asked for by name, `domains` has only those: the account may have more. */
  readonly partial?: true;
  /** Domains whose reading failed or did not prove itself: nothing may be planned there. */
  readonly unproven: ReadonlyMap<DomainName, UnprovenRead>;
  /** How far the service's clock is ahead of ours, milliseconds; undefined: no more than clocks may differ. */
  readonly skewMs?: number;
  /** Aliases of other domains that the list shows (v3): read, and no part of `domains` until a plan takes routes away. */
  readonly embedded?: ReadonlyMap<DomainName, SectionTypes['aliases']['rows']>;
  /** Parent domains that `whitelabel` may name; undefined: this generation does not tell, or they were not asked for. */
  readonly whitelabels?: readonly string[];
}

export interface UnprovenRead {
  /** For people: endpoint, what went wrong, what to do. */
  readonly reason: string;
}

/** `GET /account` in either shape. A limit of null is unknown or unlimited, never "no room". */
export interface Account {
  readonly email: string;
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly overQuota: boolean;
  /** How long email logs are kept; absent where the answer does not tell. */
  readonly logRetentionDays?: number;
  readonly plan: {
    readonly name: string | null;
    readonly domainsLimit: number | null;
    readonly aliasesLimit: number | null;
    readonly rulesLimit: number | null;
  };
}

/** With its settings; one that this generation does not have is undefined. */
export interface ObservedDomain extends ObservedSections, DomainSettings {
  readonly domain: DomainName;
  /** Read only. null: routing is disabled; undefined: this generation does not tell. */
  readonly routingEngine?: 'alias' | 'rules' | null;
  readonly rulesFallbackEmail?: string | null;
  readonly forwardingReady?: boolean;
  readonly sendReady?: boolean;
  readonly banned?: boolean;
  readonly strictMxes?: boolean;
  readonly notifyWhenSpamBlocked?: boolean;
  /** Epoch milliseconds; null when the answer has none. */
  readonly createdAt: number | null;
  /** When its sections were read, milliseconds of the monotonic clock, which never steps back; null: they were not. */
  readonly readAt: number | null;
}

type DomainSettings = StateTypes['domain'];

/** The engine that routes a domain's mail. `none`: routing is disabled; null: the service does not tell. */
export type LiveEngine = 'alias' | 'rules' | 'none' | null;

export function liveEngineOf(live: Pick<ObservedDomain, 'routingEngine'> | undefined): LiveEngine {
  if (live?.routingEngine === undefined) return null;
  return live.routingEngine ?? 'none';
}

/** Sections that were read; undefined: not managed, and not needed to see what forwards to what a plan takes away. */
export type ObservedSections = { readonly [S in Section]?: SectionTypes[S]['rows'] };

/** A section that decides where mail goes and was not read. */
export interface UnreadRouting {
  readonly domain: DomainName;
  readonly section: 'aliases' | 'rules';
}

/** Returns what was not read of the routing of the account's domains. Where the account does not tell the engine (v3), aliases decide. */
export function unreadRouting({ domains }: Pick<Observed, 'domains'>): readonly UnreadRouting[] {
  return [...domains.values()].flatMap((live) => {
    if (live.routingEngine === null) return [];
    const section = live.routingEngine === 'rules' ? 'rules' : 'aliases';
    return live[section] === undefined ? [{ domain: live.domain, section }] : [];
  });
}
