import { hasErrors, optionalString, readBody, readPageRequest, requiredString } from '../http/input.ts';
import type { Credential } from '../account/model.ts';
import {
  invalidFields,
  storeFailure,
  success,
  type JsonObject,
  type HandlerReply,
} from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import {
  addCredential,
  deleteCredential,
  findCredential,
  listCredentials,
  updateCredential,
} from '../account/store-credentials.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { renderCredential } from './render.ts';

const LIST = '/domains/:domain/credentials';
const ONE = '/domains/:domain/credentials/:username';

const { add, update } = credentialHandlers(renderCredential);

export const credentialRoutes: readonly ApiRoute[] = [
  { version: 'v4', method: 'GET', template: LIST, handle: inDomain(list) },
  { version: 'v4', method: 'POST', template: LIST, handle: inDomain(add) },
  { version: 'v4', method: 'PUT', template: ONE, handle: inDomain(update) },
  { version: 'v4', method: 'DELETE', template: ONE, handle: inDomain(removeCredential) },
];

/** What the versions do alike, but for what a credential looks like. */
export function credentialHandlers(
  render: (credential: Credential) => JsonObject,
): Record<'add' | 'update', (context: RequestContext, domain: DomainRecord) => HandlerReply> {
  return {
    add(context, domain) {
      const { state } = context;
      const body = readBody(context, ['username', 'password']);
      if (!body.ok) return body.reply;
      const username = requiredString(body.value, 'username');
      const password = requiredString(body.value, 'password');
      if (hasErrors(body.value)) return invalidFields(body.value.errors);
      const isFirst = domain.credentials.byUsername.size === 0;
      const added = addCredential(state, domain, { username, password });
      if (!added.ok) return storeFailure(state, added.error);
      return success({ credential: render(added.value), requires_new_mx_check: isFirst });
    },
    update(context, domain) {
      const { state, params } = context;
      const found = findCredential(domain, params['username'] ?? '');
      if (!found.ok) return storeFailure(state, found.error);
      const body = readBody(context, ['password']);
      if (!body.ok) return body.reply;
      const read = state.switches.passwordOnUpdate === 'required' ? requiredString : optionalString;
      const password = read(body.value, 'password');
      if (hasErrors(body.value)) return invalidFields(body.value.errors);
      const updated = updateCredential(domain, found.value.username, { password });
      return updated.ok ? success({ credential: render(updated.value) }) : storeFailure(state, updated.error);
    },
  };
}

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const request = readPageRequest(context, { limit: 20, maximum: 200 });
  if (!request.ok) return storeFailure(context.state, request.error);
  const { limit, page } = request.value;
  const found = listCredentials(domain, request.value);
  return success({
    credentials: found.items.map(renderCredential),
    limit,
    page,
    total: found.total,
  });
}

export function removeCredential({ state, params }: RequestContext, domain: DomainRecord): HandlerReply {
  const deleted = deleteCredential(domain, params['username'] ?? '');
  return deleted.ok ? { status: 204, body: undefined } : storeFailure(state, deleted.error);
}
