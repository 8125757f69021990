import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface Listening {
  /** The address that the server listens on. */
  readonly host: string;
  /** Base path of a reverse proxy; null if no proxy is configured. */
  readonly basePath: string | null;
}

/** Headers of every answer. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** Refuses requests that no reader of the page, no probe and no Prometheus sends, before any other work on them. */
export function protect(app: FastifyInstance, listening: Listening): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS);
    if (!isOurHost(request.headers.host, listening)) {
      const error =
        'this host name does not belong to this server; behind a reverse proxy, start fwdsync with --base-path';
      await reply.code(421).send({ error });
    } else if (!isAllowedMethod(request, listening)) {
      await reply.code(405).header('allow', 'GET').send({ error: 'only GET is served here' });
    } else if (isOfAnotherSite(request)) {
      await reply.code(403).send({ error: 'pages of other sites may link to this one, and nothing else' });
    }
  });
}

/**
 * Returns a function that tells why strangers may reach the page by a request. null means that the request seems to
 * come from this machine.
 */
export function exposureOf({ host, basePath }: Listening): (request: FastifyRequest) => string | null {
  return (request) => {
    if (!isLoopback(host)) return `fwdsync listens on ${host}, beyond loopback`;
    if (basePath !== null) return 'fwdsync is behind a reverse proxy (--base-path)';
    return isProxied(request) ? 'the request came through a reverse proxy' : null;
  };
}

const OF_PROXIES =
  /^(?:forwarded|via|x-(?:forwarded|real|original|envoy|client|cluster)-.*|.*-(?:client|connecting)-ip)$/;

/**
 * True if a request was forwarded by a proxy. A proxy that adds no header is recognised by its connection: nginx uses
 * HTTP/1.0, or closes each connection, or does not send `keep-alive` as all browsers do.
 */
function isProxied({ headers, raw }: FastifyRequest): boolean {
  if (Object.keys(headers).some((name) => OF_PROXIES.test(name)) || raw.httpVersion === '1.0') return true;
  const connection = headers.connection?.toLowerCase() ?? '';
  const isBrowser = headers['sec-fetch-mode'] !== undefined || headers['user-agent']?.startsWith('Mozilla/');
  return connection.includes('close') || (isBrowser === true && !connection.includes('keep-alive'));
}

const POSTS = ['/login', '/logout'];

function isAllowedMethod({ method, url }: FastifyRequest, { basePath }: Listening): boolean {
  if (method === 'GET') return true;
  const [path = ''] = url.split('?', 1);
  const own = basePath && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  return method === 'POST' && POSTS.includes(own);
}

/**
 * True if the request comes from another site, according to the browser's own headers. A request without them does
 * not come from a browser, or from one too old to tell.
 */
function isOfAnotherSite({ method, headers }: FastifyRequest): boolean {
  if (method === 'POST' && headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host)
    return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method !== 'GET' || !isLink;
}

/**
 * True if the Host header is allowed. On loopback only the names of loopback are, because a page in a browser may
 * reach a loopback port under its own name. Elsewhere any address or name is allowed, and the page asks for its
 * token.
 */
function isOurHost(header: string | undefined, { host, basePath }: Listening): boolean {
  const asked = hostOf(header);
  if (asked === null) return false;
  return !isLoopback(host) || basePath !== null || isLoopback(asked);
}

function hostOf(header: string | undefined): string | null {
  if (header === undefined || !/^[\w.:[\]-]{1,260}$/.test(header)) return null;
  return header.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
}

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}
