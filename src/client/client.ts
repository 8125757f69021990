import type { Budget } from '../core/rate-limit/budget.ts';
import type { Demands } from '../core/rate-limit/demand.ts';
import type { ApiVersion } from '../core/model/endpoints.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Account, ObservedDomain } from '../core/model/observed.ts';
import type { RequestTotals } from '../core/model/report.ts';
import type { DomainState } from '../core/kinds/domain/fields.ts';
import type { Result } from '../core/model/result.ts';
import type { ApiError, FieldErrors } from './errors.ts';
import type { Objection, Urgency } from './http/pacing.ts';
import type { KindTypes, SectionKind } from '../core/model/kinds.ts';
import type { RowName } from '../core/kinds/items.ts';
import type { SentItem } from '../core/kinds/wire.ts';

export type Answer<T> = Promise<Result<T, ApiError>>;

/** The outcome of each item of a batch, in the order sent (v4: Batch operations). */
export type BatchAnswer<T> = Answer<readonly Result<T, ItemFailure>[]>;

/** v4: Batch failure entry, without its index. */
export interface ItemFailure {
  readonly message: string;
  readonly errors: FieldErrors;
}

/** A domain right before its settings were written, and as the answer shows it. */
export interface DomainUpdate {
  readonly before: ObservedDomain;
  readonly after: ObservedDomain;
}

/** v4: Domain verification result; the same in v3. */
export interface Verification {
  readonly valid: boolean;
  /** Why MX is not right; null when it is. */
  readonly error: string | null;
  readonly provider: string | null;
  readonly records: Readonly<Record<RecordName, RecordCheck>>;
}

export const RECORD_NAMES = ['mx', 'spf', 'dkim1', 'dkim2', 'dmarc'] as const;
export type RecordName = (typeof RECORD_NAMES)[number];

export interface RecordCheck {
  readonly expected: readonly string[];
  readonly values: readonly string[];
  readonly valid: boolean;
}

/**
 * One account through either generation of the API. Every listing is complete and proven
 * (all pages, unique ids, their number equal to the total) or an `unproven` error; every batch answer is
 * checked against what was sent or an `unknown-outcome` error. Reads are retried inside; a write is sent again only
 * when it certainly was not processed (429, connection refused).
 * A read-only client throws on any operation that is not a GET: that is a bug of the caller.
 */
export interface Client {
  readonly version: ApiVersion;
  /** Base URL, such as `https://api.improvmx.com/v4`. */
  readonly url: string;
  /** See `hmacWith`; the key is the API key. */
  readonly hmac: (text: string) => string;
  /** Requests so far; grows. */
  totals(): RequestTotals;
  /** What was asked for so far by endpoint, sent or not. */
  demands(): Demands;
  /** Nothing is in flight, and nothing can be sent until then, monotonic milliseconds; null: something is, or may be sent. */
  waitsUntil(): number | null;
  /** Requests that were sent and have no answer yet. */
  inFlight(): number;
  /** What is known of each endpoint's budget, by its name. */
  budgets(): ReadonlyMap<string, Budget>;
  /** For the next client of the account: with that of the whole account, if it has shown itself. */
  knownBudgets(): ReadonlyMap<string, Budget>;
  /** How long a request takes from sending to the end of its answer, on average so far, milliseconds; null: not known. */
  latencyMs(): number | null;
  /** How far the service's clock is ahead of ours by its last answer, milliseconds; null: under five minutes, or not known. */
  skewMs(): number | null;
  /**
   * Whether a write of unknown outcome may be sent again after this attempt, which counts from 1: the repetitions of the client
   * count as well. Waits out the pause before it.
   */
  mayRetry(attempt: number): Promise<boolean>;
  /** The same client for requests that are less, or more, urgent: it shares budgets, totals and connections. */
  withUrgency(urgency: Urgency): Client;
  /** The same client whose writes are sent only where nothing speaks against it: asked right before each is sent. */
  withObjection(objection: Objection): Client;
  /** Ends idle connections. */
  close(): Promise<void>;

  getAccount(): Answer<Account>;
  /** The parent domains that may be shown in DNS settings (v3: Account); null: this generation does not tell. */
  readonly listWhitelabels: (() => Answer<readonly string[]>) | null;

  listDomains(filter?: { readonly query: string }): Answer<readonly ObservedDomain[]>;
  /**
   * The same list, each domain with the aliases that its row embeds (v3: Domains); undefined where these may not be all: v4 embeds
   * none.
   */
  listDomainsWithAliases(): Answer<readonly ObservedDomain[]>;
  getDomain(domain: DomainName): Answer<ObservedDomain>;
  addDomain(domain: DomainName, state: DomainState): Answer<ObservedDomain>;
  /**
   * Sends all settings of a domain: those that `state` leaves out as `GET /domains/:domain` shows them right before each
   * sending. Where that read fails nothing is sent, and the error is `unproven` if nobody knows why.
   */
  updateDomain(domain: DomainName, state: DomainState): Answer<DomainUpdate>;
  deleteDomain(domain: DomainName): Answer<void>;
  /** Asks the service to check a domain's DNS. Records that are not right are an answer, not an error. */
  verifyDomain(domain: DomainName): Answer<Verification>;

  /** The requests about the items of a kind. */
  items<K extends SectionKind>(kind: K): ItemClient<K>;
}

/** An item as the service shows it. */
export type LiveItemRow<K extends SectionKind = SectionKind> = KindTypes[K]['observed'] & RowName;

/** The requests about the items of one kind. A request that the API does not have is a bug of the caller. */
export interface ItemClient<K extends SectionKind = SectionKind> {
  list(domain: DomainName): Answer<readonly LiveItemRow<K>[]>;
  /** By its id, or by its name where it has none. */
  get(domain: DomainName, key: string): Answer<LiveItemRow<K>>;
  /** `note`: what a person should know of it. */
  add(domain: DomainName, item: SentItem<K>): Answer<LiveItemRow<K> & { readonly note?: string }>;
  update(domain: DomainName, item: SentItem<K>): Answer<LiveItemRow<K>>;
  delete(domain: DomainName, key: string): Answer<void>;
  addAll(domain: DomainName, items: readonly SentItem<K>[]): BatchAnswer<LiveItemRow<K>>;
  updateAll(domain: DomainName, items: readonly SentItem<K>[]): BatchAnswer<LiveItemRow<K>>;
  deleteAll(domain: DomainName, ids: readonly string[]): BatchAnswer<void>;
}
