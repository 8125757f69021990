import type { DomainName } from '../../core/model/names.ts';
import type { Answer } from '../client.ts';

/** v4: States and transitions, log event statuses; the same set in v3. */
export type LogStatus = 'QUEUED' | 'REFUSED' | 'DELIVERED' | 'SOFT-BOUNCE' | 'HARD-BOUNCE' | 'BOUNCED';
export type LogTransport = 'mx' | 'smtp' | 'api';

export interface LogAddress {
  readonly email: string;
  readonly name: string | null;
}

/** v4: Email log entry. Statuses and transports are as the service writes them, known or not. */
export interface LogEntry {
  readonly id: string;
  /** Epoch milliseconds; null when the answer has none. */
  readonly createdAt: number | null;
  readonly sender: LogAddress | null;
  readonly recipient: LogAddress | null;
  readonly forward: LogAddress | null;
  readonly subject: string;
  readonly transport: string | null;
  readonly messageId: string | null;
  readonly hostname: string | null;
  /** In order of time. */
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

/** All that is stated must hold; times are epoch milliseconds. */
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
  /** Mail to one alias of the domain. */
  readonly alias?: string;
  readonly order?: 'newest' | 'oldest';
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

export interface LogSearch extends LogFilter {
  readonly text: string;
  readonly order?: 'relevance' | 'newest' | 'oldest';
  readonly limit?: number;
  /** `next` of the page before. */
  readonly offset?: number;
}

export interface LogPage<Next> {
  readonly entries: readonly LogEntry[];
  /** null: there is no more. */
  readonly next: Next | null;
  /** How many there are in all; null: not known. */
  readonly total: number | null;
}

/**
 * The email logs of a domain. What a generation cannot be asked is `rejected` with status null,
 * and nothing is sent.
 */
export interface LogsClient {
  listLogs(domain: DomainName, query?: LogQuery): Answer<LogPage<string>>;
  countLogs(domain: DomainName, filter?: LogFilter): Answer<number>;
  getLog(domain: DomainName, id: string): Answer<LogEntry>;
  searchLogs(domain: DomainName, search: LogSearch): Answer<LogPage<number>>;
}
