import { readPageRequest } from '../http/input.ts';
import { storeFailure, success, type Reply } from '../http/protocol.ts';
import type { Context, Route } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { listCredentials } from '../account/store-credentials.ts';
import { credentialHandlers, removeCredential } from '../v4/credentials.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { renderCredential } from './render.ts';
import { v3Route } from './routes.ts';

const LIST = '/domains/:domain/credentials';
const ONE = '/domains/:domain/credentials/:username';
const { add, update } = credentialHandlers(renderCredential);

export const v3CredentialRoutes: readonly Route[] = [
  v3Route('GET', LIST, inDomain(list)),
  v3Route('POST', LIST, inDomain(add)),
  v3Route('PUT', ONE, inDomain(update)),
  v3Route('DELETE', ONE, inDomain(removeCredential)),
];

/** The one listing that says neither how many there are nor which page it is (v3: SMTP credentials). */
function list(context: Context, domain: DomainRecord): Reply {
  const { state } = context;
  const request = readPageRequest(context, {
    limit: 20,
    maximum: 200,
    minimum: state.switches.v3MinimumLimit,
  });
  if (!request.ok) return storeFailure(state, request.error);
  return success({ credentials: listCredentials(domain, request.value).items.map(renderCredential) });
}
