import { queryText, readWord } from '../http/input.ts';
import { readLogFilter } from '../logs/logs-filter.ts';
import { aliasTest, statusTest, textTest, type LogTest } from '../logs/logs-tests.ts';
import { countLogs, currentLogs, listLogs } from '../logs/logs.ts';
import type { FieldMessages, MailLog, MailStatus } from '../account/model.ts';
import { failure, invalidFields, success, type JsonObject, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { findAliasByName } from '../account/store-aliases.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { nextCursor, renderEvent } from '../v4/logs.ts';
import { v3Route } from './routes.ts';

const LIST = '/domains/:domain/logs';
const SECOND = 1000;
const BOUNCES: readonly MailStatus[] = ['SOFT-BOUNCE', 'HARD-BOUNCE', 'BOUNCED'];

export const v3LogRoutes: readonly ApiRoute[] = [
  v3Route(
    'GET',
    LIST,
    inDomain((context, domain) => list(context, domain, [])),
  ),
  v3Route('GET', `${LIST}/count`, inDomain(count)),
  v3Route('GET', `${LIST}/search`, inDomain(search)),
  // The id of a log or the name of an alias: two routes of the document, one shape.
  v3Route('GET', `${LIST}/:id`, inDomain(getOrList)),
];

function list(context: RequestContext, domain: DomainRecord, tests: readonly LogTest[]): HandlerReply {
  const { query, state, tampering } = context;
  const cursor = queryText(query, 'next_cursor');
  const page = listLogs(state, domain, {
    filter: { from: -Infinity, until: Infinity, tests },
    direction: 'descending',
    limit: tampering.limit ?? state.switches.v3LogPageSize,
    cursor: cursor === undefined ? undefined : { id: cursor, place: 'after' },
    shift: tampering.shift,
  });
  if (page === undefined) {
    return invalidFields({ next_cursor: ['The next_cursor is not the id of a log.'] });
  }
  const logs = page.entries.map(renderLog);
  if (state.switches.v3LogCursor === 'omitted') return success({ logs });
  return success({ logs, next_cursor: nextCursor(page, 'last') });
}

function getOrList(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { params, state } = context;
  const name = params['id'] ?? '';
  const logs = currentLogs(state, domain);
  const entry = logs.byId.get(name);
  if (entry !== undefined) {
    return success(state.switches.v3LogShape === 'bare' ? renderLog(entry) : { log: renderLog(entry) });
  }
  const isAlias = logs.inCreatedOrder.items.some(aliasTest(name)) || findAliasByName(state, domain, name).ok;
  return isAlias ? list(context, domain, [aliasTest(name)]) : failure(404, 'log not found');
}

function count(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const errors: FieldMessages = {};
  const filter = readLogFilter(context, 'exact', errors);
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  return success({ [state.switches.v3LogCount]: countLogs(state, domain, filter) });
}

function search({ query, state, tampering }: RequestContext, domain: DomainRecord): HandlerReply {
  const errors: FieldMessages = {};
  const after = readSeconds(query, 'after', errors);
  const before = readSeconds(query, 'before', errors);
  const kind = readWord(query, 'filter', ['all', 'failure'] as const, errors) ?? 'all';
  const order = readWord(query, 'order', ['desc', 'asc'] as const, errors) ?? 'desc';
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  const { v3SearchMaximum } = state.switches;
  const page = listLogs(state, domain, {
    filter: {
      from: after * SECOND,
      until: (before + 1) * SECOND,
      tests: searchTests(kind, queryText(query, 'text')),
    },
    direction: order === 'asc' ? 'ascending' : 'descending',
    limit: v3SearchMaximum === 'all' ? Infinity : v3SearchMaximum,
    shift: tampering.shift,
  });
  return success({ logs: (page?.entries ?? []).map(renderLog) });
}

function searchTests(kind: 'all' | 'failure', text: string | undefined): readonly LogTest[] {
  const tests: LogTest[] = [];
  if (kind === 'failure') tests.push(statusTest(BOUNCES));
  if (text !== undefined) tests.push(textTest(text));
  return tests;
}

function readSeconds(query: URLSearchParams, name: 'after' | 'before', errors: FieldMessages): number {
  const text = queryText(query, name) ?? '';
  if (/^\d{1,11}$/.test(text)) return Number(text);
  errors[name] = [text === '' ? `The ${name} is required.` : `The ${name} must be a Unix time in seconds.`];
  return 0;
}

/** `created_raw` is the same time as `created` (v3: Resources). */
function renderLog(entry: MailLog): JsonObject {
  return {
    id: entry.id,
    created: entry.createdAt,
    created_raw: entry.createdAt,
    events: entry.events.map((event, position) => ({
      ...renderEvent(entry, event, position),
      created: entry.createdAt + event.after,
    })),
    forward: entry.forward === null ? null : { ...entry.forward },
    hostname: entry.hostname,
    messageId: entry.messageId,
    recipient: { ...entry.recipient },
    sender: { ...entry.sender },
    subject: entry.subject,
    transport: entry.transport,
  };
}
