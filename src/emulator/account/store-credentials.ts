import { checkAliasName, checkPassword } from './fields.ts';
import { invalid, notFound, ok, type Credential, type StoreResult } from './model.ts';
import { createIndex, insertInto, readPage, removeFrom, type Page } from '../index/sorted.ts';
import { takeSequence, type CredentialTable, type DomainRecord, type State } from './state.ts';

export function createCredentialTable(): CredentialTable {
  return {
    byUsername: new Map(),
    inCreatedOrder: createIndex((a, b) => a.createdAt - b.createdAt || a.sequence - b.sequence),
  };
}

/** In order of creation. */
export function listCredentials(
  domain: DomainRecord,
  page: { readonly offset: number; readonly limit: number },
): Page<Credential> {
  return readPage(domain.credentials.inCreatedOrder, { ...page, direction: 'ascending' });
}

export function findCredential(domain: DomainRecord, username: string): StoreResult<Credential> {
  const credential = domain.credentials.byUsername.get(username.toLowerCase());
  return credential === undefined ? notFound('credential') : ok(credential);
}

/** Errors: an invalid or existing `username`, a `password` of less than 8 characters. */
export function addCredential(
  state: State,
  domain: DomainRecord,
  fields: { readonly username: string; readonly password: string },
): StoreResult<Credential> {
  const username = checkAliasName(fields.username, 'username');
  if (!username.ok) return username;
  const password = checkPassword(fields.password);
  if (!password.ok) return password;
  if (domain.credentials.byUsername.has(username.value.toLowerCase())) {
    return invalid('username', `The username "${username.value}" exists already.`);
  }
  return ok(
    insertCredential(state, domain, {
      ...fields,
      usage: 0,
      createdAt: state.environment.now(),
    }),
  );
}

/** Puts a credential in place without any check. */
export function insertCredential(
  state: State,
  domain: DomainRecord,
  fields: {
    readonly username: string;
    readonly password: string;
    readonly usage: number;
    readonly createdAt: number;
  },
): Credential {
  const credential: Credential = {
    username: fields.username,
    sequence: takeSequence(state),
    password: fields.password,
    usage: fields.usage,
    createdAt: fields.createdAt,
  };
  domain.credentials.byUsername.set(credential.username.toLowerCase(), credential);
  insertInto(domain.credentials.inCreatedOrder, credential);
  return credential;
}

export function updateCredential(
  domain: DomainRecord,
  username: string,
  fields: { readonly password?: string | undefined },
): StoreResult<Credential> {
  const found = findCredential(domain, username);
  if (!found.ok || fields.password === undefined) return found;
  const password = checkPassword(fields.password);
  if (!password.ok) return password;
  found.value.password = password.value;
  return found;
}

export function deleteCredential(domain: DomainRecord, username: string): StoreResult<Credential> {
  const found = findCredential(domain, username);
  if (!found.ok) return found;
  domain.credentials.byUsername.delete(found.value.username.toLowerCase());
  removeFrom(domain.credentials.inCreatedOrder, found.value);
  return found;
}
