import { runBatch } from '../handlers/batch.ts';
import { readBody, readObject, readPageRequest, queryText, readWord, requiredString } from '../http/input.ts';
import { invalid, type FieldMessages, type StoreResult, type Rule } from '../account/model.ts';
import {
  failure,
  invalidFields,
  storeFailure,
  success,
  type JsonObject,
  type HandlerReply,
} from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord, State } from '../account/state.ts';
import {
  addRule,
  deleteAllRules,
  deleteRule,
  findRule,
  listRules,
  updateRule,
  type RuleOrder,
} from '../account/store-rules.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { renderRule } from './render.ts';
import { NEW_RULE_FIELDS, readNewRule, readRuleUpdate, RULE_UPDATE_FIELDS } from '../handlers/rule-fields.ts';

const LIST = '/domains/:domain/rules';
const ONE = '/domains/:domain/rules/:rule';
const BATCH = '/domains/:domain/rules/batch';
const ORDERS: readonly RuleOrder[] = ['rank_asc', 'rank_desc', 'created_asc', 'created_desc'];

const { answer, add, update } = ruleHandlers(renderRule);

export const ruleRoutes: readonly ApiRoute[] = [
  { version: 'v4', method: 'GET', template: LIST, handle: inDomain(list) },
  { version: 'v4', method: 'POST', template: LIST, handle: inDomain(add) },
  { version: 'v4', method: 'DELETE', template: LIST, handle: inDomain(removeAllRules) },
  { version: 'v4', method: 'GET', template: ONE, handle: inDomain(get) },
  { version: 'v4', method: 'PUT', template: ONE, handle: inDomain(update) },
  { version: 'v4', method: 'DELETE', template: ONE, handle: inDomain(removeRule) },
  { version: 'v4', method: 'POST', template: BATCH, handle: inDomain(addBatch) },
  { version: 'v4', method: 'PUT', template: BATCH, handle: inDomain(updateBatch) },
  { version: 'v4', method: 'DELETE', template: BATCH, handle: inDomain(removeBatch) },
];

/** What the versions do alike, but for what a rule looks like. */
export function ruleHandlers(render: (rule: Rule, state: State) => JsonObject): {
  readonly answer: (context: RequestContext, result: StoreResult<Rule>) => HandlerReply;
  readonly add: (context: RequestContext, domain: DomainRecord) => HandlerReply;
  readonly update: (context: RequestContext, domain: DomainRecord) => HandlerReply;
} {
  const answer = ({ state }: RequestContext, result: StoreResult<Rule>): HandlerReply =>
    result.ok ? success({ rule: render(result.value, state) }) : storeFailure(state, result.error);
  return {
    answer,
    add(context, domain) {
      const body = readBody(context, NEW_RULE_FIELDS);
      if (!body.ok) return body.reply;
      const fields = readNewRule(body.value, context.state.switches);
      return answer(context, fields.ok ? addRule(context.state, domain, fields.value) : fields);
    },
    update(context, domain) {
      const { state, params } = context;
      const found = findRule(domain, params['rule'] ?? '');
      if (!found.ok) return storeFailure(state, found.error);
      const body = readBody(context, RULE_UPDATE_FIELDS);
      if (!body.ok) return body.reply;
      const { type } = found.value.config;
      const { switches } = state;
      const config = switches.ruleConfigOnUpdate;
      const fields = readRuleUpdate(body.value, { type, config, switches });
      return answer(context, fields.ok ? updateRule(state, domain, found.value.id, fields.value) : fields);
    },
  };
}

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { query, state } = context;
  const errors: FieldMessages = {};
  const order = readWord(query, 'order', ORDERS, errors) ?? 'rank_asc';
  const page = readPageRequest(context, { limit: 20, maximum: 200 });
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  if (!page.ok) return storeFailure(state, page.error);
  const { limit, offset } = page.value;
  const found = listRules(domain, { query: queryText(query, 'query'), order, offset, limit });
  return success({
    rules: found.items.map(renderRule),
    limit,
    page: page.value.page,
    total: found.total,
  });
}

function get(context: RequestContext, domain: DomainRecord): HandlerReply {
  return answer(context, findRule(domain, context.params['rule'] ?? ''));
}

export function removeRule({ state, params }: RequestContext, domain: DomainRecord): HandlerReply {
  const deleted = deleteRule(state, domain, params['rule'] ?? '');
  return deleted.ok ? { status: 204, body: undefined } : storeFailure(state, deleted.error);
}

export function removeAllRules({ state, query }: RequestContext, domain: DomainRecord): HandlerReply {
  if (query.get('all') !== 'true' && state.switches.unguardedDeleteAll === 'refuse') {
    const message = 'Deleting every rule of a domain needs all=true.';
    return failure(state.switches.unguardedDeleteAllStatus, message, { all: [message] });
  }
  return success({ deleted: deleteAllRules(state, domain) });
}

function addBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  const refused = refuseRuleBatch(context.state);
  if (refused !== undefined) return refused;
  return runBatch(context, {
    field: 'rules',
    verb: 'added',
    render: renderRule,
    apply: (item) => addRuleItem(context, domain, item),
  });
}

function updateBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  return runBatch(context, {
    field: 'rules',
    verb: 'updated',
    render: renderRule,
    apply: (item) => updateRuleItem(context, domain, item, 'optional'),
  });
}

/** Unlike for aliases, no document says that it needs a paid plan: the switch `freeBatchCreate`. */
export function refuseRuleBatch({ tier, switches }: State): HandlerReply | undefined {
  if (tier === 'paid' || switches.freeBatchCreate !== 'refuse-all') return undefined;
  return failure(switches.freeBatchCreateStatus, 'Adding rules in a batch requires a premium account.');
}

export function addRuleItem(
  { state }: RequestContext,
  domain: DomainRecord,
  item: unknown,
): StoreResult<Rule> {
  const reader = readObject(item, NEW_RULE_FIELDS, state.switches);
  if (reader === undefined) return invalid('rules', 'Each of the rules must be an object.');
  const fields = readNewRule(reader, state.switches);
  return fields.ok ? addRule(state, domain, fields.value) : fields;
}

/** With `config: 'required'` as bulk updates have it, or only the fields to change (v4: Rules, v3: Rules). */
export function updateRuleItem(
  { state }: RequestContext,
  domain: DomainRecord,
  item: unknown,
  config: 'required' | 'optional',
): StoreResult<Rule> {
  const { switches } = state;
  const reader = readObject(item, ['id', ...RULE_UPDATE_FIELDS], switches);
  if (reader === undefined) return invalid('rules', 'Each of the rules must be an object.');
  const id = requiredString(reader, 'id');
  if (id === '') return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  const found = findRule(domain, id);
  if (!found.ok) return found;
  const { type } = found.value.config;
  const fields = readRuleUpdate(reader, { type, config, switches });
  return fields.ok ? updateRule(state, domain, id, fields.value) : fields;
}

function removeBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  return runBatch(context, {
    field: 'ids',
    verb: 'deleted',
    render: (rule: Rule) => rule.id,
    apply: (item) => {
      if (typeof item !== 'string') return invalid('ids', 'Each of the ids must be a string.');
      return deleteRule(context.state, domain, item);
    },
  });
}
