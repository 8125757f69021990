import { READ_ENDPOINTS } from '../../core/model/endpoints.ts';
import type { Call } from '../http/call.ts';
import { arrayField, countField, type Json } from '../../core/fields/json.ts';
import { decodeLogEntry } from './decode.ts';
import type { LogFilter, LogPage, LogsClient } from './logs.ts';

const E = READ_ENDPOINTS.v4;
const ORDERS = { newest: 'created_desc', oldest: 'created_asc', relevance: 'relevance' } as const;

/** Returns the client for the logs of v4 (v4: Email logs). */
export function v4Logs(call: Call): LogsClient {
  return {
    listLogs(domain, { alias, order, limit, cursor, ...filter } = {}) {
      const recipient = alias === undefined ? {} : { recipient: `${alias}@${domain}` };
      const query = defined({
        ...recipient,
        ...filterQuery(filter),
        order: order && ORDERS[order],
        limit,
        cursor,
      });
      return call({ endpoint: E.listLogs, params: { domain }, query }, (json) =>
        page(json, typeof json?.['next_cursor'] === 'string' ? json['next_cursor'] : null),
      );
    },
    countLogs: (domain, filter = {}) =>
      call({ endpoint: E.countLogs, params: { domain }, query: defined(filterQuery(filter)) }, (json) =>
        countField(json ?? {}, 'total'),
      ),
    getLog: (domain, id) => call({ endpoint: E.getLog, params: { domain, id } }, decodeLogEntry),
    searchLogs(domain, { text, order, limit, offset, ...filter }) {
      const query = defined({
        query: text,
        ...filterQuery(filter),
        order: order && ORDERS[order],
        limit,
        offset,
      });
      return call({ endpoint: E.searchLogs, params: { domain }, query }, (json) =>
        page(json, typeof json?.['next_offset'] === 'number' ? json['next_offset'] : null),
      );
    },
  };
}

function page<Next>(json: Json | null, next: Next | null): LogPage<Next> {
  const body = json ?? {};
  const total = body['total'] === undefined ? null : countField(body, 'total');
  return { entries: arrayField(body, 'logs').map(decodeLogEntry), next, total };
}

type Query = Readonly<Record<string, string | number>>;

/** Returns the query parameters of a filter, for list and count (v4). */
export function filterQuery(filter: LogFilter): Readonly<Record<string, string | number | undefined>> {
  const { statuses, after, before, ...exact } = filter;
  return {
    ...exact,
    status: statuses?.join(','),
    after: after === undefined ? undefined : timestamp(after),
    before: before === undefined ? undefined : timestamp(before),
  };
}

export function defined(query: Readonly<Record<string, string | number | undefined>>): Query {
  return Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined),
  );
}

/** Formats a time as ISO 8601 UTC with second precision (v4: Conventions). */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
