export type ApiVersion = 'v4' | 'v3';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Method and route template: the unit of the rate limit, and all that a request may be built from. */
export interface Endpoint {
  readonly method: Method;
  readonly template: string;
}

/** What both generations' documents write alike. */
const SHARED = {
  getAccount: { method: 'GET', template: '/account' },
  listDomains: { method: 'GET', template: '/domains' },
  getDomain: { method: 'GET', template: '/domains/:domain' },
  addDomain: { method: 'POST', template: '/domains' },
  updateDomain: { method: 'PUT', template: '/domains/:domain' },
  deleteDomain: { method: 'DELETE', template: '/domains/:domain' },
  listAliases: { method: 'GET', template: '/domains/:domain/aliases' },
  addAlias: { method: 'POST', template: '/domains/:domain/aliases' },
  addAliases: { method: 'POST', template: '/domains/:domain/aliases/batch' },
  updateAliases: { method: 'PUT', template: '/domains/:domain/aliases/batch' },
  deleteAliases: { method: 'DELETE', template: '/domains/:domain/aliases/batch' },
  listRules: { method: 'GET', template: '/domains/:domain/rules' },
  getRule: { method: 'GET', template: '/domains/:domain/rules/:rule' },
  addRule: { method: 'POST', template: '/domains/:domain/rules' },
  addRules: { method: 'POST', template: '/domains/:domain/rules/batch' },
  updateRule: { method: 'PUT', template: '/domains/:domain/rules/:rule' },
  updateRules: { method: 'PUT', template: '/domains/:domain/rules/batch' },
  deleteRule: { method: 'DELETE', template: '/domains/:domain/rules/:rule' },
  deleteRules: { method: 'DELETE', template: '/domains/:domain/rules/batch' },
  listCredentials: { method: 'GET', template: '/domains/:domain/credentials' },
  addCredential: { method: 'POST', template: '/domains/:domain/credentials' },
  updateCredential: { method: 'PUT', template: '/domains/:domain/credentials/:username' },
  deleteCredential: { method: 'DELETE', template: '/domains/:domain/credentials/:username' },
  listLogs: { method: 'GET', template: '/domains/:domain/logs' },
  countLogs: { method: 'GET', template: '/domains/:domain/logs/count' },
  getLog: { method: 'GET', template: '/domains/:domain/logs/:id' },
  searchLogs: { method: 'GET', template: '/domains/:domain/logs/search' },
} as const satisfies Record<string, Endpoint>;

/**
 * The closed list of everything that fwdsync can send, as each generation's document writes it.
 * An operation that a generation lacks is not in its list.
 */
export const ENDPOINTS = {
  v4: {
    ...SHARED,
    verifyDomain: { method: 'POST', template: '/domains/:domain/verify' },
    getAlias: { method: 'GET', template: '/domains/:domain/aliases/:id' },
    updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:id' },
    deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:id' },
  },
  v3: {
    ...SHARED,
    listWhitelabels: { method: 'GET', template: '/account/whitelabels' },
    verifyDomain: { method: 'GET', template: '/domains/:domain/check' },
    getAlias: { method: 'GET', template: '/domains/:domain/aliases/:alias' },
    bulkAliases: { method: 'POST', template: '/domains/:domain/aliases/bulk' },
    updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:alias' },
    deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:alias' },
    bulkRules: { method: 'POST', template: '/domains/:domain/rules/bulk' },
    listAliasLogs: { method: 'GET', template: '/domains/:domain/logs/:alias' },
  },
} as const satisfies Record<ApiVersion, Record<string, Endpoint>>;

/** The operations that both generations have, and so all that the reconciler uses. */
export type Operation = keyof (typeof ENDPOINTS)['v4'] & keyof (typeof ENDPOINTS)['v3'];

/** Page sizes and batch sizes (v4: Limits; v3: Limits). */
export const LIMITS = {
  batchItems: 500,
  /** The smallest page that a service gives by default: a page this long may be cut though more were asked for. */
  shortestCutPage: 20,
  /** A row of v3's list of domains that embeds this many aliases may have more of them. */
  embeddedAliases: 200,
  pageSize: {
    v4: { domains: 200, aliases: 200, rules: 200, credentials: 200 },
    v3: { domains: 100, aliases: 100, rules: 100, credentials: 200 },
  },
} as const;

/** `PUT /domains/:domain/aliases/:id`, the name of an endpoint in plans, reports and metrics. */
export function endpointName(version: ApiVersion, operation: Operation): string {
  return endpointText(ENDPOINTS[version][operation]);
}

export function endpointText({ method, template }: Endpoint): string {
  return `${method} ${template}`;
}

/** Whether the host name of a URL, as the URL standard writes it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
