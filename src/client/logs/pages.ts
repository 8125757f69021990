import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import type { Answer } from '../client.ts';
import type { ApiError } from '../errors.ts';
import type { LogEntry, LogPage, LogQuery, LogsClient, LogSearch } from './logs.ts';

/** v4: Limits; the pages of v3 have the size that the service chooses. */
export const LARGEST_LOG_PAGE = 200;

/** Is waited for before the next page is read. */
export type OnLogEntries = (entries: readonly LogEntry[]) => Promise<void> | void;

/** How a long listing of logs is read. */
export interface LogReading {
  readonly client: LogsClient & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  /** So many entries at most. */
  readonly limit: number;
  /** Called with what each page has that is new. */
  readonly onEntries: OnLogEntries;
}

/** Lists logs page by page, each entry once. */
export function listAllLogs(
  reading: LogReading,
  query: Omit<LogQuery, 'limit' | 'cursor'>,
): Promise<Result<void, ApiError>> {
  const { client, domain } = reading;
  return readPages<string>(reading, (cursor, size) =>
    client.listLogs(domain, { ...query, ...size, ...(cursor === null ? {} : { cursor }) }),
  );
}

/** The same for a search. */
export function searchAllLogs(
  reading: LogReading,
  search: Omit<LogSearch, 'limit' | 'offset'>,
): Promise<Result<void, ApiError>> {
  const { client, domain } = reading;
  return readPages<number>(reading, (offset, size) =>
    client.searchLogs(domain, { ...search, ...size, ...(offset === null ? {} : { offset }) }),
  );
}

/**
 * Pages until there is no next one, or none that brings anything new: whether a cursor names the entry before a page or its
 * first one is stated nowhere, and so an entry may come twice.
 */
async function readPages<Next>(
  { client, limit, onEntries }: LogReading,
  read: (next: Next | null, size: { readonly limit?: number }) => Answer<LogPage<Next>>,
): Promise<Result<void, ApiError>> {
  const seen = new Set<string>();
  let next: Next | null = null;
  do {
    const left = limit - seen.size;
    const size = client.version === 'v4' ? { limit: Math.min(LARGEST_LOG_PAGE, left) } : {};
    const page: Result<LogPage<Next>, ApiError> = await read(next, size);
    if (!page.ok) return page;
    const news = page.value.entries.filter(({ id }) => !seen.has(id)).slice(0, left);
    for (const { id } of news) seen.add(id);
    if (news.length > 0) await onEntries(news);
    const isStuck: boolean =
      news.length === 0 && (page.value.entries.length === 0 || page.value.next === next);
    next = isStuck ? null : page.value.next;
  } while (next !== null && seen.size < limit);
  return succeed(undefined);
}
