import { nameKey } from '../../core/model/names.ts';
import type { ObservedCredential } from '../../core/model/resources.ts';
import type { Call } from '../http/call.ts';
import type { Client } from '../client.ts';
import { addressable, objectOf, stringField } from './decode.ts';
import type { Dialect } from './dialects.ts';
import { readListing, readUntotalledListing, type ListingRequest } from '../listing.ts';

type CredentialOperations = Pick<
  Client,
  'listCredentials' | 'addCredential' | 'updateCredential' | 'deleteCredential'
>;

/** Credential requests of both versions (v4, v3: SMTP credentials). */
export function credentialOperations(call: Call, dialect: Dialect): CredentialOperations {
  const { endpoints, pageSize, credentialTotals } = dialect;
  return {
    listCredentials(domain) {
      const listing: ListingRequest<ObservedCredential> = {
        endpoint: endpoints.listCredentials,
        params: { domain },
        query: {},
        field: 'credentials',
        pageSize: pageSize.credentials,
        decode: decodeCredential,
        keyOf: ({ name }) => nameKey(name),
      };
      return credentialTotals === 'stated'
        ? readListing(call, listing)
        : readUntotalledListing(call, listing);
    },
    addCredential: (domain, username, password) =>
      call(
        {
          endpoint: endpoints.addCredential,
          params: { domain },
          body: { username, password },
          secrets: [password],
        },
        (json) => ({
          requiresNewMxCheck: json?.['requires_new_mx_check'] === true,
        }),
      ),
    updateCredential: (domain, username, password) =>
      call(
        {
          endpoint: endpoints.updateCredential,
          params: { domain, username },
          body: { password },
          secrets: [password],
        },
        () => undefined,
      ),
    deleteCredential: (domain, username) =>
      call({ endpoint: endpoints.deleteCredential, params: { domain, username } }, () => undefined),
  };
}

/** Decodes a credential (v4: SMTP credential). */
function decodeCredential(value: unknown): ObservedCredential {
  return { name: addressable('username', stringField(objectOf(value, 'credential'), 'username')) };
}
