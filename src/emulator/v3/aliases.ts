import { hasErrors, readBody, readPageRequest, readText, requiredString } from '../input.ts';
import type { Alias, Result } from '../model.ts';
import { invalidFields, storeFailure, success, type Reply } from '../protocol.ts';
import type { Context, Route } from '../routes.ts';
import type { DomainRecord } from '../state.ts';
import {
  addAlias,
  deleteAlias,
  findAlias,
  findAliasByName,
  listAliases,
  updateAlias,
} from '../store-aliases.ts';
import { aliasRoutes } from '../v4/aliases.ts';
import { inDomain } from '../v4/domain-scope.ts';
import { renderAlias } from './render.ts';
import { v3Route } from './routes.ts';

const LIST = '/domains/:domain/aliases';
const ONE = '/domains/:domain/aliases/:alias';

export const v3AliasRoutes: readonly Route[] = [
  v3Route('GET', LIST, inDomain(list)),
  v3Route('POST', LIST, inDomain(add)),
  v3Route(
    'GET',
    ONE,
    inDomain((context, domain) => answer(context, find(context, domain))),
  ),
  v3Route('PUT', ONE, inDomain(update)),
  v3Route('DELETE', ONE, inDomain(remove)),
  // Batches are the same in both versions, string ids and times included (v3: Resources).
  ...aliasRoutes
    .filter((route) => route.template.endsWith('/batch'))
    .map((route): Route => ({ ...route, version: 'v3' })),
];

function list(context: Context, domain: DomainRecord): Reply {
  const request = readPageRequest(context, { limit: 20, maximum: 100 });
  if (!request.ok) return storeFailure(context.state, request.error);
  const { limit, page, offset } = request.value;
  const query = readText(context.query, 'q');
  const prefix = readText(context.query, 'alias');
  const found = listAliases(domain, { query, prefix, order: 'name_asc', offset, limit });
  return success({ aliases: found.items.map(renderAlias), limit, page, total: found.total });
}

function add(context: Context, domain: DomainRecord): Reply {
  const body = readBody(context, ['alias', 'forward']);
  if (!body.ok) return body.reply;
  const alias = requiredString(body.value, 'alias');
  const forward = requiredString(body.value, 'forward');
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  return answer(context, addAlias(context.state, domain, { alias, forward }));
}

function update(context: Context, domain: DomainRecord): Reply {
  const found = find(context, domain);
  if (!found.ok) return storeFailure(context.state, found.error);
  const body = readBody(context, ['forward']);
  if (!body.ok) return body.reply;
  const forward = requiredString(body.value, 'forward');
  if (hasErrors(body.value)) return invalidFields(body.value.errors);
  return answer(context, updateAlias(context.state, domain, found.value.id, { forward }));
}

function remove(context: Context, domain: DomainRecord): Reply {
  const found = find(context, domain);
  if (!found.ok) return storeFailure(context.state, found.error);
  deleteAlias(context.state, domain, found.value.id);
  return success({});
}

/** By name, or else by integer id. */
function find({ state, params }: Context, domain: DomainRecord): Result<Alias> {
  const text = params['alias'] ?? '';
  const named = findAliasByName(state, domain, text);
  return named.ok || !/^\d+$/.test(text) ? named : findAlias(domain, Number(text));
}

function answer({ state }: Context, result: Result<Alias>): Reply {
  return result.ok ? success({ alias: renderAlias(result.value) }) : storeFailure(state, result.error);
}
