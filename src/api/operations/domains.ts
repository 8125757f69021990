import { ENDPOINTS } from '../../model/endpoints.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { DomainState } from '../../model/resources.ts';
import type { Call } from '../call.ts';
import type { Answer, Client } from '../client.ts';
import { arrayField, expectSame, objectField, objectOf, stringField, type Json } from '../decode.ts';
import { decodeAccount, decodeDomain } from '../decode-resources.ts';
import type { Dialect } from '../dialect.ts';
import { readListing } from '../listing.ts';

type DomainOperations = Pick<
  Client,
  | 'getAccount'
  | 'listWhitelabels'
  | 'listDomains'
  | 'getDomain'
  | 'addDomain'
  | 'updateDomain'
  | 'deleteDomain'
>;

/** v4, v3: Account, Domains. */
export function domainOperations(call: Call, dialect: Dialect): DomainOperations {
  const { endpoints, domainSettings } = dialect;
  return {
    getAccount: () =>
      call({ endpoint: endpoints.getAccount, params: {} }, (json) =>
        decodeAccount(objectField(json ?? {}, 'account')),
      ),
    listWhitelabels: dialect.version === 'v4' ? null : () => listWhitelabels(call),
    listDomains: (filter) =>
      readListing(call, {
        endpoint: endpoints.listDomains,
        params: {},
        query: {
          ...dialect.orders.domains,
          ...(filter === undefined ? {} : { [dialect.domainFilter]: filter.query }),
        },
        field: 'domains',
        pageSize: dialect.pageSize.domains,
        decode: decodeDomain,
        keyOf: ({ domain }) => domain,
      }),
    getDomain: (domain) => call({ endpoint: endpoints.getDomain, params: { domain } }, theDomain(domain)),
    addDomain(domain, state) {
      const body = { domain, ...settingsOf(domainSettings.add, state) };
      return call({ endpoint: endpoints.addDomain, params: {}, body }, theDomain(domain));
    },
    updateDomain(domain, state) {
      const body = settingsOf(domainSettings.update, state);
      return call({ endpoint: endpoints.updateDomain, params: { domain }, body }, theDomain(domain));
    },
    deleteDomain: (domain) => call({ endpoint: endpoints.deleteDomain, params: { domain } }, () => undefined),
  };
}

function listWhitelabels(call: Call): Answer<readonly string[]> {
  return call({ endpoint: ENDPOINTS.v3.listWhitelabels, params: {} }, (json) =>
    arrayField(json ?? {}, 'whitelabels').map((row) => stringField(objectOf(row, 'a whitelabel'), 'name')),
  );
}

function theDomain(name: string): (json: Json | null) => ObservedDomain {
  return (json) => {
    const domain = decodeDomain(objectField(json ?? {}, 'domain'));
    expectSame('domain', name, domain.domain);
    return domain;
  };
}

function settingsOf(settings: readonly (keyof DomainState)[], state: DomainState): DomainState {
  return Object.fromEntries(
    settings.flatMap((setting) => (state[setting] === undefined ? [] : [[setting, state[setting]]])),
  );
}
