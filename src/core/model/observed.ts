import type { DomainName } from './names.ts';
import type { Section, SectionTypes, StateTypes } from './kinds.ts';

/**
 * The result of a complete, proven read of the live account. It keeps only the parts of each row that the planner
 * uses.
 */
export interface Observed {
  readonly account: Account;
  /** Every domain of the account, managed or not, in the order of the listing. */
  readonly domains: ReadonlyMap<DomainName, ObservedDomain>;
  /** True if only domains that were asked for by name are in `domains`; the account may have more. */
  readonly partial?: true;
  /** Domains whose reading failed or did not prove itself. Nothing may be planned for them. */
  readonly unproven: ReadonlyMap<DomainName, UnprovenRead>;
  /** Milliseconds by which the service's clock is ahead of ours; undefined means within the tolerance. */
  readonly skewMs?: number;
  /**
   * Aliases of other domains that the listing contains (v3). They are not part of `domains` until a plan takes routes
   * away.
   */
  readonly embedded?: ReadonlyMap<DomainName, SectionTypes['aliases']['rows']>;
  /**
   * Parent domains that `whitelabel` may name; undefined means that this generation does not list them, or that they
   * were not requested.
   */
  readonly whitelabels?: readonly string[];
}

export interface UnprovenRead {
  /** A text for people: endpoint, what went wrong, what to do. */
  readonly reason: string;
}

/** The answer of `GET /account` in either shape. A limit of null means unknown or unlimited, never "no room". */
export interface Account {
  readonly email: string;
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly overQuota: boolean;
  /** Days that email logs are kept; absent if the answer does not contain it. */
  readonly logRetentionDays?: number;
  readonly plan: {
    readonly name: string | null;
    readonly domainsLimit: number | null;
    readonly aliasesLimit: number | null;
    readonly rulesLimit: number | null;
  };
}

/** A live domain with its settings. A setting that this generation does not have is undefined. */
export interface ObservedDomain extends ObservedSections, DomainSettings {
  readonly domain: DomainName;
  /** Read only. null means that routing is disabled; undefined means that this generation does not show it. */
  readonly routingEngine?: 'alias' | 'rules' | null;
  readonly rulesFallbackEmail?: string | null;
  readonly forwardingReady?: boolean;
  readonly sendReady?: boolean;
  readonly banned?: boolean;
  readonly strictMxes?: boolean;
  readonly notifyWhenSpamBlocked?: boolean;
  /** Epoch milliseconds; null if the answer has none. */
  readonly createdAt: number | null;
  /** Time when the sections were read, in milliseconds of the monotonic clock; null means that they were not read. */
  readonly readAt: number | null;
}

type DomainSettings = StateTypes['domain'];

/**
 * The engine that routes a domain's mail. `none` means that routing is disabled; null means that the service does not
 * show it.
 */
export type LiveEngine = 'alias' | 'rules' | 'none' | null;

export function liveEngineOf(live: Pick<ObservedDomain, 'routingEngine'> | undefined): LiveEngine {
  if (live?.routingEngine === undefined) return null;
  return live.routingEngine ?? 'none';
}

/**
 * Sections that were read. undefined means that the section is not managed and not needed to find forwards to removed
 * items.
 */
export type ObservedSections = { readonly [S in Section]?: SectionTypes[S]['rows'] };

/** An unread section that decides where mail goes. */
export interface UnreadRouting {
  readonly domain: DomainName;
  readonly section: 'aliases' | 'rules';
}

/**
 * Returns the unread sections that route the account's domains. If the account does not show the engine (v3), aliases
 * decide.
 */
export function unreadRouting({ domains }: Pick<Observed, 'domains'>): readonly UnreadRouting[] {
  return [...domains.values()].flatMap((live) => {
    if (live.routingEngine === null) return [];
    const section = live.routingEngine === 'rules' ? 'rules' : 'aliases';
    return live[section] === undefined ? [{ domain: live.domain, section }] : [];
  });
}
