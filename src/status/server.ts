import { isIP, type AddressInfo, type Server, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { AccountStatus } from '../model/daemon.ts';
import type { Metrics } from './metrics.ts';
import { areReady, readinessDocument, statusDocument } from './status-document.ts';

export interface StatusServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly statuses: () => readonly AccountStatus[];
  readonly isAlive: () => boolean;
  readonly metrics: Metrics;
  /** Takes out of a text what must not be shown. */
  readonly conceal: (text: string) => string;
}

export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

const LONGEST_MS = 5_000;
const MOST_CONNECTIONS = 256;
const MOST_HEADER_BYTES = 8 * 1024;

/** Serves `/healthz`, `/readyz`, `/metrics` and `/status`, and nothing else. Rejects when the port cannot be opened. */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const app = createStatusApp(options);
  dropOldest(app.server);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** A connection beyond the limit replaces the oldest: a probe ends long before it is the oldest. */
function dropOldest(server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > MOST_CONNECTIONS) oldest?.destroy();
  });
}

function createStatusApp(options: StatusServerOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: 1,
    requestTimeout: LONGEST_MS,
    keepAliveTimeout: LONGEST_MS,
    connectionTimeout: LONGEST_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    http: {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: LONGEST_MS,
      connectionsCheckingInterval: 1_000,
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (!isOurHost(request.headers.host, options.host)) {
      await reply.code(421).send({ error: 'this is not a name of this server' });
    } else if (request.method !== 'GET') {
      await reply.code(405).header('allow', 'GET').send({ error: 'only GET is served here' });
    }
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'there is nothing here' }));
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ error: 'internal error' }));
  addRoutes(app, options);
  return app;
}

function addRoutes(app: FastifyInstance, { statuses, isAlive, metrics, conceal }: StatusServerOptions): void {
  app.get('/healthz', (_request, reply) => reply.code(isAlive() ? 200 : 503).send({ alive: isAlive() }));
  app.get('/readyz', (_request, reply) =>
    reply.code(areReady(statuses()) ? 200 : 503).send(readinessDocument(statuses())),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  app.get('/status', (_request, reply) =>
    reply.type('application/json').send(conceal(JSON.stringify(statusDocument(statuses())))),
  );
}

/**
 * A page in somebody's browser may reach a loopback port under a name of its own: there only the names of loopback are
 * answered. Elsewhere whoever can reach the port may ask, by address or by name.
 */
function isOurHost(header: string | undefined, listening: string): boolean {
  const host = hostOf(header);
  if (host === null) return false;
  return !isLoopback(listening) || isLoopback(host);
}

function hostOf(header: string | undefined): string | null {
  if (header === undefined || !/^[\w.:[\]-]{1,260}$/.test(header)) return null;
  return header.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
}

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}
