import { readPageRequest, queryText } from '../http/input.ts';
import { storeFailure, success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { findRule, listRules } from '../account/store-rules.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { removeAllRules, removeRule, ruleHandlers, ruleRoutes } from '../v4/rules.ts';
import { renderV3Rule } from './render.ts';
import { batchRoutes, removeAllReply, v3Route } from './routes.ts';
import { bulkRules } from './rule-bulk.ts';

const LIST = '/domains/:domain/rules';
const ONE = '/domains/:domain/rules/:rule';
const { add, update } = ruleHandlers(renderV3Rule);

export const v3RuleRoutes: readonly ApiRoute[] = [
  v3Route('GET', LIST, inDomain(list)),
  v3Route('POST', LIST, inDomain(add)),
  { version: 'v3', method: 'GET', template: ONE, handle: inDomain(get) },
  v3Route('PUT', ONE, inDomain(update)),
  v3Route('DELETE', ONE, inDomain(removeRule)),
  v3Route('POST', `${LIST}/bulk`, inDomain(bulkRules)),
  v3Route('DELETE', '/domains/:domain/rules-all', inDomain(removeAllReply(removeAllRules))),
  ...batchRoutes(ruleRoutes),
];

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const request = readPageRequest(context, {
    limit: 100,
    maximum: 100,
    minimum: state.switches.v3MinimumLimit,
  });
  if (!request.ok) return storeFailure(state, request.error);
  const { limit, page, offset } = request.value;
  const query = queryText(context.query, 'search');
  const found = listRules(domain, { query, order: 'rank_asc', offset, limit });
  return success({
    rules: found.items.map((rule) => renderV3Rule(rule, state)),
    limit,
    page,
    total: found.total,
  });
}

/** The rule object itself, without `success` (v3: Rules). */
function get({ state, params }: RequestContext, domain: DomainRecord): HandlerReply {
  const found = findRule(domain, params['rule'] ?? '');
  return found.ok ? success(renderV3Rule(found.value, state)) : storeFailure(state, found.error);
}
