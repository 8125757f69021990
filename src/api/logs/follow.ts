import type { Clock } from '../../model/clock.ts';
import type { DomainName } from '../../model/names.ts';
import { succeed, type Result } from '../../model/result.ts';
import type { ApiError } from '../errors.ts';
import { LARGEST_LOG_PAGE, type OnLogEntries } from './pages.ts';
import { startPosition, type LogPosition } from './position.ts';
import type { LogPage, LogQuery, LogsClient } from './logs.ts';

export interface FollowOptions {
  readonly client: Pick<LogsClient, 'listLogs'>;
  readonly domain: DomainName;
  /** With `after`: from that time on; without: what arrives from now on. */
  readonly query: Omit<LogQuery, 'order' | 'limit' | 'cursor'>;
  /** Entries asked for at once, 1 to 200. */
  readonly pageSize: number;
  readonly clock: Clock;
  /** Aborted: it ends. */
  readonly signal: AbortSignal;
  readonly onEntries: OnLogEntries;
  /** A look that failed and is tried again with the next one. */
  readonly onTrouble: (error: ApiError) => void;
}

const POLL_MS = 5_000;

/**
 * Hands out every entry once, oldest first, until the signal is aborted: looks every 5 s from where the last look ended, page
 * by page while there is more. Ends with an error that another request would not fix.
 */
export async function followLogs(options: FollowOptions): Promise<Result<void, ApiError>> {
  const { clock, signal, query } = options;
  let position = query.after === undefined ? null : startPosition([], options.pageSize);
  while (!signal.aborted) {
    const looked: Result<LogPosition, ApiError> =
      position === null ? await findEnd(options) : await lookForward(options, position);
    if (looked.ok) position = looked.value;
    else if (looked.error.kind === 'stopped') break;
    else if (isPassing(looked.error)) options.onTrouble(looked.error);
    else return looked;
    await clock.sleep(POLL_MS, signal);
  }
  return succeed(undefined);
}

/** What is there already: what comes after it is followed. */
async function findEnd({
  client,
  domain,
  query,
  pageSize,
}: FollowOptions): Promise<Result<LogPosition, ApiError>> {
  const page = await client.listLogs(domain, { ...query, order: 'newest', limit: LARGEST_LOG_PAGE });
  return page.ok ? succeed(startPosition(page.value.entries.toReversed(), pageSize)) : page;
}

/** All that is new by now. */
async function lookForward(
  options: FollowOptions,
  position: LogPosition,
): Promise<Result<LogPosition, ApiError>> {
  let page = await firstPage(options, position);
  for (;;) {
    if (!page.ok) return page;
    const { entries, next } = page.value;
    const news = position.take(entries);
    if (news.length > 0) await options.onEntries(news);
    if (next === null || entries.length === 0 || options.signal.aborted) return succeed(position);
    page = await readFrom(options, { cursor: next });
    // It expired meanwhile: the next look begins anew.
    if (isLost(page)) return succeed(position);
  }
}

/**
 * From the anchor, or from the newest entry's time where the service does not know the anchor any more: what follows it
 * begins with entries that are known, or it is not believed.
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
