import { decodeFields, encodeFields } from '../../fields/fields.ts';
import { stringField } from '../../fields/json.ts';
import type { StateTypes } from '../../model/kinds.ts';
import type { KindWire } from '../wire.ts';
import { CONTACT } from './fields.ts';

const ENDPOINTS = {
  listContacts: { method: 'GET', template: '/domains/:domain/contacts' },
  addContact: { method: 'POST', template: '/domains/:domain/contacts' },
  updateContact: { method: 'PUT', template: '/domains/:domain/contacts/:name' },
  deleteContact: { method: 'DELETE', template: '/domains/:domain/contacts/:name' },
} as const;

export const CONTACT_WIRE: KindWire<'contact'> = {
  endpoints: { v4: ENDPOINTS, v3: ENDPOINTS },
  list: { operation: 'listContacts', pageSize: { v4: 200, v3: 100 }, query: { v4: {}, v3: {} } },
  get: null,
  writes: {
    add: { single: 'addContact', batch: null },
    update: { single: 'updateContact', batch: null },
    delete: { single: 'deleteContact', batch: null },
  },
  segment: { v4: 'name', v3: 'name' },
  noun: 'contact',
  decode: (json) => ({
    name: stringField(json, 'name'),
    ...(decodeFields(CONTACT.fields, json) as StateTypes['contact']),
  }),
  addition: (item) => ({ name: item.name, ...encodeFields(CONTACT.fields, item) }),
  update: (item) => encodeFields(CONTACT.fields, item),
};
