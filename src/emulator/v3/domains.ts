import {
  hasErrors,
  optionalSetting,
  readBody,
  readPageRequest,
  queryText,
  readWord,
  requiredString,
} from '../http/input.ts';
import type { FieldMessages, StoreResult } from '../account/model.ts';
import { invalidFields, storeFailure, success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import {
  addDomain,
  deleteDomain,
  findDomain,
  listDomains,
  updateDomain,
  verifyDomain,
} from '../account/store-domains.ts';
import { renderRecords } from '../handlers/verification.ts';
import { renderV3Domain } from './render.ts';
import { v3Route } from './routes.ts';

export const v3DomainRoutes: readonly ApiRoute[] = [
  v3Route('GET', '/domains', list),
  v3Route('POST', '/domains', add),
  v3Route('GET', '/domains/:domain', (context) =>
    answer(context, findDomain(context.state, nameIn(context))),
  ),
  v3Route('PUT', '/domains/:domain', update),
  v3Route('DELETE', '/domains/:domain', remove),
  v3Route('GET', '/domains/:domain/check', check),
];

function list(context: RequestContext): HandlerReply {
  const errors: FieldMessages = {};
  const active = readWord(context.query, 'is_active', ['0', '1'] as const, errors);
  const minimum = context.state.switches.v3MinimumLimit;
  const request = readPageRequest(context, { limit: 50, maximum: 100, minimum });
  if (hasErrors({ source: {}, errors })) return invalidFields(errors);
  if (!request.ok) return storeFailure(context.state, request.error);
  const { limit, page, offset } = request.value;
  const found = listDomains(context.state, {
    query: queryText(context.query, 'q'),
    forwardingReady: active === undefined ? undefined : active === '1',
    order: 'name_asc',
    offset,
    limit,
  });
  return success({ domains: found.items.map(renderV3Domain), total: found.total, limit, page });
}

function add(context: RequestContext): HandlerReply {
  const body = readBody(context, ['domain', 'notification_email', 'whitelabel']);
  if (!body.ok) return body.reply;
  const domain = requiredString(body.value, 'domain');
  const notification_email = optionalSetting(body.value, 'notification_email');
  const whitelabel = optionalSetting(body.value, 'whitelabel');
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  return answer(context, addDomain(context.state, 'v3', { domain, notification_email, whitelabel }));
}

function update(context: RequestContext): HandlerReply {
  const found = findDomain(context.state, nameIn(context));
  if (!found.ok) return storeFailure(context.state, found.error);
  const body = readBody(context, ['notification_email', 'webhook', 'whitelabel']);
  if (!body.ok) return body.reply;
  const settings = {
    notification_email: optionalSetting(body.value, 'notification_email'),
    webhook: optionalSetting(body.value, 'webhook'),
    whitelabel: optionalSetting(body.value, 'whitelabel'),
  };
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  return answer(context, updateDomain(context.state, found.value.name, settings));
}

function remove(context: RequestContext): HandlerReply {
  const deleted = deleteDomain(context.state, nameIn(context));
  return deleted.ok ? { status: 204, body: undefined } : storeFailure(context.state, deleted.error);
}

/** `success` says whether the MX records are right; the status is 200 either way. */
function check(context: RequestContext): HandlerReply {
  const found = verifyDomain(context.state, nameIn(context));
  if (!found.ok) return storeFailure(context.state, found.error);
  return success({ records: renderRecords(found.value), success: found.value.dns.mx });
}

function answer({ state }: RequestContext, result: StoreResult<DomainRecord>): HandlerReply {
  if (!result.ok) return storeFailure(state, result.error);
  const daily_quota = state.account.plan.daily_receive_limit;
  return success({ domain: { ...renderV3Domain(result.value), daily_quota } });
}

function nameIn({ params }: RequestContext): string {
  return params['domain'] ?? '';
}
