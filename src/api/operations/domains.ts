import { ENDPOINTS } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { DomainState } from '../../model/resources.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { Call } from '../http/call.ts';
import type { Answer, Client, DomainUpdate } from '../client.ts';
import { arrayField, expectSame, objectField, objectOf, stringField, type Json } from './decode.ts';
import { decodeAccount, decodeDomain } from './decode-resources.ts';
import type { Dialect } from './dialects.ts';
import type { ApiError } from '../errors.ts';
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
    updateDomain: (domain, state) => updateDomain(call, dialect, domain, state),
    deleteDomain: (domain) => call({ endpoint: endpoints.deleteDomain, params: { domain } }, () => undefined),
  };
}

/** v4: PUT resets what is left out. So all settings are sent, those that are not stated as they were read just before. */
async function updateDomain(
  call: Call,
  { endpoints, domainSettings }: Dialect,
  domain: DomainName,
  state: DomainState,
): Answer<DomainUpdate> {
  const reads: Result<ObservedDomain, ApiError>[] = [];
  const settings = async (): Promise<DomainState | null> => {
    const read = await call({ endpoint: endpoints.getDomain, params: { domain } }, theDomain(domain));
    reads.push(read);
    return read.ok ? settingsOf(domainSettings.update, { ...read.value, ...state }) : null;
  };
  const request = { endpoint: endpoints.updateDomain, params: { domain } };
  const after = await call(request, theDomain(domain), settings);
  const before = reads.at(-1);
  if (before?.ok === false) return fail(unread(before.error));
  if (!after.ok) return after;
  if (before === undefined) throw new Error(`${domain} was updated without a read`);
  return succeed({ before: before.value, after: after.value });
}

/** Where the outcome of a read is not known, that of the update is: it was not sent. */
function unread(error: ApiError): ApiError {
  const { endpoint, message } = error;
  return error.kind === 'unknown-outcome' ? { kind: 'unproven', endpoint, status: null, message } : error;
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
