import { runBatch } from '../handlers/batch.ts';
import {
  hasErrors,
  optionalString,
  readBody,
  readObject,
  readPageRequest,
  queryText,
  readWord,
  requiredString,
  type FieldReader,
} from '../http/input.ts';
import { invalid, type Alias, type FieldMessages, type StoreResult } from '../account/model.ts';
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
  addAlias,
  deleteAlias,
  deleteAllAliases,
  findAlias,
  listAliases,
  updateAlias,
} from '../account/store-aliases.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { LIST_ORDERS } from './domains.ts';
import { renderAlias } from './render.ts';

const LIST = '/domains/:domain/aliases';
const ONE = '/domains/:domain/aliases/:id';
const BATCH = '/domains/:domain/aliases/batch';

const { get, add, update, remove } = aliasHandlers({ find: findById, render: renderAlias });

export const aliasRoutes: readonly ApiRoute[] = [
  { version: 'v4', method: 'GET', template: LIST, handle: inDomain(list) },
  { version: 'v4', method: 'POST', template: LIST, handle: inDomain(add) },
  { version: 'v4', method: 'DELETE', template: LIST, handle: inDomain(removeAllAliases) },
  { version: 'v4', method: 'GET', template: ONE, handle: inDomain(get) },
  { version: 'v4', method: 'PUT', template: ONE, handle: inDomain(update) },
  { version: 'v4', method: 'DELETE', template: ONE, handle: inDomain(remove) },
  { version: 'v4', method: 'POST', template: BATCH, handle: inDomain(addBatch) },
  { version: 'v4', method: 'PUT', template: BATCH, handle: inDomain(updateBatch) },
  { version: 'v4', method: 'DELETE', template: BATCH, handle: inDomain(removeBatch) },
];

/** What the versions do alike, but for what names an alias in a path and what an alias looks like. */
export function aliasHandlers({
  find,
  render,
}: {
  readonly find: (context: RequestContext, domain: DomainRecord) => StoreResult<Alias>;
  readonly render: (alias: Alias) => JsonObject;
}): Record<
  'get' | 'add' | 'update' | 'remove',
  (context: RequestContext, domain: DomainRecord) => HandlerReply
> {
  const answer = (context: RequestContext, result: StoreResult<Alias>): HandlerReply =>
    result.ok ? success({ alias: render(result.value) }) : storeFailure(context.state, result.error);
  return {
    get: (context, domain) => answer(context, find(context, domain)),
    add(context, domain) {
      const body = readBody(context, ['alias', 'forward']);
      if (!body.ok) return body.reply;
      const fields = readNewAlias(body.value);
      return answer(context, fields.ok ? addAlias(context.state, domain, fields.value) : fields);
    },
    update(context, domain) {
      const found = find(context, domain);
      if (!found.ok) return storeFailure(context.state, found.error);
      const body = readBody(context, ['forward']);
      if (!body.ok) return body.reply;
      const forward = requiredString(body.value, 'forward');
      if (hasErrors(body.value)) return invalidFields(body.value.errors);
      return answer(context, updateAlias(context.state, domain, found.value.id, { forward }));
    },
    remove(context, domain) {
      const found = find(context, domain);
      if (!found.ok) return storeFailure(context.state, found.error);
      deleteAlias(context.state, domain, found.value.id);
      return { status: 204, body: undefined };
    },
  };
}

function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { query, state } = context;
  const errors: FieldMessages = {};
  const order = readWord(query, 'order', LIST_ORDERS, errors) ?? 'name_asc';
  const page = readPageRequest(context, { limit: 20, maximum: 200 });
  if (Object.keys(errors).length > 0) return invalidFields(errors);
  if (!page.ok) return storeFailure(state, page.error);
  const { limit, offset } = page.value;
  const found = listAliases(domain, { query: queryText(query, 'query'), order, offset, limit });
  return success({
    aliases: found.items.map(renderAlias),
    limit,
    page: page.value.page,
    total: found.total,
  });
}

export function removeAllAliases({ state, query }: RequestContext, domain: DomainRecord): HandlerReply {
  if (query.get('all') !== 'true' && state.switches.unguardedDeleteAll === 'refuse') {
    const message = 'Deleting every alias of a domain needs all=true.';
    return failure(state.switches.unguardedDeleteAllStatus, message, { all: [message] });
  }
  return success({ deleted: deleteAllAliases(state, domain) });
}

function addBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const refused = refuseAliasBatch(state);
  if (refused !== undefined) return refused;
  return runBatch(context, {
    field: 'aliases',
    verb: 'added',
    render: renderAlias,
    apply: (item) => addAliasItem(state, domain, item),
  });
}

function updateBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  return runBatch(context, {
    field: 'aliases',
    verb: 'updated',
    render: renderAlias,
    apply: (item) => {
      const reader = readObject(item, ['id', 'forward'], state.switches);
      if (reader === undefined) return invalid('aliases', 'Each of the aliases must be an object.');
      const id = requiredString(reader, 'id');
      const forward = optionalString(reader, 'forward');
      if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
      return updateAlias(state, domain, batchId(context, id), { forward });
    },
  });
}

function removeBatch(context: RequestContext, domain: DomainRecord): HandlerReply {
  return runBatch(context, {
    field: 'ids',
    verb: 'deleted',
    render: (alias: Alias) => String(alias.id),
    apply: (item) => {
      if (typeof item !== 'string') return invalid('ids', 'Each of the ids must be a string.');
      return deleteAlias(context.state, domain, batchId(context, item));
    },
  });
}

/** v3: Resources. Listings show ids as integers and batches take strings: whether these are the same is not said. */
function batchId({ version, state }: RequestContext, text: string): number {
  return version === 'v3' && state.switches.v3ListedIdsInBatches === 'unknown' ? Number.NaN : aliasId(text);
}

/** Batch create needs a paid plan (v4: Limits). */
export function refuseAliasBatch({ tier, switches }: State): HandlerReply | undefined {
  if (tier === 'paid' || switches.freeBatchCreate === 'allow') return undefined;
  return failure(switches.freeBatchCreateStatus, 'Adding aliases in a batch requires a premium account.');
}

export function addAliasItem(state: State, domain: DomainRecord, item: unknown): StoreResult<Alias> {
  const reader = readObject(item, ['alias', 'forward'], state.switches);
  if (reader === undefined) return invalid('aliases', 'Each of the aliases must be an object.');
  const fields = readNewAlias(reader);
  return fields.ok ? addAlias(state, domain, fields.value) : fields;
}

/** `alias` and `forward` as they were sent; errors for what is no string. */
export function readNewAlias(
  reader: FieldReader,
): StoreResult<{ readonly alias: string; readonly forward: string }> {
  const alias = requiredString(reader, 'alias');
  const forward = requiredString(reader, 'forward');
  if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  return { ok: true, value: { alias, forward } };
}

/** The id that a text states; NaN, which no alias has, for a text that is no id. */
export function aliasId(text: string): number {
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
}

function findById({ params }: RequestContext, domain: DomainRecord): StoreResult<Alias> {
  return findAlias(domain, aliasId(params['id'] ?? ''));
}
