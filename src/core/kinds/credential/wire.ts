import { encodeFields } from '../../fields/fields.ts';
import { stringField } from '../../fields/json.ts';
import type { KindWire } from '../wire.ts';
import { CREDENTIAL } from './fields.ts';

const ENDPOINTS = {
  listCredentials: { method: 'GET', template: '/domains/:domain/credentials' },
  addCredential: { method: 'POST', template: '/domains/:domain/credentials' },
  updateCredential: { method: 'PUT', template: '/domains/:domain/credentials/:username' },
  deleteCredential: { method: 'DELETE', template: '/domains/:domain/credentials/:username' },
} as const;

/** The requests about SMTP credentials (v4, v3). They have no batches. */
export const CREDENTIAL_WIRE: KindWire<'credential'> = {
  endpoints: { v4: ENDPOINTS, v3: ENDPOINTS },
  list: {
    operation: 'listCredentials',
    pageSize: { v4: 200, v3: 200 },
    query: { v4: {}, v3: {} },
    untotalled: ['v3'],
  },
  get: null,
  writes: {
    add: { single: 'addCredential', batch: null },
    update: { single: 'updateCredential', batch: null },
    delete: { single: 'deleteCredential', batch: null },
  },
  segment: { v4: 'username', v3: 'username' },
  noun: 'credential',
  isSilent: true,
  decode: (json) => ({ name: stringField(json, 'username') }),
  addition: (item) => ({ username: item.name, ...encodeFields(CREDENTIAL.fields, item) }),
  update: (item) => encodeFields(CREDENTIAL.fields, item),
  // v4: SMTP credentials. A domain's first credential needs DNS records before it can send.
  noteOf: (answer, domain) =>
    answer['requires_new_mx_check'] === true
      ? (command) =>
          `${domain} has its first SMTP credential: sending stays blocked until its DKIM and DMARC records are in DNS ` +
          `(\`${command(`verify ${domain}`)}\` prints them)`
      : null,
};
