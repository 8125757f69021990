import { ALIAS_KIND } from '../account/resources/aliases.ts';
import { CREDENTIAL_KIND } from '../account/resources/credentials.ts';
import { verifyDomain } from '../account/resources/stored-domains.ts';
import { found, type Checked } from '../account/checked.ts';
import type { Alias } from '../account/model.ts';
import { RULE_KIND } from '../account/resources/rules.ts';
import type { DomainRecord, State } from '../account/state.ts';
import { domainHandlers } from '../handlers/domain-handlers.ts';
import { itemHandlers, removeAllHandler } from '../handlers/item-handlers.ts';
import { listHandler } from '../handlers/listing.ts';
import { renderRecords } from '../handlers/verification-handlers.ts';
import { success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import type { QueryReader } from '../http/query.ts';
import {
  routesOf,
  type ApiRoute,
  type DomainContext,
  type DomainHandler,
  type RequestContext,
} from '../http/route-list.ts';
import { renderAccount } from '../v4/render.ts';
import { BATCH_ROUTES, newMxCheck } from '../v4/v4-routes.ts';
import { bulkAliases, bulkRules } from './bulk.ts';
import { countV3Logs, getLogOrAliasLogs, listV3Logs, searchV3Logs } from './v3-logs.ts';
import {
  renderV3Account,
  renderV3Alias,
  renderV3Credential,
  renderV3Domain,
  renderV3Rule,
} from './render.ts';

const domains = domainHandlers('v3', (domain, state) => ({
  ...renderV3Domain(domain, state),
  daily_quota: state.account.plan.daily_receive_limit,
}));
const aliases = itemHandlers(ALIAS_KIND, { render: renderV3Alias, find: findAlias });
const rules = itemHandlers(RULE_KIND, { render: renderV3Rule });
const credentials = itemHandlers(CREDENTIAL_KIND, { render: renderV3Credential, extraFields: newMxCheck });

/** Handlers whose successful bodies have `success` next to the payload. No body is empty (v3: Resources). */
const marked = routesOf('v3', {
  account: {
    'GET /account': ({ state }) => success({ account: accountOf(state) }),
    'GET /account/whitelabels': ({ state }) =>
      success({ whitelabels: state.whitelabels.map((name) => ({ name })) }),
    'GET /domains': listHandler({
      plural: 'domains',
      tableOf: ({ state }) => state.domains,
      render: renderV3Domain,
      bounds: { limit: 50, maximum: 100 },
      orders: ['name_asc'],
      textParameter: 'q',
      filter: isActive,
    }),
    'POST /domains': domains.add,
  },
  domain: {
    'GET ': domains.get,
    'PUT ': domains.update,
    'DELETE ': domains.remove,
    // `success` is true if the MX records are right. The status is 200 in both cases.
    'GET /check'({ domain }) {
      verifyDomain(domain);
      return success({ records: renderRecords(domain), success: domain.fields.dns.mx });
    },
    'GET /aliases': listHandler({
      plural: 'aliases',
      tableOf: ({ domain }: DomainContext) => domain.aliases,
      render: renderV3Alias,
      bounds: { limit: 20, maximum: 100 },
      orders: ['name_asc'],
      textParameter: 'q',
      filter: startsWith,
    }),
    'POST /aliases': aliases.add,
    'GET /aliases/:alias': aliases.get,
    'PUT /aliases/:alias': aliases.update,
    'DELETE /aliases/:alias': aliases.remove,
    'POST /aliases/bulk': bulkAliases,
    'DELETE /aliases/aliases-all': removeAllReply(removeAllHandler(ALIAS_KIND)),
    'GET /rules': listHandler({
      plural: 'rules',
      tableOf: ({ domain }: DomainContext) => domain.rules,
      render: renderV3Rule,
      bounds: { limit: 100, maximum: 100 },
      orders: ['rank_asc'],
      textParameter: 'search',
    }),
    'POST /rules': rules.add,
    'PUT /rules/:rule': rules.update,
    'DELETE /rules/:rule': rules.remove,
    'POST /rules/bulk': bulkRules,
    'DELETE /rules-all': removeAllReply(removeAllHandler(RULE_KIND)),
    // The only listing without a total and a page number (v3: SMTP credentials).
    'GET /credentials': listHandler({
      plural: 'credentials',
      tableOf: ({ domain }: DomainContext) => domain.credentials,
      render: renderV3Credential,
      bounds: { limit: 20, maximum: 200 },
      orders: ['created_asc'],
      numbers: 'omitted',
    }),
    'POST /credentials': credentials.add,
    'PUT /credentials/:username': credentials.update,
    'DELETE /credentials/:username': credentials.remove,
    'GET /logs': listV3Logs,
    'GET /logs/count': countV3Logs,
    'GET /logs/search': searchV3Logs,
    // The segment is the id of a log entry or the name of an alias: two documented routes with one shape.
    'GET /logs/:id': getLogOrAliasLogs,
  },
});

export const V3_ROUTES: readonly ApiRoute[] = [
  ...marked.map((route) => ({
    ...route,
    handle: (context: RequestContext) => withSuccess(route.handle(context)),
  })),
  ...routesOf('v3', { domain: { 'GET /rules/:rule': getRule, ...BATCH_ROUTES } }),
];

function withSuccess(result: HandlerResult): HandlerResult {
  return result.ok ? success({ success: true, ...result.value.body }) : result;
}

function accountOf(state: State): JsonObject {
  return state.switches.v3AccountShape === 'v3' ? renderV3Account(state) : renderAccount(state);
}

function isActive(query: QueryReader): ((domain: DomainRecord) => boolean) | undefined {
  const active = query.word('is_active', ['0', '1'] as const);
  return active === undefined ? undefined : ({ fields }) => fields.forwarding_ready === (active === '1');
}

function startsWith(query: QueryReader): ((alias: Alias) => boolean) | undefined {
  const prefix = query.text('alias')?.toLowerCase();
  return prefix === undefined ? undefined : ({ alias }) => alias.toLowerCase().startsWith(prefix);
}

/** Finds an alias. A name may look like an id; `v3AliasSegment` decides which one is tried first. */
function findAlias({ state, domain }: DomainContext, segment: string): Checked<Alias> {
  const byName = domain.aliases.get(segment);
  const byId = domain.aliases.get(segment, 'id');
  return found(state.switches.v3AliasSegment === 'name-first' ? (byName ?? byId) : (byId ?? byName), 'alias');
}

/** Answers with the bare rule object (v3: Rules). */
function getRule({ state, domain, params }: DomainContext): HandlerResult {
  const rule = RULE_KIND.find(domain, params['rule'] ?? '');
  return rule.ok ? success(renderV3Rule(rule.value, state)) : rule;
}

/**
 * Answers a delete-all. The documents show two different answers (v3: Aliases, Rules); the switch `v3DeleteAllAnswer`
 * selects one.
 */
function removeAllReply(removeAll: DomainHandler): DomainHandler {
  return (context) => {
    const result = removeAll(context);
    return result.ok && context.state.switches.v3DeleteAllAnswer === 'success' ? success({}) : result;
  };
}
