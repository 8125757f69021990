import { READ_ENDPOINTS, endpointText, type Endpoint } from '../../core/model/endpoints.ts';
import { fail } from '../../core/model/result.ts';
import type { Call } from '../http/call.ts';
import type { Answer } from '../client.ts';
import { arrayField, countField, type Json } from '../../core/fields/json.ts';
import { decodeLogEntry } from './decode.ts';
import type { LogPage, LogQuery, LogsClient, LogSearch, LogStatus } from './logs.ts';
import { defined, filterQuery } from './v4.ts';

const E = READ_ENDPOINTS.v3;
const BOUNCES: readonly LogStatus[] = ['BOUNCED', 'HARD-BOUNCE', 'SOFT-BOUNCE'];

/**
 * Returns the client for the logs of v3 (v3: Email logs). Lists can be filtered only by alias. Searches need both
 * times.
 */
export function v3Logs(call: Call): LogsClient {
  return {
    listLogs(domain, query = {}) {
      const { alias, cursor } = query;
      const endpoint = alias === undefined ? E.listLogs : E.listAliasLogs;
      const missing = missingInList(query);
      if (missing !== null) return refuse(endpoint, missing);
      const params = alias === undefined ? { domain } : { domain, alias };
      return call({ endpoint, params, query: defined({ next_cursor: cursor }) }, listPage);
    },
    countLogs: (domain, filter = {}) =>
      call({ endpoint: E.countLogs, params: { domain }, query: defined(filterQuery(filter)) }, (json) =>
        // The document does not show the body. This reads v4's name, or the obvious other one.
        countField(json ?? {}, json?.['total'] === undefined ? 'count' : 'total'),
      ),
    getLog: (domain, id) =>
      // The document does not show the body. This reads it bare as in v4, or wrapped like v3's other answers.
      call({ endpoint: E.getLog, params: { domain, id } }, (json) => decodeLogEntry(json?.['log'] ?? json)),
    searchLogs(domain, search) {
      const missing = missingInSearch(search);
      if (missing !== null) return refuse(E.searchLogs, missing);
      const { text, after = 0, before = 0, order, statuses } = search;
      const query = {
        text,
        filter: statuses === undefined ? 'all' : 'failure',
        order: order === 'oldest' ? 'asc' : 'desc',
        after: Math.floor(after / 1000),
        before: Math.ceil(before / 1000),
      };
      return call({ endpoint: E.searchLogs, params: { domain }, query }, (json) => ({
        entries: entriesOf(json),
        next: null,
        total: null,
      }));
    },
  };
}

/** Returns why v3 cannot answer a list query, or null if it can. */
export function missingInList(query: LogQuery): string | null {
  const { alias: _, cursor: __, ...rest } = query;
  const first = firstStated(rest);
  return first === null ? null : `v3 cannot list logs with ${first}`;
}

/** Returns why v3 cannot answer a search, or null if it can. */
export function missingInSearch({
  text: _,
  order,
  statuses,
  after,
  before,
  ...rest
}: LogSearch): string | null {
  const first = firstStated(rest);
  if (first !== null) return `v3 cannot search logs with ${first}`;
  if (after === undefined || before === undefined) return 'v3 searches logs only between two times';
  if (order === 'relevance') return 'v3 orders results only by time';
  if (statuses === undefined || new Set(BOUNCES).symmetricDifference(new Set(statuses)).size === 0)
    return null;
  return `v3 searches logs of all statuses, or of ${BOUNCES.join(', ')} together`;
}

/** Returns the first stated field, under the API's name. */
function firstStated(query: Readonly<Record<string, unknown>>): string | null {
  const name = Object.keys(query).find((key) => query[key] !== undefined) ?? null;
  return name === 'statuses' ? 'status' : name;
}

/** Decodes a page. Without a cursor in the answer, the next page begins at the last id. */
function listPage(json: Json | null): LogPage<string> {
  const entries = entriesOf(json);
  const stated = json?.['next_cursor'];
  const next = stated === undefined ? (entries.at(-1)?.id ?? null) : stated;
  return { entries, next: typeof next === 'string' ? next : null, total: null };
}

function entriesOf(json: Json | null): LogPage<never>['entries'] {
  return arrayField(json ?? {}, 'logs').map(decodeLogEntry);
}

async function refuse<T>(endpoint: Endpoint, why: string): Answer<T> {
  const message = `not sent: ${why}`;
  return fail({ kind: 'rejected', endpoint: endpointText(endpoint), status: null, message, errors: {} });
}
