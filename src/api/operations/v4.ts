import { ENDPOINTS, LIMITS } from '../../model/endpoints.ts';
import type { Dialect } from './dialect.ts';

/**
 * v4. Listings are read in the order of what is unique within them: names, and ranks for rules. Then two pages cannot
 * disagree about the order of equals, as they can by time of creation, which is the same second for a whole batch.
 * What is added or deleted between two pages shows in `total`.
 */
export const V4: Dialect = {
  version: 'v4',
  endpoints: ENDPOINTS.v4,
  pageSize: LIMITS.pageSize.v4,
  orders: { domains: { order: 'name_asc' }, aliases: { order: 'name_asc' }, rules: { order: 'rank_asc' } },
  domainFilter: 'query',
  aliasSegment: 'id',
  credentialTotals: 'stated',
  domainSettings: { add: ['notification_email', 'whitelabel'], update: ['notification_email', 'whitelabel'] },
};
