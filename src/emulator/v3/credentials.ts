import { readPageRequest } from '../http/input.ts';
import { storeFailure, success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { listCredentials } from '../account/store-credentials.ts';
import { credentialHandlers, removeCredential } from '../v4/credentials.ts';
import { inDomain } from '../handlers/domain-scope.ts';
import { renderV3Credential } from './render.ts';
import { v3Route } from './routes.ts';

const LIST = '/domains/:domain/credentials';
const ONE = '/domains/:domain/credentials/:username';
const { add, update } = credentialHandlers(renderV3Credential);

export const v3CredentialRoutes: readonly ApiRoute[] = [
  v3Route('GET', LIST, inDomain(list)),
  v3Route('POST', LIST, inDomain(add)),
  v3Route('PUT', ONE, inDomain(update)),
  v3Route('DELETE', ONE, inDomain(removeCredential)),
];

/** The one listing that says neither how many there are nor which page it is (v3: SMTP credentials). */
function list(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const request = readPageRequest(context, {
    limit: 20,
    maximum: 200,
    minimum: state.switches.v3MinimumLimit,
  });
  if (!request.ok) return storeFailure(state, request.error);
  return success({ credentials: listCredentials(domain, request.value).items.map(renderV3Credential) });
}
