export type ApiVersion = 'v4' | 'v3';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Method and route template: the unit of the rate limit, and all that a request may be built from. */
export interface Endpoint {
  readonly method: Method;
  readonly template: string;
}

/** Endpoints by the names of their operations, as each generation's document writes them. */
export type Endpoints = Readonly<Record<ApiVersion, Readonly<Record<string, Endpoint>>>>;

/** What both generations' documents write alike. */
const BOTH = {
  getAccount: { method: 'GET', template: '/account' },
  listLogs: { method: 'GET', template: '/domains/:domain/logs' },
  countLogs: { method: 'GET', template: '/domains/:domain/logs/count' },
  getLog: { method: 'GET', template: '/domains/:domain/logs/:id' },
  searchLogs: { method: 'GET', template: '/domains/:domain/logs/search' },
} as const;

/** What is sent about the account and its logs, which no manifest manages; all else is in the `wire.ts` of a kind. */
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
  /** The smallest page that a service gives by default: a page this long may be cut though more were asked for. */
  shortestCutPage: 20,
  /** A row of v3's list of domains that embeds this many aliases may have more of them. */
  embeddedAliases: 200,
} as const;

/** `PUT /domains/:domain/aliases/:id`, the name of an endpoint in plans, reports and metrics. */
export function endpointText({ method, template }: Endpoint): string {
  return `${method} ${template}`;
}

/** Whether the host name of a URL, as the URL standard writes it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
