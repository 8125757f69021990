import { decodeFields, encodeFields } from '../../fields/fields.ts';
import { idField, stringField } from '../../fields/json.ts';
import type { KindWire } from '../wire.ts';
import { ALIAS, type AliasState } from './fields.ts';

const BOTH = {
  listAliases: { method: 'GET', template: '/domains/:domain/aliases' },
  addAlias: { method: 'POST', template: '/domains/:domain/aliases' },
  addAliases: { method: 'POST', template: '/domains/:domain/aliases/batch' },
  updateAliases: { method: 'PUT', template: '/domains/:domain/aliases/batch' },
  deleteAliases: { method: 'DELETE', template: '/domains/:domain/aliases/batch' },
} as const;

/**
 * The requests about aliases (v4, v3: Aliases). v3 paths hold integer ids, never names: a name could equal a route.
 */
export const ALIAS_WIRE: KindWire<'alias'> = {
  endpoints: {
    v4: {
      ...BOTH,
      getAlias: { method: 'GET', template: '/domains/:domain/aliases/:id' },
      updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:id' },
      deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:id' },
    },
    v3: {
      ...BOTH,
      getAlias: { method: 'GET', template: '/domains/:domain/aliases/:alias' },
      bulkAliases: { method: 'POST', template: '/domains/:domain/aliases/bulk' },
      updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:alias' },
      deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:alias' },
    },
  },
  list: {
    operation: 'listAliases',
    pageSize: { v4: 200, v3: 100 },
    query: { v4: { order: 'name_asc' }, v3: {} },
  },
  get: 'getAlias',
  writes: {
    add: { single: 'addAlias', batch: 'addAliases' },
    update: { single: 'updateAlias', batch: 'updateAliases' },
    delete: { single: 'deleteAlias', batch: 'deleteAliases' },
  },
  segment: { v4: 'id', v3: 'alias' },
  noun: 'alias',
  decode: (json) => ({
    id: idField(json),
    name: stringField(json, 'alias'),
    ...(decodeFields(ALIAS.fields, json) as AliasState),
  }),
  addition: (item) => ({ alias: item.name, ...encodeFields(ALIAS.fields, item) }),
  update: (item) => encodeFields(ALIAS.fields, item),
};
