import { Buffer } from 'node:buffer';
import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CONTROL_ROOT, isControlTarget } from '../control/control.ts';
import { createEmulator, type EmulatorCore, type EmulatorOptions } from '../emulator.ts';
import type { EmulatorRequest } from './protocol.ts';
import { sendOutcome } from './send.ts';

/** Larger bodies are answered with 413. A batch of 500 items with long destinations is many times smaller. */
const BODY_LIMIT = 16 * 1024 * 1024;
/** The state of a million aliases takes about 100 MB. */
const CONTROL_BODY_LIMIT = 256 * 1024 * 1024;

export interface ServerOptions extends EmulatorOptions {
  /** Port to listen on. The default, 0, takes a free port. */
  readonly port?: number | undefined;
  /** Host to listen on. The default is 127.0.0.1. */
  readonly host?: string | undefined;
}

export interface Emulator extends Omit<EmulatorCore, 'dispatch' | 'refuse'> {
  readonly port: number;
  readonly urls: { readonly v4: string; readonly v3: string };
  /** URL of the control interface; null if it is off. */
  readonly controlUrl: string | null;
  /** Closes the server and all connections. */
  close(): Promise<void>;
}

/** Serves the API on `http://HOST:PORT/v4` and `/v3`. Rejects if the port is not available. */
export async function startEmulator(options: ServerOptions): Promise<Emulator> {
  const host = options.host ?? '127.0.0.1';
  const { dispatch, refuse, ...core } = createEmulator(options);
  const app = serveOutcomes({ dispatch, refuse }, options);
  await app.listen({ port: options.port ?? 0, host });
  const { port } = app.server.address() as AddressInfo;
  const root = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    ...core,
    port,
    urls: { v4: `${root}/v4`, v3: `${root}/v3` },
    controlUrl: options.control === true ? root + CONTROL_ROOT : null,
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Creates the fastify instance with the emulator behind it, without listening. */
export function createEmulatorApp(options: EmulatorOptions): {
  readonly app: FastifyInstance;
  readonly core: EmulatorCore;
} {
  const core = createEmulator(options);
  return { app: serveOutcomes(core, options), core };
}

function serveOutcomes(
  { dispatch, refuse }: Pick<EmulatorCore, 'dispatch' | 'refuse'>,
  { sleep, control }: Pick<EmulatorOptions, 'sleep' | 'control'>,
): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    // Fastify has only two routes. The emulator's own router reads the raw target, so that no answer comes from fastify.
    rewriteUrl: ({ url = '/' }) => (isControlTarget(url) ? CONTROL_ROOT : '/'),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, refuse),
    forceCloseConnections: true,
  });
  const serve = async (
    request: FastifyRequest,
    reply: FastifyReply,
    body: EmulatorRequest['body'],
  ): Promise<void> => {
    reply.hijack();
    try {
      const outcome = await dispatch({
        method: request.method,
        target: request.originalUrl,
        headers: plainHeaders(request.headers),
        body,
        remoteAddress: request.socket.remoteAddress,
      });
      await sendOutcome(reply.raw, outcome, sleep);
    } catch (error) {
      // If a listener or a scripted edit throws, the client must not be left waiting.
      reply.raw.destroy();
      throw error;
    }
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: { statusCode?: number }, request, reply) =>
    serve(request, reply, { kind: error.statusCode === 413 ? 'too-large' : 'unreadable' }),
  );
  const answer = (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    serve(request, reply, Buffer.isBuffer(request.body) ? request.body.toString('utf8') : undefined);
  app.setNotFoundHandler(answer);
  app.all('/', answer);
  app.all(CONTROL_ROOT, { bodyLimit: control === true ? CONTROL_BODY_LIMIT : BODY_LIMIT }, answer);
  return app;
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}

/** Answers input that Node could not parse as HTTP, in the version of its request line if that can be read. */
function refuseUnreadable(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  refuse: EmulatorCore['refuse'],
): void {
  if (!socket.writable) return;
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const start = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1', 0, 100) : '';
  const isV3 = /^[A-Z]+ \/v3[/? ]/i.test(start);
  const { status, headers, body } = refuse(isV3 ? 'v3' : 'v4', isTooLarge ? 431 : 400);
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
