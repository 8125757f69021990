import {
  ENDPOINTS,
  LIMITS,
  type ApiVersion,
  type Endpoint,
  type Operation,
} from '../../core/model/endpoints.ts';
import type { Section } from '../../core/model/kinds.ts';
import { SETTINGS, SETTINGS_OF_V4, type SettingName } from '../../core/model/resources.ts';

/** Differences between the two versions of the API that matter to the reconciler's operations. */
export interface Dialect {
  readonly version: ApiVersion;
  readonly endpoints: Readonly<Record<Operation, Endpoint>>;
  readonly pageSize: Readonly<Record<'domains' | Section, number>>;
  /** Sort orders to ask for, if the version has a choice. */
  readonly orders: Readonly<Record<'domains' | 'aliases' | 'rules', Readonly<Record<string, string>>>>;
  /** Query parameter that filters the list of domains by a part of the name. */
  readonly domainFilter: 'query' | 'q';
  /** Name of an alias's segment in the templates. */
  readonly aliasSegment: 'id' | 'alias';
  /** `stated` if the listing of credentials has a total. */
  readonly credentialTotals: 'stated' | 'absent';
  /** The settings that adding and updating a domain take. */
  readonly domainSettings: Readonly<Record<'add' | 'update', readonly SettingName[]>>;
}

/**
 * v4. Listings are sorted by a unique key: names, or ranks for rules. Then two pages cannot disagree about the order of
 * equal items, as they can by time of creation, which is the same second for a whole batch. An item that is added or deleted
 * between two pages changes `total`.
 */
const V4: Dialect = {
  version: 'v4',
  endpoints: ENDPOINTS.v4,
  pageSize: LIMITS.pageSize.v4,
  orders: { domains: { order: 'name_asc' }, aliases: { order: 'name_asc' }, rules: { order: 'rank_asc' } },
  domainFilter: 'query',
  aliasSegment: 'id',
  credentialTotals: 'stated',
  domainSettings: { add: SETTINGS_OF_V4, update: SETTINGS_OF_V4 },
};

/**
 * v3. Listings have no order. Aliases are addressed by their integer id, never by a name, which could be part of a route.
 */
const V3: Dialect = {
  version: 'v3',
  endpoints: ENDPOINTS.v3,
  pageSize: LIMITS.pageSize.v3,
  orders: { domains: {}, aliases: {}, rules: {} },
  domainFilter: 'q',
  aliasSegment: 'alias',
  credentialTotals: 'absent',
  domainSettings: { add: SETTINGS_OF_V4, update: SETTINGS },
};

export const DIALECTS: Readonly<Record<ApiVersion, Dialect>> = { v4: V4, v3: V3 };
