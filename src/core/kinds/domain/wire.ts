import type { Endpoints } from '../../model/endpoints.ts';
import type { KindListing, Verb, WriteOperations } from '../wire.ts';

const BOTH = {
  listDomains: { method: 'GET', template: '/domains' },
  getDomain: { method: 'GET', template: '/domains/:domain' },
  addDomain: { method: 'POST', template: '/domains' },
  updateDomain: { method: 'PUT', template: '/domains/:domain' },
  deleteDomain: { method: 'DELETE', template: '/domains/:domain' },
} as const;

/** The requests about domains (v4, v3: Domains). */
export const DOMAIN_WIRE = {
  endpoints: {
    v4: { ...BOTH, verifyDomain: { method: 'POST', template: '/domains/:domain/verify' } },
    v3: { ...BOTH, verifyDomain: { method: 'GET', template: '/domains/:domain/check' } },
  },
  list: {
    operation: 'listDomains',
    pageSize: { v4: 200, v3: 100 },
    query: { v4: { order: 'name_asc' }, v3: {} },
  },
  writes: {
    add: { single: 'addDomain', batch: null },
    update: { single: 'updateDomain', batch: null },
    delete: { single: 'deleteDomain', batch: null },
  },
  /** The parameter that filters the list by a part of the name. */
  filter: { v4: 'query', v3: 'q' },
} as const satisfies DomainWire;

/** The shape of the requests about domains. */
export interface DomainWire {
  readonly endpoints: Endpoints;
  readonly list: KindListing;
  readonly writes: Readonly<Record<Verb, WriteOperations>>;
  readonly filter: Readonly<Record<'v4' | 'v3', string>>;
}
