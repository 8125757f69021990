import { ENDPOINTS, LIMITS } from '../../model/endpoints.ts';
import type { Dialect } from './dialect.ts';

/** v3: listings know no order; aliases are addressed by their integer id, never by a name that could be a route's. */
export const V3: Dialect = {
  version: 'v3',
  endpoints: ENDPOINTS.v3,
  pageSize: LIMITS.pageSize.v3,
  orders: { domains: {}, aliases: {}, rules: {} },
  domainFilter: 'q',
  aliasSegment: 'alias',
  credentialTotals: 'absent',
  domainSettings: {
    add: ['notification_email', 'whitelabel'],
    update: ['notification_email', 'whitelabel', 'webhook'],
  },
};
