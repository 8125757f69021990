import { found, invalid } from '../account/checked.ts';
import type { MailLog, MailEvent } from '../account/model.ts';
import { success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import { readQuery } from '../http/query.ts';
import type { DomainContext } from '../http/route-list.ts';
import { readLogFilter } from '../logs/logs-filter.ts';
import { currentLogs, listLogs, searchLogs, countLogs, type MailPage } from '../logs/logs.ts';
import { renderTime } from './render.ts';

export function listDomainLogs(context: DomainContext): HandlerResult {
  const { state, domain, tampering } = context;
  const { logCursor } = state.switches;
  const asked = readQuery(context, (query) => ({
    filter: readLogFilter(query, 'exact', state.switches),
    order: query.word('order', ['created_desc', 'created_asc'] as const) ?? 'created_desc',
    limit: query.limit({ limit: 100, maximum: 200 }),
    cursor: query.text('cursor'),
  }));
  if (!asked.ok) return asked;
  const { order, limit, cursor } = asked.value;
  const page = listLogs(state, domain, {
    ...asked.value,
    order,
    cursor: cursor === undefined ? undefined : { id: cursor, place: logCursor === 'next' ? 'at' : 'after' },
    shift: tampering.shift,
  });
  if (page === undefined) return invalid('cursor', 'The cursor is not the id of a log.');
  return success({
    logs: page.entries.map(renderLog),
    limit,
    cursor: cursor ?? null,
    next_cursor: nextCursor(page, logCursor),
  });
}

/** Returns the cursor of the next page, or null if there are no more results. */
export function nextCursor({ entries, next }: MailPage, names: 'next' | 'last'): string | null {
  if (next === undefined) return null;
  return names === 'next' ? next.id : (entries.at(-1)?.id ?? null);
}

export function countDomainLogs(context: DomainContext): HandlerResult {
  const { state, domain } = context;
  const filter = readQuery(context, (query) => readLogFilter(query, 'exact', state.switches));
  return filter.ok ? success({ total: countLogs(state, domain, filter.value) }) : filter;
}

/** Answers with the bare log entry. */
export function getLog({ params, state, domain }: DomainContext): HandlerResult {
  const entry = found(
    currentLogs(state, domain).find(({ id }) => id === params['id']),
    'log',
  );
  return entry.ok ? success(renderLog(entry.value)) : entry;
}

export function searchDomainLogs(context: DomainContext): HandlerResult {
  const { state, domain, tampering } = context;
  const asked = readQuery(context, (query) => {
    const text = query.text('query');
    if (text === undefined) query.note('query', 'is required');
    return {
      query: text ?? '',
      filter: readLogFilter(query, 'substring', state.switches),
      order: query.word('order', ['relevance', 'created_desc', 'created_asc'] as const) ?? 'relevance',
      limit: query.limit({ limit: 20, maximum: 200 }),
      offset: query.integer('offset', 0) ?? 0,
    };
  });
  if (!asked.ok) return asked;
  const { limit, offset } = asked.value;
  const hits = searchLogs(state, domain, asked.value);
  const start = Math.max(0, offset + tampering.shift);
  return success({
    logs: hits.slice(start, start + limit).map(renderLog),
    limit,
    offset,
    total: hits.length,
    next_offset: offset + limit < hits.length ? offset + limit : null,
  });
}

function renderLog(entry: MailLog): JsonObject {
  return {
    ...renderLogFields(entry),
    created_at: renderTime(entry.created_at),
    message_id: entry.message_id,
    events: entry.events.map((event, position) => ({
      ...renderEvent(entry, event, position),
      created_at: renderTime(entry.created_at + event.after),
    })),
  };
}

/** Renders the fields that an entry has in both versions, without its events. */
export function renderLogFields(entry: MailLog): JsonObject {
  const { id, forward, hostname, recipient, sender, subject, transport } = entry;
  return {
    id,
    forward: forward === null ? null : { ...forward },
    hostname,
    recipient: { ...recipient },
    sender: { ...sender },
    subject,
    transport,
  };
}

/** Renders the fields that an event has in both versions. */
export function renderEvent(entry: MailLog, event: MailEvent, position: number): JsonObject {
  return {
    id: event.id ?? `${entry.message_id}-${position}`,
    status: event.status,
    code: event.code,
    message: event.message,
    local: event.local,
    server: event.server ?? mailHost(entry),
  };
}

/** Returns the mail host of a destination. For a webhook it is the webhook's own host. */
function mailHost({ forward, recipient }: MailLog): string {
  const { email } = forward ?? recipient;
  if (URL.canParse(email)) return new URL(email).host;
  return `mx.${email.slice(email.lastIndexOf('@') + 1)}`;
}
