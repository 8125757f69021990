import type { Clock } from '../../core/model/clock.ts';
import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import type { ApiError } from '../errors.ts';
import { LARGEST_LOG_PAGE, type OnLogEntries } from './pages.ts';
import type { LogEntry, LogPage, LogQuery, LogsClient } from './logs.ts';

export interface FollowOptions {
  readonly client: Pick<LogsClient, 'listLogs'>;
  readonly domain: DomainName;
  /** `after` starts at that time. Without it, following starts now. */
  readonly query: Omit<LogQuery, 'order' | 'limit' | 'cursor'>;
  /** Entries per request, 1 to 200. */
  readonly pageSize: number;
  readonly clock: Clock;
  /** When aborted, following ends. */
  readonly signal: AbortSignal;
  readonly onEntries: OnLogEntries;
  /** Called for a poll that failed. The next poll tries again. */
  readonly onTrouble: (error: ApiError) => void;
}

const POLL_MS = 5_000;

/**
 * Hands out every entry once, oldest first, until the signal is aborted. It polls every 5 s from the end of the last poll,
 * page by page while there is more. It ends with an error only if another request would not help.
 */
export async function followLogs(options: FollowOptions): Promise<Result<void, ApiError>> {
  const { clock, signal, query } = options;
  let position = query.after === undefined ? null : startPosition([], options.pageSize);
  while (!signal.aborted) {
    const read: Result<LogPosition, ApiError> =
      position === null ? await findEnd(options) : await readForward(options, position);
    if (read.ok) position = read.value;
    else if (read.error.kind === 'stopped') break;
    else if (isPassing(read.error)) options.onTrouble(read.error);
    else return read;
    await clock.sleep(POLL_MS, signal);
  }
  return succeed(undefined);
}

/** Returns the position after the entries that exist already. */
async function findEnd({
  client,
  domain,
  query,
  pageSize,
}: FollowOptions): Promise<Result<LogPosition, ApiError>> {
  const page = await client.listLogs(domain, { ...query, order: 'newest', limit: LARGEST_LOG_PAGE });
  return page.ok ? succeed(startPosition(page.value.entries.toReversed(), pageSize)) : page;
}

/** Hands out all entries that are new by now. */
async function readForward(
  options: FollowOptions,
  position: LogPosition,
): Promise<Result<LogPosition, ApiError>> {
  let page = await firstPage(options, position);
  for (;;) {
    if (!page.ok) return page;
    const { entries, next } = page.value;
    const news = position.accept(entries);
    if (news.length > 0) await options.onEntries(news);
    if (next === null || entries.length === 0 || options.signal.aborted) return succeed(position);
    page = await readFrom(options, { cursor: next });
    // The cursor has expired. The next poll starts again.
    if (isLost(page)) return succeed(position);
  }
}

/**
 * Reads from the anchor. If the service no longer knows the anchor, it reads from the newest entry's time. A page after the
 * anchor is trusted only if it contains known entries.
 */
async function firstPage(
  options: FollowOptions,
  position: LogPosition,
): Promise<Result<LogPage<string>, ApiError>> {
  const cursor = position.anchor();
  if (cursor !== null) {
    const page = await readFrom(options, { cursor });
    const isBelieved = page.ok && page.value.entries.some(({ id }) => position.knows(id));
    if (isBelieved || (!page.ok && !isLost(page))) return page;
  }
  const since = position.since();
  return readFrom(options, since === null ? {} : { after: Math.max(since, options.query.after ?? since) });
}

function readFrom(
  { client, domain, query, pageSize }: FollowOptions,
  from: Pick<LogQuery, 'cursor' | 'after'>,
): ReturnType<LogsClient['listLogs']> {
  return client.listLogs(domain, { ...query, ...from, order: 'oldest', limit: pageSize });
}

function isLost(page: Result<unknown, ApiError>): boolean {
  return !page.ok && (page.error.kind === 'rejected' || page.error.kind === 'not-found');
}

function isPassing({ kind }: ApiError): boolean {
  return kind === 'unreachable' || kind === 'unknown-outcome';
}

/** Position up to which a log has been followed. */
interface LogPosition {
  /** Returns the cursor to read from; the entries after it are known. null means that there is none yet. */
  anchor(): string | null;
  /** Returns the time to read from without a cursor, in epoch milliseconds. null means from the beginning. */
  since(): number | null;
  knows(id: string): boolean;
  /** Returns the entries that are new, and marks them as known. */
  accept(entries: readonly LogEntry[]): readonly LogEntry[];
}

/** The order of entries within one second is not documented, so the last ones are read again. */
const OVERLAP_MS = 60_000;
const KEPT_IDS = 10_000;

/**
 * Returns the position after these entries, which are sorted oldest first. Entries older than all of them are not handed
 * out.
 */
function startPosition(before: readonly LogEntry[], pageSize: number): LogPosition {
  const known = new Set(before.map(({ id }) => id));
  const first = firstWanted(before);
  // Number of known entries to read again: few enough for a page to make progress, and enough to detect a lost cursor.
  const overlap = Math.max(2, Math.floor(pageSize / 2));
  let recent = before.slice(-overlap);
  const newest = (): number | null => recent.at(-1)?.createdAt ?? null;
  return {
    knows: (id) => known.has(id),
    since() {
      const time = newest();
      return time === null ? null : time - OVERLAP_MS;
    },
    anchor() {
      const since = (newest() ?? 0) - OVERLAP_MS;
      const first = recent.findIndex(({ createdAt }) => (createdAt ?? 0) >= since);
      return recent[Math.min(first, recent.length - 2)]?.id ?? null;
    },
    accept(entries) {
      const news = entries.filter(({ id, createdAt }) => !known.has(id) && (createdAt ?? first) >= first);
      for (const { id } of news) known.add(id);
      forgetOldest(known);
      recent = [...recent, ...news].slice(-overlap);
      return news;
    },
  };
}

/**
 * Returns the earliest time to hand out. The second of the oldest entry may have more entries that were not read, so it is
 * left out, unless all entries are of that second.
 */
function firstWanted(before: readonly LogEntry[]): number {
  const oldest = before[0]?.createdAt ?? -Infinity;
  return oldest === before.at(-1)?.createdAt ? oldest : oldest + 1;
}

/** Forgets the oldest ids. A set iterates in the order of insertion. */
function forgetOldest(known: Set<string>): void {
  for (const id of known) {
    if (known.size <= KEPT_IDS) return;
    known.delete(id);
  }
}
