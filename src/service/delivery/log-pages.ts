import type { ApiError } from '../../client/errors.ts';
import type { LogEntry, LogsClient } from '../../client/logs/logs.ts';
import { LARGEST_LOG_PAGE } from '../../client/logs/pages.ts';
import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';

export interface LogWalk {
  readonly client: Pick<LogsClient, 'listLogs'> & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  /** Earliest time of entries to return, in epoch milliseconds. */
  readonly since: number;
  /** Cursor to continue from. null means the newest entry. */
  readonly cursor: string | null;
}

export interface WalkedPage {
  readonly entries: readonly LogEntry[];
  /** Cursor of the next page. null means that the walk has ended. */
  readonly next: string | null;
}

/** v4 filters in whole seconds, and `after` excludes its own second. */
const FILTER_STEP_MS = 2_000;

/**
 * Reads one page of a domain's logs, newest first. v3 cannot filter by time, so there the walk ends with the page that is
 * older. An entry may appear on two pages, because it is not documented if a cursor names the last entry or the next one.
 */
export async function readLogPage(walk: LogWalk): Promise<Result<WalkedPage, ApiError>> {
  const { client, domain, since, cursor } = walk;
  const from = cursor === null ? {} : { cursor };
  const after = Math.max(0, since - FILTER_STEP_MS);
  const page = await client.listLogs(
    domain,
    client.version === 'v4' ? { ...from, order: 'newest', limit: LARGEST_LOG_PAGE, after } : from,
  );
  if (!page.ok) return page;
  const { entries, next } = page.value;
  const oldest = entries.at(-1)?.createdAt ?? null;
  const isOver = entries.length === 0 || next === cursor || (oldest !== null && oldest < since);
  const wanted = entries.filter(({ createdAt }) => createdAt === null || createdAt >= since);
  return succeed({ entries: wanted, next: isOver ? null : next });
}
