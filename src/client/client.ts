import type { RecordChecks } from '../core/dns/checks.ts';
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
import type { Note, SentItem } from '../core/kinds/wire.ts';

export type Answer<T> = Promise<Result<T, ApiError>>;

/** The outcome of each item of a batch, in the order sent (v4: Batch operations). */
export type BatchAnswer<T> = Answer<readonly Result<T, ItemFailure>[]>;

/** An entry in a batch's list of failures, without its index (v4: Batch failure entry). */
export interface ItemFailure {
  readonly message: string;
  readonly errors: FieldErrors;
}

/** A domain right before its settings were written, and as shown in the answer. */
export interface DomainUpdate {
  readonly before: ObservedDomain;
  readonly after: ObservedDomain;
}

/** The result of a DNS check (v4: Domain verification result). v3 has the same. */
export interface Verification {
  readonly valid: boolean;
  /** Reason why MX is wrong; null if it is right. */
  readonly error: string | null;
  readonly provider: string | null;
  readonly records: RecordChecks;
}

/**
 * A client for one account, over either version of the API. A listing is complete and proven (all pages, unique ids, and as
 * many as the total), or it is an `unproven` error. A batch answer that contradicts what was sent is an `unknown-outcome`
 * error. The client retries reads. It sends a write again only if the first one was certainly not processed (429, connection
 * refused). A read-only client throws on any operation other than GET, because that is a bug of the caller.
 */
export interface Client {
  readonly version: ApiVersion;
  /** Base URL, such as `https://api.improvmx.com/v4`. */
  readonly url: string;
  /** Returns the HMAC of a text with the API key; see `hmacWith`. */
  readonly hmac: (text: string) => string;
  /** Returns the counts of all requests so far. */
  totals(): RequestTotals;
  /** Returns the requests asked for so far by endpoint, sent or not. */
  demands(): Demands;
  /**
   * Returns the time, in monotonic milliseconds, until which nothing can be sent. null means that a request is in flight or
   * may be sent.
   */
  waitsUntil(): number | null;
  /** Returns the number of requests in flight. */
  inFlight(): number;
  /** Returns the known budget of each endpoint, by its name. */
  budgets(): ReadonlyMap<string, Budget>;
  /** Returns the budgets for the account's next client, including the whole account's if it is known. */
  knownBudgets(): ReadonlyMap<string, Budget>;
  /** Returns the average milliseconds from sending a request to the end of its answer. null means unknown. */
  latencyMs(): number | null;
  /**
   * Returns how many milliseconds the service's clock is ahead of ours, by its last answer. null means less than five
   * minutes, or unknown.
   */
  skewMs(): number | null;
  /**
   * Returns true if a write of unknown outcome may be sent again after this attempt, counted from 1. The client's own
   * retries count as well. It waits out the pause before the retry.
   */
  mayRetry(attempt: number): Promise<boolean>;
  /** Returns a client for requests of another urgency. It shares budgets, totals and connections. */
  withUrgency(urgency: Urgency): Client;
  /** Returns a client that asks `objection` right before each write, and sends the write only if there is none. */
  withObjection(objection: Objection): Client;
  /** Closes idle connections. */
  close(): Promise<void>;

  getAccount(): Answer<Account>;
  /** Lists the parent domains that DNS settings may show (v3: Account). null means that this version has no such list. */
  readonly listWhitelabels: (() => Answer<readonly string[]>) | null;

  listDomains(filter?: { readonly query: string }): Answer<readonly ObservedDomain[]>;
  /**
   * Lists domains like `listDomains`, each with the aliases embedded in its row (v3: Domains). The aliases are undefined if
   * they may be incomplete; v4 embeds none.
   */
  listDomainsWithAliases(): Answer<readonly ObservedDomain[]>;
  getDomain(domain: DomainName): Answer<ObservedDomain>;
  addDomain(domain: DomainName, state: DomainState): Answer<ObservedDomain>;
  /**
   * Sends all settings of a domain. Right before each sending it reads `GET /domains/:domain` for the settings that `state`
   * leaves out. If that read fails, nothing is sent; the error is `unproven` if the read's outcome is unknown.
   */
  updateDomain(domain: DomainName, state: DomainState): Answer<DomainUpdate>;
  deleteDomain(domain: DomainName): Answer<void>;
  /** Asks the service to check a domain's DNS. Wrong records are an answer, not an error. */
  verifyDomain(domain: DomainName): Answer<Verification>;

  /** The requests about the items of a kind. */
  items<K extends SectionKind>(kind: K): ItemClient<K>;
}

/** An item as the service shows it. */
export type LiveItemRow<K extends SectionKind = SectionKind> = KindTypes[K]['observed'] & RowName;

/** The requests about the items of one kind. A request that the API does not have is a bug of the caller. */
export interface ItemClient<K extends SectionKind = SectionKind> {
  list(domain: DomainName): Answer<readonly LiveItemRow<K>[]>;
  /** Reads an item by its id, or by its name if it has no id. */
  get(domain: DomainName, key: string): Answer<LiveItemRow<K>>;
  /** Adds an item. `note` is a fact about it for the user. */
  add(domain: DomainName, item: SentItem<K>): Answer<LiveItemRow<K> & { readonly note?: Note }>;
  update(domain: DomainName, item: SentItem<K>): Answer<LiveItemRow<K>>;
  delete(domain: DomainName, key: string): Answer<void>;
  addAll(domain: DomainName, items: readonly SentItem<K>[]): BatchAnswer<LiveItemRow<K>>;
  updateAll(domain: DomainName, items: readonly SentItem<K>[]): BatchAnswer<LiveItemRow<K>>;
  deleteAll(domain: DomainName, ids: readonly string[]): BatchAnswer<void>;
}
