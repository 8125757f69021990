import { ALIAS_KIND } from '../account/resources/aliases.ts';
import { CREDENTIAL_KIND } from '../account/resources/credentials.ts';
import { verifyDomain } from '../account/resources/stored-domains.ts';
import { found, type Checked } from '../account/checked.ts';
import type { Alias } from '../account/model.ts';
import { RULE_KIND } from '../account/resources/rules.ts';
import type { DomainRecord } from '../account/state.ts';
import { batchHandlers } from '../handlers/batch.ts';
import { domainHandlers } from '../handlers/domain-handlers.ts';
import { itemHandlers, removeAllHandler } from '../handlers/item-handlers.ts';
import { listHandler } from '../handlers/listing.ts';
import { renderRecords } from '../handlers/verification-handlers.ts';
import { success } from '../http/protocol.ts';
import type { QueryReader } from '../http/query.ts';
import { routesOf, type DomainContext, type DomainHandler } from '../http/route-list.ts';
import { countDomainLogs, getLog, listDomainLogs, searchDomainLogs } from './v4-logs.ts';
import { renderAccount, renderAlias, renderCredential, renderDomain, renderRule } from './render.ts';

const BOUNDS = { limit: 20, maximum: 200 };
const BOOLEANS = ['true', 'false'] as const;
const NAME_ORDERS = ['name_asc', 'name_desc', 'created_asc', 'created_desc'] as const;

const domains = domainHandlers('v4', renderDomain);
const aliases = itemHandlers(ALIAS_KIND, { render: renderAlias });
const rules = itemHandlers(RULE_KIND, { render: renderRule });
const credentials = itemHandlers(CREDENTIAL_KIND, { render: renderCredential, extraFields: newMxCheck });
const aliasBatches = batchHandlers(ALIAS_KIND, { render: renderAlias, find: findBatchAlias });
const ruleBatches = batchHandlers(RULE_KIND, {
  render: renderRule,
  find: ({ domain }, id) => RULE_KIND.find(domain, id),
});

/** Routes of batches. They are the same in both versions, including string ids and times (v3: Resources). */
export const BATCH_ROUTES: Readonly<Record<string, DomainHandler>> = {
  'POST /aliases/batch': aliasBatches.add,
  'PUT /aliases/batch': aliasBatches.update,
  'DELETE /aliases/batch': aliasBatches.remove,
  'POST /rules/batch': ruleBatches.add,
  'PUT /rules/batch': ruleBatches.update,
  'DELETE /rules/batch': ruleBatches.remove,
};

export const V4_ROUTES = routesOf('v4', {
  account: {
    'GET /account': ({ state }) => success({ account: renderAccount(state) }),
    'GET /domains': listHandler({
      plural: 'domains',
      tableOf: ({ state }) => state.domains,
      render: renderDomain,
      bounds: BOUNDS,
      orders: NAME_ORDERS,
      textParameter: 'query',
      filter: domainFilter,
    }),
    'POST /domains': domains.add,
  },
  domain: {
    'GET ': domains.get,
    'PUT ': domains.update,
    'DELETE ': domains.remove,
    'POST /verify'({ domain }) {
      verifyDomain(domain);
      return success({ records: renderRecords(domain) });
    },
    'GET /aliases': listHandler({
      plural: 'aliases',
      tableOf: ({ domain }: DomainContext) => domain.aliases,
      render: renderAlias,
      bounds: BOUNDS,
      orders: NAME_ORDERS,
      textParameter: 'query',
    }),
    'POST /aliases': aliases.add,
    'DELETE /aliases': removeAllHandler(ALIAS_KIND),
    'GET /aliases/:id': aliases.get,
    'PUT /aliases/:id': aliases.update,
    'DELETE /aliases/:id': aliases.remove,
    'GET /rules': listHandler({
      plural: 'rules',
      tableOf: ({ domain }: DomainContext) => domain.rules,
      render: renderRule,
      bounds: BOUNDS,
      orders: ['rank_asc', 'rank_desc', 'created_asc', 'created_desc'],
      textParameter: 'query',
    }),
    'POST /rules': rules.add,
    'DELETE /rules': removeAllHandler(RULE_KIND),
    'GET /rules/:rule': rules.get,
    'PUT /rules/:rule': rules.update,
    'DELETE /rules/:rule': rules.remove,
    'GET /credentials': listHandler({
      plural: 'credentials',
      tableOf: ({ domain }: DomainContext) => domain.credentials,
      render: renderCredential,
      bounds: BOUNDS,
      orders: ['created_asc'],
    }),
    'POST /credentials': credentials.add,
    'PUT /credentials/:username': credentials.update,
    'DELETE /credentials/:username': credentials.remove,
    'GET /logs': listDomainLogs,
    'GET /logs/count': countDomainLogs,
    'GET /logs/search': searchDomainLogs,
    'GET /logs/:id': getLog,
    ...BATCH_ROUTES,
  },
});

function domainFilter(query: QueryReader): (domain: DomainRecord) => boolean {
  const forwarding = query.word('forwarding_ready', BOOLEANS);
  const sending = query.word('send_ready', BOOLEANS);
  const routing = query.word('routing_engine', ['alias', 'rules', 'null'] as const);
  const whitelabel = query.text('whitelabel');
  return ({ fields }) =>
    [
      [forwarding, fields.forwarding_ready],
      [sending, fields.send_ready],
      [routing, fields.routing_engine],
      [whitelabel, fields.whitelabel],
    ].every(([wanted, value]) => wanted === undefined || wanted === String(value));
}

/** Returns the field that asks for another check of the MX records. The first credential of a domain needs one. */
export function newMxCheck({ domain }: DomainContext): { readonly requires_new_mx_check: boolean } {
  return { requires_new_mx_check: domain.credentials.size === 1 };
}

/**
 * Finds an alias by its id in a batch. Listings of v3 show ids as integers and batches take strings; no document says that
 * both are the same (v3: Resources).
 */
function findBatchAlias({ version, state, domain }: DomainContext, id: string): Checked<Alias> {
  const isUnknown = version === 'v3' && state.switches.v3ListedIdsInBatches === 'unknown';
  return isUnknown ? found<Alias>(undefined, 'alias') : ALIAS_KIND.find(domain, id);
}
