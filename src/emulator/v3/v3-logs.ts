import { found, invalid } from '../account/checked.ts';
import type { MailLog, MailStatus } from '../account/model.ts';
import { success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import { readQuery, type QueryReader } from '../http/query.ts';
import type { DomainContext } from '../http/route-list.ts';
import { aliasTest, readLogFilter, statusTest, textTest } from '../logs/logs-filter.ts';
import { countLogs, currentLogs, listLogs, type LogTest } from '../logs/logs.ts';
import { nextCursor, renderEvent, renderLogFields } from '../v4/v4-logs.ts';

const SECOND = 1000;
const BOUNCES: readonly MailStatus[] = ['SOFT-BOUNCE', 'HARD-BOUNCE', 'BOUNCED'];

export function listV3Logs(context: DomainContext): HandlerResult {
  return listEntries(context, []);
}

function listEntries(
  { query, state, tampering, domain }: DomainContext,
  tests: readonly LogTest[],
): HandlerResult {
  const id = query.get('next_cursor') ?? '';
  const page = listLogs(state, domain, {
    filter: { from: -Infinity, until: Infinity, tests },
    order: 'created_desc',
    limit: tampering.limit ?? state.switches.v3LogPageSize,
    cursor: id === '' ? undefined : { id, place: 'after' },
    shift: tampering.shift,
  });
  if (page === undefined) return invalid('next_cursor', 'The next_cursor is not the id of a log.');
  const logs = page.entries.map(renderV3Log);
  if (state.switches.v3LogCursor === 'omitted') return success({ logs });
  return success({ logs, next_cursor: nextCursor(page, 'last') });
}

export function getLogOrAliasLogs(context: DomainContext): HandlerResult {
  const { params, state, domain } = context;
  const name = params['id'] ?? '';
  const logs = currentLogs(state, domain);
  const entry = logs.find(({ id }) => id === name);
  if (entry !== undefined) {
    return success(state.switches.v3LogShape === 'bare' ? renderV3Log(entry) : { log: renderV3Log(entry) });
  }
  const isAlias = logs.some(aliasTest(name)) || domain.aliases.get(name) !== undefined;
  return isAlias ? listEntries(context, [aliasTest(name)]) : found<never>(undefined, 'log');
}

export function countV3Logs(context: DomainContext): HandlerResult {
  const { state, domain } = context;
  const filter = readQuery(context, (query) => readLogFilter(query, 'exact', state.switches));
  if (!filter.ok) return filter;
  return success({ [state.switches.v3LogCount]: countLogs(state, domain, filter.value) });
}

export function searchV3Logs(context: DomainContext): HandlerResult {
  const { state, domain, tampering } = context;
  const asked = readQuery(context, (query) => ({
    after: readSeconds(query, 'after'),
    before: readSeconds(query, 'before'),
    kind: query.word('filter', ['all', 'failure'] as const) ?? 'all',
    order: query.word('order', ['desc', 'asc'] as const) ?? 'desc',
    text: query.text('text'),
  }));
  if (!asked.ok) return asked;
  const { after, before, kind, order, text } = asked.value;
  const { v3SearchMaximum } = state.switches;
  const page = listLogs(state, domain, {
    filter: { from: after * SECOND, until: (before + 1) * SECOND, tests: searchTests(kind, text) },
    order: `created_${order}`,
    limit: v3SearchMaximum === 'all' ? Infinity : v3SearchMaximum,
    shift: tampering.shift,
  });
  return success({ logs: (page?.entries ?? []).map(renderV3Log) });
}

function searchTests(kind: 'all' | 'failure', text: string | undefined): readonly LogTest[] {
  const tests: LogTest[] = [];
  if (kind === 'failure') tests.push(statusTest(BOUNCES));
  if (text !== undefined) tests.push(textTest(text));
  return tests;
}

function readSeconds(query: QueryReader, name: 'after' | 'before'): number {
  if (query.text(name) === undefined) query.note(name, 'is required');
  const parse = (text: string): number | undefined => (/^\d{1,11}$/.test(text) ? Number(text) : undefined);
  return query.parsed(name, parse, 'must be a Unix time in seconds') ?? 0;
}

/** Renders a log entry. `created_raw` is the same time as `created` (v3: Resources). */
export function renderV3Log(entry: MailLog): JsonObject {
  return {
    ...renderLogFields(entry),
    created: entry.created_at,
    created_raw: entry.created_at,
    messageId: entry.message_id,
    events: entry.events.map((event, position) => ({
      ...renderEvent(entry, event, position),
      created: entry.created_at + event.after,
    })),
  };
}
