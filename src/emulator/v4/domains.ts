import {
  hasErrors,
  optionalSetting,
  readBody,
  readPageRequest,
  queryText,
  readWord,
  requiredString,
  type FieldReader,
} from '../http/input.ts';
import type { FieldMessages } from '../account/model.ts';
import { invalidFields, storeFailure, success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { ListOrder } from '../account/store-aliases.ts';
import {
  addDomain,
  deleteDomain,
  findDomain,
  listDomains,
  updateDomain,
  verifyDomain,
  type DomainSettings,
} from '../account/store-domains.ts';
import { renderRecords } from '../handlers/verification.ts';
import { renderDomain } from './render.ts';

export const LIST_ORDERS: readonly ListOrder[] = ['name_asc', 'name_desc', 'created_asc', 'created_desc'];
const BOOLEANS = ['true', 'false'] as const;

export const domainRoutes: readonly ApiRoute[] = [
  { version: 'v4', method: 'GET', template: '/domains', handle: list },
  { version: 'v4', method: 'POST', template: '/domains', handle: add },
  { version: 'v4', method: 'GET', template: '/domains/:domain', handle: get },
  { version: 'v4', method: 'PUT', template: '/domains/:domain', handle: update },
  { version: 'v4', method: 'DELETE', template: '/domains/:domain', handle: remove },
  { version: 'v4', method: 'POST', template: '/domains/:domain/verify', handle: verify },
];

function list(context: RequestContext): HandlerReply {
  const { query, state } = context;
  const errors: FieldMessages = {};
  const forwardingReady = readWord(query, 'forwarding_ready', BOOLEANS, errors);
  const sendReady = readWord(query, 'send_ready', BOOLEANS, errors);
  const routing = readWord(query, 'routing_engine', ['alias', 'rules', 'null'] as const, errors);
  const order = readWord(query, 'order', LIST_ORDERS, errors) ?? 'name_asc';
  const whitelabel = queryText(query, 'whitelabel');
  const page = readPageRequest(context, { limit: 20, maximum: 200 });
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  if (!page.ok) return storeFailure(state, page.error);
  const found = listDomains(state, {
    query: queryText(query, 'query'),
    forwardingReady: forwardingReady === undefined ? undefined : forwardingReady === 'true',
    sendReady: sendReady === undefined ? undefined : sendReady === 'true',
    whitelabel: whitelabel === 'null' ? null : whitelabel,
    routingEngine: routing === 'null' ? null : routing,
    order,
    offset: page.value.offset,
    limit: page.value.limit,
  });
  return success({
    domains: found.items.map(renderDomain),
    total: found.total,
    limit: page.value.limit,
    page: page.value.page,
  });
}

function get({ state, params }: RequestContext): HandlerReply {
  const found = findDomain(state, params['domain'] ?? '');
  return found.ok ? success({ domain: renderDomain(found.value) }) : storeFailure(state, found.error);
}

function add(context: RequestContext): HandlerReply {
  const body = readBody(context, ['domain', 'notification_email', 'whitelabel']);
  if (!body.ok) return body.reply;
  const domain = requiredString(body.value, 'domain');
  const settings = readSettings(body.value);
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  const added = addDomain(context.state, 'v4', { domain, ...settings });
  return added.ok ? success({ domain: renderDomain(added.value) }) : storeFailure(context.state, added.error);
}

function update(context: RequestContext): HandlerReply {
  const { state, params } = context;
  const found = findDomain(state, params['domain'] ?? '');
  if (!found.ok) return storeFailure(state, found.error);
  const body = readBody(context, ['notification_email', 'whitelabel']);
  if (!body.ok) return body.reply;
  const settings = readSettings(body.value);
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  const updated = updateDomain(state, found.value.name, settings);
  return updated.ok ? success({ domain: renderDomain(updated.value) }) : storeFailure(state, updated.error);
}

function remove({ state, params }: RequestContext): HandlerReply {
  const deleted = deleteDomain(state, params['domain'] ?? '');
  return deleted.ok ? { status: 204, body: undefined } : storeFailure(state, deleted.error);
}

function verify({ state, params }: RequestContext): HandlerReply {
  const verified = verifyDomain(state, params['domain'] ?? '');
  return verified.ok
    ? success({ records: renderRecords(verified.value) })
    : storeFailure(state, verified.error);
}

/** A field that was left out is undefined: an update treats it otherwise than null. */
function readSettings(reader: FieldReader): DomainSettings {
  return {
    notification_email: optionalSetting(reader, 'notification_email'),
    whitelabel: optionalSetting(reader, 'whitelabel'),
  };
}
