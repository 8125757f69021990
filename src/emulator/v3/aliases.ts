import { readPageRequest, queryText } from '../http/input.ts';
import type { Alias, StoreResult } from '../account/model.ts';
import { storeFailure, success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { findAlias, findAliasByName, listAliases } from '../account/store-aliases.ts';
import { aliasHandlers, aliasId, aliasRoutes, removeAllAliases } from '../v4/aliases.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { bulkAliases } from './alias-bulk.ts';
import { renderV3Alias } from './render.ts';
import { batchRoutes, removeAllReply, v3Route } from './routes.ts';

const LIST = '/domains/:domain/aliases';
const ONE = '/domains/:domain/aliases/:alias';
const { get, add, update, remove } = aliasHandlers({ find, render: renderV3Alias });

export const v3AliasRoutes: readonly ApiRoute[] = [
  v3Route('GET', LIST, inDomain(list)),
  v3Route('POST', LIST, inDomain(add)),
  v3Route('GET', ONE, inDomain(get)),
  v3Route('PUT', ONE, inDomain(update)),
  v3Route('DELETE', ONE, inDomain(remove)),
  v3Route('POST', `${LIST}/bulk`, inDomain(bulkAliases)),
  v3Route('DELETE', `${LIST}/aliases-all`, inDomain(removeAllReply(removeAllAliases))),
  ...batchRoutes(aliasRoutes),
];

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state, query } = context;
  const request = readPageRequest(context, {
    limit: 20,
    maximum: 100,
    minimum: state.switches.v3MinimumLimit,
  });
  if (!request.ok) return storeFailure(state, request.error);
  const { limit, page, offset } = request.value;
  const found = listAliases(domain, {
    query: queryText(query, 'q'),
    prefix: queryText(query, 'alias'),
    order: 'name_asc',
    offset,
    limit,
  });
  return success({ aliases: found.items.map(renderV3Alias), limit, page, total: found.total });
}

/** A name may look like an id: `v3AliasSegment` says which of the two is looked up first. */
function find({ state, params }: RequestContext, domain: DomainRecord): StoreResult<Alias> {
  const text = params['alias'] ?? '';
  const byName = findAliasByName(state, domain, text);
  const byId = findAlias(domain, aliasId(text));
  const [first, second] = state.switches.v3AliasSegment === 'name-first' ? [byName, byId] : [byId, byName];
  return first.ok ? first : second;
}
