import type { ApiError } from '../../client/errors.ts';
import type { LogEntry, LogsClient } from '../../client/logs/logs.ts';
import { LARGEST_LOG_PAGE, listAllLogs, searchAllLogs, type LogReading } from '../../client/logs/pages.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Destination } from '../../core/model/destinations.ts';
import { succeed } from '../../core/model/result.ts';
import { courseOf, isForwarded, type Course } from '../delivery/fates.ts';

/** One message at one of its destinations, as the logs show it. Texts are as in the logs. */
export interface SeenMessage {
  /** Epoch milliseconds; null means that the log has no time. */
  readonly at: number | null;
  /** Tells messages apart: of one that went to several destinations there are several entries. */
  readonly message: string;
  readonly sender: string | null;
  readonly subject: string;
  readonly course: Course;
  readonly destination: Destination | null;
}

export interface MessagesQuery {
  readonly client: LogsClient & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  readonly address: string;
  /** The time from which messages count, and now; epoch milliseconds. */
  readonly since: number;
  readonly until: number;
}

export interface SeenMessages {
  /** The messages, the newest first. */
  readonly messages: readonly SeenMessage[];
  /** Error that stopped the reading; null if everything was read. */
  readonly failure: ApiError | null;
  /** Number of requests for the rest, as far as known. */
  readonly requestsLeft: number;
}

/** v4 filters in whole seconds, and leaves out the second itself. */
const FILTER_STEP_MS = 2_000;

/** Reads the messages to an address: v4 filters by the recipient, v3 finds its text anywhere in an entry. */
export async function readMessages(query: MessagesQuery): Promise<SeenMessages> {
  const { client, domain, address, since, until } = query;
  const entries: LogEntry[] = [];
  let total: number | null = null;
  const reading: LogReading = {
    client,
    domain,
    limit: Infinity,
    async onEntries(page) {
      const isFirst = entries.length === 0;
      entries.push(...page);
      if (isFirst && client.version === 'v4' && page.length === LARGEST_LOG_PAGE)
        total = await countAll(query);
    },
  };
  const after = Math.max(0, since - FILTER_STEP_MS);
  const read =
    client.version === 'v4'
      ? await listAllLogs(reading, { recipient: address, after, order: 'newest' })
      : await searchAllLogs(reading, { text: address, after: since, before: until + FILTER_STEP_MS });
  const end = !read.ok && read.error.kind === 'not-found' ? succeed(undefined) : read;
  const left = total === null ? 1 : Math.ceil(Math.max(0, total - entries.length) / LARGEST_LOG_PAGE);
  return {
    messages: entries
      .filter((entry) => isWanted(entry, query))
      .map(seenMessage)
      .toSorted(newestFirst),
    failure: end.ok ? null : end.error,
    requestsLeft: end.ok ? 0 : Math.max(1, left),
  };
}

/** Returns how many entries there are; null means that it is not known. */
async function countAll({ client, domain, address, since }: MessagesQuery): Promise<number | null> {
  const count = await client.countLogs(domain, { recipient: address, after: since });
  return count.ok ? count.value : null;
}

function isWanted(entry: LogEntry, { address, since }: MessagesQuery): boolean {
  const isTo = entry.recipient?.email.toLowerCase() === address.toLowerCase();
  return isTo && isForwarded(entry) && (entry.createdAt === null || entry.createdAt >= since);
}

function seenMessage(entry: LogEntry): SeenMessage {
  const { id, createdAt, messageId, sender, subject, forward } = entry;
  return {
    at: createdAt,
    message: messageId ?? id,
    sender: sender?.email || null,
    subject: subject ?? '',
    course: courseOf(entry),
    destination: (forward?.email || null) as Destination | null,
  };
}

function newestFirst(a: SeenMessage, b: SeenMessage): number {
  return (b.at ?? 0) - (a.at ?? 0);
}
