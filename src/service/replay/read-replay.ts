import { errorText, type ApiError } from '../../client/errors.ts';
import type { LogAddress, LogEntry, LogsClient } from '../../client/logs/logs.ts';
import { concernsTheRun } from '../../client/observe.ts';
import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import type { LoggedMessage, Replay } from '../../core/plan/replay/replay.ts';
import { readLogPage } from '../delivery/log-pages.ts';

export interface ReplayReading {
  readonly client: Pick<LogsClient, 'listLogs' | 'countLogs'> & { readonly version: 'v4' | 'v3' };
  readonly replay: Replay;
  /** Domains in the order in which their logs are read. */
  readonly domains: readonly DomainName[];
  /** The time in which mail counts, in epoch milliseconds. */
  readonly since: number;
  readonly until: number;
  /** Told how many requests are still to come at least. */
  readonly onLeft: (requests: number) => void;
}

/** The result of reading the logs. */
export type ReplayRead =
  | {
      readonly kind: 'read';
      /** Domains whose logs were not read to the end, and why. */
      readonly unread: ReadonlyMap<DomainName, string>;
    }
  | { readonly kind: 'interrupted' };

/** Reads the email logs of domains, one after the other, and gives their mail to the replay. A failure ends only its domain. */
export async function readReplay(reading: ReplayReading): Promise<ReplayRead> {
  const unread = new Map<DomainName, string>();
  let ending: string | null = null;
  for (const [index, domain] of reading.domains.entries()) {
    const others = reading.domains.length - index - 1;
    const onLeft = (requests: number): void => reading.onLeft(requests + others);
    const failure: ApiError | string | null = ending ?? (await readDomain({ ...reading, onLeft }, domain));
    if (failure === null) continue;
    if (typeof failure === 'string') {
      unread.set(domain, failure);
      continue;
    }
    if (failure.kind === 'stopped') return { kind: 'interrupted' };
    const reason = errorText(failure);
    unread.set(domain, reason);
    if (concernsTheRun(failure) || isOverLimit(failure)) ending = reason;
  }
  return { kind: 'read', unread };
}

/** True if the client refused to send the request. */
function isOverLimit(failure: ApiError): boolean {
  return failure.kind === 'rejected' && failure.status === null;
}

/** Returns why the logs of a domain were not read to the end; null means that they were. */
async function readDomain(reading: ReplayReading, domain: DomainName): Promise<ApiError | string | null> {
  const seen = new Set<string>();
  let inTime = 0;
  let total: number | null = null;
  let cursor: string | null = null;
  do {
    const page = await readLogPage({ ...reading, domain, cursor });
    if (!page.ok) return page.error;
    const { entries, next } = page.value;
    const news = entries.filter(({ id }) => !seen.has(id));
    for (const entry of news) {
      seen.add(entry.id);
      if (isCounted(entry, reading)) reading.replay.add(domain, messageOf(entry));
    }
    inTime += news.filter((entry) => isInTime(entry, reading)).length;
    cursor = next;
    if (cursor === null) break;
    const count: Result<number, ApiError> = total === null ? await countAll(reading, domain) : succeed(total);
    if (!count.ok) return count.error;
    total = count.value;
    reading.onLeft(Math.ceil(Math.max(0, total - inTime) / Math.max(1, entries.length)));
  } while (cursor !== null);
  const missing = (total ?? 0) - inTime;
  // Pages may shift while they are read.
  return missing > 0 ? `${missing} of its entries were not on any page` : null;
}

/** True if an entry is of mail that came in that time, and was not sent by the domain itself. */
function isCounted({ transport, createdAt }: LogEntry, { until }: ReplayReading): boolean {
  return (transport === null || transport === 'mx') && (createdAt ?? 0) <= until;
}

function messageOf({ id, messageId, recipient, sender, subject, forward }: LogEntry): LoggedMessage {
  return {
    id: messageId ?? id,
    recipient: emailOf(recipient),
    sender: emailOf(sender),
    subject,
    forward: emailOf(forward),
  };
}

function emailOf(address: LogAddress | null): string | null {
  return address === null ? null : address.email;
}

/** Counts the entries of the time, by the service. */
function countAll(
  { client, since, until }: ReplayReading,
  domain: DomainName,
): ReturnType<LogsClient['countLogs']> {
  return client.countLogs(domain, { after: fullSecond(since + 999), before: fullSecond(until) });
}

/** The service compares whole seconds, and leaves out both ends; the ends are counted here, so that none is taken for missing. */
function isInTime({ createdAt }: LogEntry, { since, until }: ReplayReading): boolean {
  return createdAt === null || (createdAt >= fullSecond(since) && createdAt < fullSecond(until) + 1000);
}

function fullSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
