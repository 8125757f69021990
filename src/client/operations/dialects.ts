import {
  ENDPOINTS,
  LIMITS,
  type ApiVersion,
  type Endpoint,
  type Operation,
} from '../../core/model/endpoints.ts';
import type { Section } from '../../core/model/kinds.ts';

/** What the two generations of the API do differently, as far as the reconciler's operations go. */
export interface Dialect {
  readonly version: ApiVersion;
  readonly endpoints: Readonly<Record<Operation, Endpoint>>;
  readonly pageSize: Readonly<Record<'domains' | Section, number>>;
  /** The orders to ask for, where there is a choice. */
  readonly orders: Readonly<Record<'domains' | 'aliases' | 'rules', Readonly<Record<string, string>>>>;
  /** The parameter that filters the list of domains by a part of the name. */
  readonly domainFilter: 'query' | 'q';
  /** The name of an alias's segment in the templates. */
  readonly aliasSegment: 'id' | 'alias';
  /** Whether a listing of credentials states its total. */
  readonly credentialTotals: 'stated' | 'absent';
}

/**
 * v4. Listings are read in the order of what is unique within them: names, and ranks for rules. Then two pages cannot
 * disagree about the order of equals, as they can by time of creation, which is the same second for a whole batch.
 * What is added or deleted between two pages shows in `total`.
 */
const V4: Dialect = {
  version: 'v4',
  endpoints: ENDPOINTS.v4,
  pageSize: LIMITS.pageSize.v4,
  orders: { domains: { order: 'name_asc' }, aliases: { order: 'name_asc' }, rules: { order: 'rank_asc' } },
  domainFilter: 'query',
  aliasSegment: 'id',
  credentialTotals: 'stated',
};

/** v3: listings know no order; aliases are addressed by their integer id, never by a name that could be a route's. */
const V3: Dialect = {
  version: 'v3',
  endpoints: ENDPOINTS.v3,
  pageSize: LIMITS.pageSize.v3,
  orders: { domains: {}, aliases: {}, rules: {} },
  domainFilter: 'q',
  aliasSegment: 'alias',
  credentialTotals: 'absent',
};

export const DIALECTS: Readonly<Record<ApiVersion, Dialect>> = { v4: V4, v3: V3 };
