import type { DomainName } from '../../core/model/names.ts';
import type { Answer } from '../client.ts';

/** Statuses of log events (v4: States and transitions, log event statuses). v3 has the same set. */
export type LogStatus = 'QUEUED' | 'REFUSED' | 'DELIVERED' | 'SOFT-BOUNCE' | 'HARD-BOUNCE' | 'BOUNCED';
export type LogTransport = 'mx' | 'smtp' | 'api';

export interface LogAddress {
  readonly email: string;
  readonly name: string | null;
}

/**
 * A log entry (v4: Email log entry). Statuses and transports are kept as the service writes them, even if they are unknown.
 */
export interface LogEntry {
  readonly id: string;
  /** Epoch milliseconds; null if the answer has no time. */
  readonly createdAt: number | null;
  readonly sender: LogAddress | null;
  readonly recipient: LogAddress | null;
  readonly forward: LogAddress | null;
  /** Null means that the answer has none. */
  readonly subject: string | null;
  readonly transport: string | null;
  readonly messageId: string | null;
  readonly hostname: string | null;
  /** Events in order of time. */
  readonly events: readonly LogEvent[];
}

export interface LogEvent {
  readonly status: string;
  readonly createdAt: number | null;
  /** SMTP reply code. */
  readonly code: number | null;
  readonly message: string | null;
  readonly local: string | null;
  readonly server: string | null;
}

/** A filter. All fields that are stated must match. Times are epoch milliseconds. */
export interface LogFilter {
  readonly sender?: string;
  readonly recipient?: string;
  readonly forward?: string;
  readonly statuses?: readonly LogStatus[];
  readonly transport?: LogTransport;
  readonly after?: number;
  readonly before?: number;
}

export interface LogQuery extends LogFilter {
  /** Only mail to this alias of the domain. */
  readonly alias?: string;
  readonly order?: 'newest' | 'oldest';
  readonly limit?: number;
  /** Selects only mail to this alias of the domain. */
  readonly cursor?: string;
}

export interface LogSearch extends LogFilter {
  readonly text: string;
  readonly order?: 'relevance' | 'newest' | 'oldest';
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly offset?: number;
}

export interface LogPage<Next> {
  readonly entries: readonly LogEntry[];
  /** The cursor of the next page. null means that this is the last page. */
  readonly next: Next | null;
  /** Total number of entries. null means unknown. */
  readonly total: number | null;
}

/**
 * The email logs of a domain. A query that the API version cannot answer is `rejected` with status null, and nothing is
 * sent.
 */
export interface LogsClient {
  listLogs(domain: DomainName, query?: LogQuery): Answer<LogPage<string>>;
  countLogs(domain: DomainName, filter?: LogFilter): Answer<number>;
  getLog(domain: DomainName, id: string): Answer<LogEntry>;
  searchLogs(domain: DomainName, search: LogSearch): Answer<LogPage<number>>;
}
