import type { Result } from '../../core/model/result.ts';

/** A DNS server: an IP address and a port. */
export interface DnsServer {
  readonly host: string;
  readonly port: number;
}

export type DnsType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

export interface DnsQuestion {
  readonly name: string;
  readonly type: DnsType;
}

/** A record. Names are in lower case, without a dot at the end; the root is `.`. */
export type ResourceRecord = { readonly name: string; readonly ttl: number } & (
  | { readonly type: 'A'; readonly value: string }
  | { readonly type: 'AAAA'; readonly value: string }
  | { readonly type: 'CNAME'; readonly value: string }
  | { readonly type: 'NS'; readonly value: string }
  | { readonly type: 'MX'; readonly preference: number; readonly exchange: string }
  | { readonly type: 'SOA'; readonly minimum: number }
  | { readonly type: 'TXT'; readonly text: string }
);

export type ResourceRecordOf<T extends DnsType> = Extract<ResourceRecord, { readonly type: T }>;

export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL` and so on. */
  readonly code: string;
  /** True if the server says that the zone is its own. */
  readonly isAuthoritative: boolean;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
}

export interface DnsFault {
  readonly message: string;
}

/** Asks servers. `recursive` wants the whole answer of a resolver, `direct` what a server itself has. */
export interface Dns {
  ask(
    server: DnsServer,
    question: DnsQuestion,
    mode: 'recursive' | 'direct',
  ): Promise<Result<DnsAnswer, DnsFault>>;
}

/** Returns the records of a type. */
export function recordsOf<T extends DnsType>(
  records: readonly ResourceRecord[],
  type: T,
): readonly ResourceRecordOf<T>[] {
  return records.filter((record): record is ResourceRecordOf<T> => record.type === type);
}
