import type { DomainName } from '../model/names.ts';
import type { LiveEngine } from '../model/observed.ts';
import type { Result } from '../model/result.ts';

/** Something that was read, or the reason why it could not be. All texts are safe to show. */
export type Read<T> = Result<T, string>;

/** All that one look at the world shows about a domain that is to move. */
export interface MoveObservation {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly domain: DomainName;
  /** Seconds of `--former-ttl`; null means that it is not given. */
  readonly formerTtl: number | null;
  readonly inventory: Inventory;
  readonly account: Read<AccountFacts>;
  readonly rehearsal: Read<Rehearsal>;
  readonly check: Read<ServiceCheck>;
  readonly zone: Read<ZoneFacts>;
  readonly policy: Read<PolicyFacts>;
  readonly spf: Read<SpfFacts>;
  /** null before the switch. */
  readonly mail: Read<MailFacts> | null;
}

/** True if the account certainly does not have the domain, so that the service cannot check it. */
export function isAbsent({ account }: Pick<MoveObservation, 'account'>): boolean {
  return account.ok && !account.value.isPresent;
}

/** The forwards of the old system compared with the manifest. */
export interface Inventory {
  /** Number of addresses and patterns that were compared; null means that no file was given. */
  readonly compared: number | null;
  /** Addresses that the manifest routes elsewhere, in lower case, and a line about each. */
  readonly differences: readonly string[];
  readonly notices: readonly string[];
  /** Addresses that must keep their mail, in lower case. Patterns are not among them. */
  readonly addresses: readonly string[];
}

export interface AccountFacts {
  /** Number of changes in the domain's plan. */
  readonly changes: number;
  /** Reasons why changes are refused or cannot be planned. */
  readonly held: readonly string[];
  /** False if the account does not have the domain. */
  readonly isPresent: boolean;
  readonly engine: LiveEngine;
  /** The sections that the manifest writes for the domain. */
  readonly wants: { readonly aliases: boolean; readonly rules: boolean; readonly credentials: boolean };
  readonly isBanned: boolean;
  /** Why the account is locked; null means that it is not. */
  readonly lockReason: string | null;
  readonly isOverQuota: boolean;
  /** Destinations of a live `*` that the manifest does not name; null means that there is none. */
  readonly liveCatchAll: string | null;
  /** null means that the service does not show it. */
  readonly strictMxes: boolean | null;
}

export interface Rehearsal {
  readonly sent: number;
  /** A line about each mail that did not arrive as expected. */
  readonly failures: readonly string[];
  /** Number of addresses that were not tried. */
  readonly left: number;
}

export interface MxRecord {
  readonly preference: number;
  /** Host in lower case, without a dot at the end; `.` alone accepts no mail. */
  readonly exchange: string;
}

/** The result of the service's own check. */
export interface ServiceCheck {
  /** The MX records that the service wants. */
  readonly mx: readonly MxRecord[];
  readonly isMxValid: boolean;
  /** The service's words about MX. */
  readonly error: string | null;
  /** True if the service forwards the domain's mail; null means that it does not say. */
  readonly isForwarding: boolean | null;
  /** The records for sending that are missing or wrong, as lines of a zone file. */
  readonly missing: readonly string[];
  /** Terms of the SPF record that the service wants. */
  readonly spfTerms: readonly string[];
}

export interface ZoneFacts {
  readonly zone: string;
  readonly servers: readonly ServerFacts[];
  /** MX records of `*.DOMAIN`. */
  readonly wildcard: readonly MxRecord[];
  /** True if the domain's MX records may be those of the wildcard above it, which end with the domain's first record. */
  readonly isInherited: boolean;
}

/** One address of a server of the zone. */
export interface ServerFacts {
  /** Name and address, for people. */
  readonly name: string;
  readonly answer: ServerAnswer;
}

export type ServerAnswer =
  | { readonly kind: 'mx'; readonly records: readonly MxRecord[]; readonly ttl: number }
  /** No MX record. `ttl`: how long resolvers keep that in mind; null means that the answer does not say. */
  | { readonly kind: 'none'; readonly ttl: number | null; readonly isMissingName: boolean }
  | { readonly kind: 'cname'; readonly target: string }
  /** `silent`: no answer. `lame`: an answer that is not one of a server of the zone. */
  | { readonly kind: 'silent' | 'lame'; readonly reason: string };

export interface PolicyFacts {
  /** Ids of the `_mta-sts` records. Senders follow a policy only if there is exactly one. */
  readonly ids: readonly string[];
  /** The policy file; null means that it was not asked for. */
  readonly file: Read<StsPolicy> | null;
}

export interface StsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none';
  readonly mx: readonly string[];
  /** Seconds. */
  readonly maxAge: number;
}

export interface SpfFacts {
  /** SPF records of the domain. */
  readonly records: readonly string[];
  /** Number of look-ups that the record takes; null means that there is not one record. 11 means more than ten. */
  readonly lookups: number | null;
}

/** The messages to the domain since the switch. */
export interface MailFacts {
  readonly messages: number;
  readonly isComplete: boolean;
  readonly recipients: readonly RecipientFacts[];
}

export interface RecipientFacts {
  /** In lower case. */
  readonly address: string;
  /** The address as it may be shown. */
  readonly shown: string;
  readonly arrived: number;
  readonly refused: number;
  readonly bounced: number;
  /** Code and text of the last refusal or bounce. */
  readonly error: string | null;
  /** True if the account has no route for it. */
  readonly isUnrouted: boolean;
}
