import type { ApiError } from '../../client/errors.ts';
import type { LogEntry, LogsClient } from '../../client/logs/logs.ts';
import { LARGEST_LOG_PAGE } from '../../client/logs/pages.ts';
import type { DomainName } from '../../core/model/names.ts';
import { succeed, type Result } from '../../core/model/result.ts';

export interface LogWalk {
  readonly client: Pick<LogsClient, 'listLogs'> & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  /** Entries that were received before then are not wanted; epoch milliseconds. */
  readonly since: number;
  /** Where to go on; null: at the newest entry. */
  readonly cursor: string | null;
}

export interface WalkedPage {
  readonly entries: readonly LogEntry[];
  /** null: the walk is at its end. */
  readonly next: string | null;
}

/** v4 filters in whole seconds, and `after` leaves out its own. */
const FILTER_STEP_MS = 2_000;

/**
 * One page of the logs of a domain, newest first. v3 knows no time to begin at: there the walk ends with the page that is older.
 * An entry may stand on two pages, for whether a cursor names the last entry or the next is stated nowhere.
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
