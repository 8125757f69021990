import { decodeForward, encodeForward } from '../../core/model/destinations.ts';
import { nameKey } from '../../core/model/names.ts';
import type { ObservedAlias } from '../../core/model/resources.ts';
import type { Call } from '../http/call.ts';
import type { AliasAddition, AliasUpdate, Client, LookupClient } from '../client.ts';
import { addressable, expectSame, idField, objectField, objectOf, stringField, type Json } from './decode.ts';
import type { Dialect } from './dialects.ts';
import { readListing } from '../listing.ts';
import { decodeBatch, deletedBatch, sendBatch } from './batch.ts';

type AliasOperations = Pick<
  Client & LookupClient,
  | 'getAlias'
  | 'listAliases'
  | 'addAlias'
  | 'updateAlias'
  | 'deleteAlias'
  | 'addAliases'
  | 'updateAliases'
  | 'deleteAliases'
>;

/** Alias requests of both versions (v4, v3: Aliases). */
export function aliasOperations(call: Call, dialect: Dialect): AliasOperations {
  return { ...singles(call, dialect), ...batches(call, dialect) };
}

type Singles = Pick<AliasOperations, 'listAliases' | 'getAlias' | 'addAlias' | 'updateAlias' | 'deleteAlias'>;

function singles(call: Call, { endpoints, pageSize, orders, aliasSegment }: Dialect): Singles {
  return {
    listAliases: (domain) =>
      readListing(call, {
        endpoint: endpoints.listAliases,
        params: { domain },
        query: orders.aliases,
        field: 'aliases',
        pageSize: pageSize.aliases,
        decode: decodeAlias,
        keyOf: ({ id }) => id,
      }),
    getAlias: (domain, id) =>
      call({ endpoint: endpoints.getAlias, params: { domain, [aliasSegment]: id } }, theAlias),
    addAlias: (domain, { alias, forward }) =>
      call(
        { endpoint: endpoints.addAlias, params: { domain }, body: aliasBody({ alias, forward }) },
        (json) => {
          const added = theAlias(json);
          expectSame('alias', nameKey(alias), nameKey(added.name));
          return added;
        },
      ),
    updateAlias(domain, { id, forward }) {
      const params = { domain, [aliasSegment]: id };
      return call(
        { endpoint: endpoints.updateAlias, params, body: { forward: encodeForward(forward) } },
        (json) => {
          const updated = theAlias(json);
          expectSame('id', id, updated.id);
          return updated;
        },
      );
    },
    deleteAlias: (domain, id) =>
      call({ endpoint: endpoints.deleteAlias, params: { domain, [aliasSegment]: id } }, () => undefined),
  };
}

function batches(call: Call, { endpoints }: Dialect): Omit<AliasOperations, keyof Singles> {
  return {
    addAliases: (domain, items) =>
      sendBatch(call, endpoints.addAliases, domain, { aliases: items.map(aliasBody) }, (json) =>
        decodeBatch(json, {
          field: 'added',
          decode: decodeAlias,
          sent: items.map(({ alias }) => nameKey(alias)),
          keyOf: ({ name }) => nameKey(name),
        }),
      ),
    updateAliases: (domain, items) =>
      sendBatch(call, endpoints.updateAliases, domain, { aliases: items.map(aliasBody) }, (json) =>
        decodeBatch(json, {
          field: 'updated',
          decode: decodeAlias,
          sent: items.map(({ id }) => id),
          keyOf: ({ id }) => id,
        }),
      ),
    deleteAliases: (domain, ids) =>
      sendBatch(call, endpoints.deleteAliases, domain, { ids }, deletedBatch(ids)),
  };
}

function theAlias(json: Json | null): ObservedAlias {
  return decodeAlias(objectField(json ?? {}, 'alias'));
}

export function aliasBody({ forward, ...item }: AliasAddition | AliasUpdate): Json {
  return { ...item, forward: encodeForward(forward) };
}

/** Decodes an alias (v4: Alias; v3: Alias). */
export function decodeAlias(value: unknown): ObservedAlias {
  const json = objectOf(value, 'alias');
  return {
    id: addressable('alias', idField(json, 'id')),
    name: stringField(json, 'alias'),
    forward: decodeForward(stringField(json, 'forward')),
  };
}
