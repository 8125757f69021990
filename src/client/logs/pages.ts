import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import type { Answer } from '../client.ts';
import type { ApiError } from '../errors.ts';
import type { LogEntry, LogPage, LogQuery, LogsClient, LogSearch } from './logs.ts';

/** Maximum page size of v4 (v4: Limits). In v3 the service chooses the size. */
export const LARGEST_LOG_PAGE = 200;

/** Receives entries. The next page is read after its promise resolves. */
export type OnLogEntries = (entries: readonly LogEntry[]) => Promise<void> | void;

/** Options to read a long listing of logs. */
export interface LogReading {
  readonly client: LogsClient & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  /** Maximum number of entries. */
  readonly limit: number;
  /** Called with the new entries of each page. */
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

/** Searches logs page by page, each entry once. */
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
 * Reads pages until there is no next one, or until nothing new comes. It is not documented if a cursor names the last entry
 * of a page or the first of the next one, so an entry may come twice.
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
