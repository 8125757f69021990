import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawServer {
  /** Root address, ending in /v4. */
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
}

/** A server that answers as it is told, for faults that the emulator does not know; shut after the test. */
export async function httpServer(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<RawServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    answer(request, response, requests.length);
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
  });
  return { url, requests };
}

/** A server below HTTP: bytes that a connection gets. */
export async function netServer(connected: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connected(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(server);
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4`;
}

/** A JSON answer. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
