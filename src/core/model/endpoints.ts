export type ApiVersion = 'v4' | 'v3';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Method and route template: the unit of the rate limit. Requests are built from endpoints only. */
export interface Endpoint {
  readonly method: Method;
  readonly template: string;
}

/** Endpoints by the names of their operations, as each generation's document writes them. */
export type Endpoints = Readonly<Record<ApiVersion, Readonly<Record<string, Endpoint>>>>;

/** Endpoints that both generations of the API share. */
const BOTH = {
  getAccount: { method: 'GET', template: '/account' },
  listLogs: { method: 'GET', template: '/domains/:domain/logs' },
  countLogs: { method: 'GET', template: '/domains/:domain/logs/count' },
  getLog: { method: 'GET', template: '/domains/:domain/logs/:id' },
  searchLogs: { method: 'GET', template: '/domains/:domain/logs/search' },
} as const;

/**
 * Endpoints of the account and its logs, which no manifest manages. All other endpoints are in the `wire.ts` of a
 * kind.
 */
export const READ_ENDPOINTS = {
  v4: BOTH,
  v3: {
    ...BOTH,
    listWhitelabels: { method: 'GET', template: '/account/whitelabels' },
    listAliasLogs: { method: 'GET', template: '/domains/:domain/logs/:alias' },
  },
} as const satisfies Endpoints;

/** Sizes of batches and listings (v4: Limits; v3: Limits). */
export const LIMITS = {
  batchItems: 500,
  /**
   * The smallest default page size of a service. A page of this length may be cut even if more items were requested.
   */
  shortestCutPage: 20,
  /** A row in v3's list of domains that embeds this many aliases may be incomplete. */
  embeddedAliases: 200,
} as const;

/** Returns an endpoint's name in plans, reports and metrics, such as `PUT /domains/:domain/aliases/:id`. */
export function endpointText({ method, template }: Endpoint): string {
  return `${method} ${template}`;
}

/** True if a URL's host name, as the URL standard writes it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
