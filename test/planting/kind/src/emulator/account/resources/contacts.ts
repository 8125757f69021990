import type { JsonObject } from '../../http/protocol.ts';
import { found, invalid, ok } from '../checked.ts';
import { byCreation, createTable } from '../table.ts';
import { takeSequence, type DomainRecord } from '../state.ts';
import { ifGiven, readFields, requiredText } from './body.ts';
import { flagField, nameField } from './fields.ts';
import type { ItemKind } from './kind.ts';

/** Contact of a domain. */
export interface Contact {
  readonly name: string;
  readonly sequence: number;
  readonly created_at: number;
  email: string;
  urgent: boolean;
}

/** The kind of contacts. It has no batches. */
export const CONTACT_KIND: ItemKind<Contact> = {
  noun: 'contact',
  plural: 'contacts',
  tableOf: (domain) => domain.contacts,
  find: (domain, name) => found(domain.contacts.get(name), 'contact'),
  add(state, domain, body) {
    const shape = { name: nameField, email: requiredText, urgent: flagField };
    const fields = readFields(body, shape, state.switches.unknownFields);
    if (!fields.ok) return fields;
    const { urgent = false, ...stated } = fields.value;
    if (domain.contacts.get(stated.name) !== undefined)
      return invalid('name', 'This contact exists already.');
    const sequence = takeSequence(state);
    const contact: Contact = { ...stated, urgent, sequence, created_at: state.environment.now() };
    domain.contacts.insert(contact);
    return ok(contact);
  },
  update(state, { item }, body) {
    const shape = { email: ifGiven(requiredText), urgent: flagField };
    const fields = readFields(body, shape, state.switches.unknownFields);
    if (!fields.ok) return fields;
    item.email = fields.value.email ?? item.email;
    item.urgent = fields.value.urgent ?? item.urgent;
    return ok(item);
  },
  neededOnUpdate: () => 'optional',
  batchCreateNeedsPlan: () => false,
};

export function createContacts(): DomainRecord['contacts'] {
  return createTable<Contact, 'name', 'created'>({
    keys: { name: ({ name }) => name },
    letterCase: 'any',
    orders: { created: byCreation },
  });
}

/** Renders a contact for both versions of the API. */
export function renderContact({ name, email, urgent }: Contact): JsonObject {
  return { name, email, urgent };
}
