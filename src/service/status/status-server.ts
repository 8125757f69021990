import type { AddressInfo, Server, Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';
import { createPageAccess } from './page/access.ts';
import { exposureOf, protect } from './page/protect.ts';
import type { PageOptions } from './page/page-ports.ts';
import { addPageRoutes } from './page/page-routes.ts';
import { createRecentChanges, createRecentRuns } from './page/data/runs-data.ts';
import { createPageStreams, type PageStreams } from './page/streams.ts';
import { readinessDocument } from './status-document.ts';

export interface StatusServerOptions extends PageOptions {
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Token for the page and `/status`; null serves them on loopback only. */
  readonly token: string | null;
  readonly isAlive: () => boolean;
  /** Returns the answer of `/readyz`. Default: ready if all accounts are ready. */
  readonly readiness?: (() => { readonly ready: boolean }) | undefined;
  readonly metrics: Metrics;
}

export interface StatusServer {
  readonly port: number;
  /** Tells open pages to refresh, because something changed. */
  notify(): void;
  close(): Promise<void>;
}

/** Maximum length of a domain in a path. Its letters may take several bytes each. */
const MOST_NAME_BYTES = 1024;
const MOST_BODY_BYTES = 4 * 1024;
const LONGEST_MS = 5_000;
const MOST_CONNECTIONS = 256;
const MOST_HEADER_BYTES = 8 * 1024;

/**
 * Serves only health, readiness, metrics, status and the page. Everything below `basePath` is served at the root as
 * well, because some proxies remove the path. Rejects if the port cannot be opened.
 */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const streams = createPageStreams();
  const app = createStatusApp(options, streams);
  dropOldest(app.server);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    port: (app.server.address() as AddressInfo).port,
    notify: () => streams.notify(),
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Replaces the oldest connection when the limit is reached. A probe ends long before it is the oldest. */
function dropOldest(server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > MOST_CONNECTIONS) oldest?.destroy();
  });
}

function createStatusApp(options: StatusServerOptions, streams: PageStreams): FastifyInstance {
  const { host, token, basePath, clock } = options;
  const app = fastify({
    bodyLimit: MOST_BODY_BYTES,
    routerOptions: { maxParamLength: MOST_NAME_BYTES },
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
  protect(app, { host, basePath });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  answerFaults(app);
  const ports = {
    ...options,
    access: createPageAccess(token, clock),
    streams,
    recentRuns: createRecentRuns(clock),
    recentChanges: createRecentChanges(clock, options.disclosure),
    exposure: exposureOf({ host, basePath }),
  };
  for (const prefix of new Set(['', basePath ?? ''])) {
    void app.register(
      (scope, _options, done) => {
        addProbes(scope, options);
        addPageRoutes(scope, ports);
        done();
      },
      { prefix },
    );
  }
  return app;
}

function answerFaults(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'there is nothing here' }));
  app.setErrorHandler((error: { readonly statusCode?: number }, _request, reply) => {
    const { statusCode: code = 500 } = error;
    return reply.code(code).send({ error: code < 500 ? 'the request cannot be parsed' : 'internal error' });
  });
}

function addProbes(
  app: FastifyInstance,
  { statuses, isAlive, metrics, readiness = () => readinessDocument(statuses()) }: StatusServerOptions,
): void {
  app.get('/healthz', (_request, reply) => reply.code(isAlive() ? 200 : 503).send({ alive: isAlive() }));
  app.get('/readyz', (_request, reply) => {
    const document = readiness();
    return reply.code(document.ready ? 200 : 503).send(document);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
}
