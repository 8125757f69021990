/** The nouns of the emulated account. Fields are named as in v4; times are epoch milliseconds: each version of the API writes
 * them its own way.
 */

export type Tier = 'free' | 'paid';
export type Generation = 'v3' | 'v4';

/** `limit` values of 0 or null mean unlimited (v4: AccountRecord, plan object). */
export interface AccountPlan {
  name: string;
  price: number;
  billing_cycle: string;
  domains_limit: number | null;
  aliases_limit: number | null;
  rules_limit: number | null;
  daily_receive_limit: number;
  daily_send_limit: number;
  monthly_receive_limit: number;
  monthly_send_limit: number;
}

/** The account record. Fields are named as in v4; the fields at the end exist only in v3. Times are epoch milliseconds. */
export interface AccountRecord {
  address: string;
  billing_email: string | null;
  cancels_at: number | null;
  company_vat: string | null;
  country: string;
  created_at: number;
  email: string;
  email_log_retention_days: number;
  lock_reason: string | null;
  locked: boolean | null;
  name: string;
  over_quota: boolean;
  plan: AccountPlan;
  privacy_level: number;
  renews_at: number;
  card_brand: string | null;
  company_details: string | null;
  company_name: string | null;
  last4: string | null;
  password: boolean;
}

export type RoutingEngine = 'alias' | 'rules' | null;

/** DNS records of a domain that a verification would find. */
export interface DnsState {
  mx: boolean;
  spf: boolean;
  dkim1: boolean;
  dkim2: boolean;
  dmarc: boolean;
}

/** Times that domains, aliases and rules have in common. */
interface Times {
  readonly created_at: number;
  updated_at: number;
}

/** Fields of a domain, named as in v4, plus `webhook` and `dns`. */
export interface DomainFields {
  forwarding_ready: boolean;
  send_ready: boolean;
  banned: boolean;
  notification_email: string | null;
  notify_when_spam_blocked: boolean;
  routing_engine: RoutingEngine;
  rules_fallback_email: string | null;
  strict_mxes: boolean;
  whitelabel: string | null;
  webhook: string | null;
  dns: DnsState;
}

export interface Alias extends Times {
  readonly id: number;
  readonly alias: string;
  forward: string;
}

export type RuleScope = 'sender' | 'recipient' | 'subject' | 'body';

export type RuleConfig =
  | { readonly type: 'alias'; readonly alias: string; readonly forward: string }
  | {
      readonly type: 'regex';
      readonly regex: string;
      readonly scopes: readonly RuleScope[];
      readonly forward: string;
    }
  | { readonly type: 'cel'; readonly expression: string; readonly forward: string };

export type RuleKind = RuleConfig['type'];

export interface Rule extends Times {
  readonly id: string;
  /** Order of creation within the account; decides between equal times and ranks. */
  readonly sequence: number;
  config: RuleConfig;
  rank: number;
  active: boolean;
}

export interface Credential {
  readonly username: string;
  readonly sequence: number;
  /** The password. The API never returns it; it is kept so that tests can see which password arrived. */
  password: string;
  usage: number;
  readonly created_at: number;
}

/** DNS as the emulator sees it: name in lower case -> type -> values, written as in a zone file but without quotes. */
export type World = Readonly<Record<string, Readonly<Partial<Record<DnsRecordType, readonly string[]>>>>>;
export type DnsRecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'PTR' | 'TXT';

/** Keys that sign mail. null means that the key does not exist yet. */
export interface MailKeys {
  /** Key of the hash in rewritten envelope senders. */
  srs_key: string | null;
  /** RSA key for DKIM and ARC, as PEM. */
  dkim_key: string | null;
}

export type MailStatus = 'QUEUED' | 'REFUSED' | 'DELIVERED' | 'SOFT-BOUNCE' | 'HARD-BOUNCE' | 'BOUNCED';
export type MailTransport = 'mx' | 'smtp' | 'api';

export interface Mailbox {
  readonly email: string;
  readonly name: string | null;
}

export interface MailEvent {
  /** Id given by a seed. Without one, the id is the message id, a hyphen and the event's position (v4: Email log entry). */
  readonly id?: string | undefined;
  readonly status: MailStatus;
  readonly code: number;
  readonly message: string;
  readonly local: string;
  /**
   * The server's name. null means the mail host of the destination, so that entries with the same course can share their
   * events.
   */
  readonly server: string | null;
  /** Milliseconds since the entry was received. */
  readonly after: number;
}

export interface MailLog {
  readonly id: string;
  /** Order of arrival within the account; decides between equal times. */
  readonly sequence: number;
  readonly created_at: number;
  events: readonly MailEvent[];
  readonly forward: Mailbox | null;
  readonly hostname: string;
  readonly message_id: string;
  readonly recipient: Mailbox;
  readonly sender: Mailbox;
  readonly subject: string;
  readonly transport: MailTransport;
  /** The alias that the entry belongs to, in lower case. */
  readonly alias: string;
}
