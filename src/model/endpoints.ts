export type ApiVersion = 'v4' | 'v3';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Method and route template: the unit of the rate limit, and all that a request may be built from. */
export interface Endpoint {
  readonly method: Method;
  readonly template: string;
}

/**
 * The closed list of everything that fwdsync can send, as each generation's document writes it.
 * An operation that a generation lacks is not in its list.
 */
export const ENDPOINTS = {
  v4: {
    getAccount: { method: 'GET', template: '/account' },
    listDomains: { method: 'GET', template: '/domains' },
    getDomain: { method: 'GET', template: '/domains/:domain' },
    addDomain: { method: 'POST', template: '/domains' },
    updateDomain: { method: 'PUT', template: '/domains/:domain' },
    deleteDomain: { method: 'DELETE', template: '/domains/:domain' },
    verifyDomain: { method: 'POST', template: '/domains/:domain/verify' },
    listAliases: { method: 'GET', template: '/domains/:domain/aliases' },
    getAlias: { method: 'GET', template: '/domains/:domain/aliases/:id' },
    addAlias: { method: 'POST', template: '/domains/:domain/aliases' },
    addAliases: { method: 'POST', template: '/domains/:domain/aliases/batch' },
    updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:id' },
    updateAliases: { method: 'PUT', template: '/domains/:domain/aliases/batch' },
    deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:id' },
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
  },
  v3: {
    getAccount: { method: 'GET', template: '/account' },
    listWhitelabels: { method: 'GET', template: '/account/whitelabels' },
    listDomains: { method: 'GET', template: '/domains' },
    getDomain: { method: 'GET', template: '/domains/:domain' },
    addDomain: { method: 'POST', template: '/domains' },
    updateDomain: { method: 'PUT', template: '/domains/:domain' },
    deleteDomain: { method: 'DELETE', template: '/domains/:domain' },
    verifyDomain: { method: 'GET', template: '/domains/:domain/check' },
    listAliases: { method: 'GET', template: '/domains/:domain/aliases' },
    getAlias: { method: 'GET', template: '/domains/:domain/aliases/:alias' },
    addAlias: { method: 'POST', template: '/domains/:domain/aliases' },
    addAliases: { method: 'POST', template: '/domains/:domain/aliases/batch' },
    bulkAliases: { method: 'POST', template: '/domains/:domain/aliases/bulk' },
    updateAlias: { method: 'PUT', template: '/domains/:domain/aliases/:alias' },
    updateAliases: { method: 'PUT', template: '/domains/:domain/aliases/batch' },
    deleteAlias: { method: 'DELETE', template: '/domains/:domain/aliases/:alias' },
    deleteAliases: { method: 'DELETE', template: '/domains/:domain/aliases/batch' },
    listRules: { method: 'GET', template: '/domains/:domain/rules' },
    getRule: { method: 'GET', template: '/domains/:domain/rules/:rule' },
    addRule: { method: 'POST', template: '/domains/:domain/rules' },
    addRules: { method: 'POST', template: '/domains/:domain/rules/batch' },
    bulkRules: { method: 'POST', template: '/domains/:domain/rules/bulk' },
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
    listAliasLogs: { method: 'GET', template: '/domains/:domain/logs/:alias' },
    searchLogs: { method: 'GET', template: '/domains/:domain/logs/search' },
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
