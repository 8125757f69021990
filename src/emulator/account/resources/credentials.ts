import { ifGiven, readFields, type BodyObject } from './body.ts';
import { found, invalid, ok, type Checked } from '../checked.ts';
import { nameField, passwordField } from './fields.ts';
import type { ItemKind } from './kind.ts';
import type { Credential } from '../model.ts';
import { takeSequence, type DomainRecord, type State } from '../state.ts';
import { byCreation, createTable } from '../table.ts';

/** The credential kind. It has no batches. */
export const CREDENTIAL_KIND: ItemKind<Credential> = {
  noun: 'credential',
  plural: 'credentials',
  tableOf: (domain) => domain.credentials,
  find: (domain, username) => found(domain.credentials.get(username), 'credential'),
  add: addCredential,
  update(state, { item }, body, needed) {
    const shape = { password: needed === 'required' ? passwordField : ifGiven(passwordField) };
    const fields = readFields(body, shape, state.switches.unknownFields);
    if (!fields.ok) return fields;
    item.password = fields.value.password ?? item.password;
    return ok(item);
  },
  neededOnUpdate: (switches) => switches.passwordOnUpdate,
  batchCreateNeedsPlan: () => false,
};

export function createCredentials(): DomainRecord['credentials'] {
  return createTable<Credential, 'username', 'created'>({
    keys: { username: ({ username }) => username },
    letterCase: 'any',
    orders: { created: byCreation },
  });
}

/** Adds a credential. It is refused if `username` is invalid or exists, or if `password` has fewer than 8 characters. */
function addCredential(state: State, domain: DomainRecord, body: BodyObject): Checked<Credential> {
  const shape = { username: nameField, password: passwordField };
  const fields = readFields(body, shape, state.switches.unknownFields);
  if (!fields.ok) return fields;
  const { username } = fields.value;
  if (domain.credentials.get(username) !== undefined) {
    return invalid('username', `The username "${username}" exists already.`);
  }
  const created_at = state.environment.now();
  return ok(insertCredential(state, domain, { ...fields.value, usage: 0, created_at }));
}

/** Inserts a credential without any check. */
export function insertCredential(
  state: State,
  domain: DomainRecord,
  fields: Omit<Credential, 'sequence'>,
): Credential {
  const credential = { ...fields, sequence: takeSequence(state) };
  domain.credentials.insert(credential);
  return credential;
}
