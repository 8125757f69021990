import { readInteger, readLimit, queryText, readWord } from '../http/input.ts';
import { readLogFilter } from '../logs/logs-filter.ts';
import { countLogs, currentLogs, listLogs, searchLogs, type MailPage } from '../logs/logs.ts';
import type { FieldMessages, MailLog, MailEvent } from '../account/model.ts';
import { failure, invalidFields, success, type JsonObject, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { renderTime } from './render.ts';

const LIST = '/domains/:domain/logs';

export const logRoutes: readonly ApiRoute[] = [
  { version: 'v4', method: 'GET', template: LIST, handle: inDomain(list) },
  { version: 'v4', method: 'GET', template: `${LIST}/count`, handle: inDomain(count) },
  { version: 'v4', method: 'GET', template: `${LIST}/search`, handle: inDomain(search) },
  { version: 'v4', method: 'GET', template: `${LIST}/:id`, handle: inDomain(get) },
];

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { query, state, tampering } = context;
  const errors: FieldMessages = {};
  const filter = readLogFilter(context, 'exact', errors);
  const order = readWord(query, 'order', ['created_desc', 'created_asc'] as const, errors);
  const limit = readLimit(context, { limit: 100, maximum: 200 }, errors);
  const asked = queryText(query, 'cursor');
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  const { logCursor } = state.switches;
  const page = listLogs(state, domain, {
    filter,
    direction: order === 'created_asc' ? 'ascending' : 'descending',
    limit,
    cursor: asked === undefined ? undefined : { id: asked, place: logCursor === 'next' ? 'at' : 'after' },
    shift: tampering.shift,
  });
  if (page === undefined) return invalidFields({ cursor: ['The cursor is not the id of a log.'] });
  return success({
    logs: page.entries.map(renderLog),
    limit,
    cursor: asked ?? null,
    next_cursor: nextCursor(page, logCursor),
  });
}

/** null when there are no more results. */
export function nextCursor({ entries, next }: MailPage, names: 'next' | 'last'): string | null {
  if (next === undefined) return null;
  return names === 'next' ? next.id : (entries.at(-1)?.id ?? null);
}

function count(context: RequestContext, domain: DomainRecord): HandlerReply {
  const errors: FieldMessages = {};
  const filter = readLogFilter(context, 'exact', errors);
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  return success({ total: countLogs(context.state, domain, filter) });
}

/** The entry itself, unwrapped. */
function get({ params, state }: RequestContext, domain: DomainRecord): HandlerReply {
  const entry = currentLogs(state, domain).byId.get(params['id'] ?? '');
  return entry === undefined ? failure(404, 'log not found') : success(renderLog(entry));
}

function search(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { query, state } = context;
  const errors: FieldMessages = {};
  const filter = readLogFilter(context, 'substring', errors);
  const order = readWord(query, 'order', ['relevance', 'created_desc', 'created_asc'] as const, errors);
  const asked = readInteger(query, 'offset', 0, errors) ?? 0;
  const text = queryText(query, 'query');
  if (text === undefined) errors['query'] = ['The query is required.'];
  const limit = readLimit(context, { limit: 20, maximum: 200 }, errors);
  if (text === undefined || Object.keys(errors).length > 0) return invalidFields(errors);
  const hits = searchLogs(state, domain, { query: text, filter, order: order ?? 'relevance' });
  const offset = Math.max(0, asked + context.tampering.shift);
  return success({
    logs: hits.slice(offset, offset + limit).map(renderLog),
    limit,
    offset: asked,
    total: hits.length,
    next_offset: asked + limit < hits.length ? asked + limit : null,
  });
}

function renderLog(entry: MailLog): JsonObject {
  return {
    id: entry.id,
    created_at: renderTime(entry.createdAt),
    events: entry.events.map((event, position) => ({
      ...renderEvent(entry, event, position),
      created_at: renderTime(entry.createdAt + event.after),
    })),
    forward: entry.forward === null ? null : { ...entry.forward },
    hostname: entry.hostname,
    message_id: entry.messageId,
    recipient: { ...entry.recipient },
    sender: { ...entry.sender },
    subject: entry.subject,
    transport: entry.transport,
  };
}

/** What an event has in both versions. */
export function renderEvent(entry: MailLog, event: MailEvent, position: number): JsonObject {
  return {
    id: `${entry.messageId}-${position}`,
    status: event.status,
    code: event.code,
    message: event.message,
    local: event.local,
    server: event.server ?? mailHost(entry),
  };
}

/** The host that a destination's mail goes to; of a webhook, its own. */
function mailHost({ forward, recipient }: MailLog): string {
  const { email } = forward ?? recipient;
  if (URL.canParse(email)) return new URL(email).host;
  return `mx.${email.slice(email.lastIndexOf('@') + 1)}`;
}
