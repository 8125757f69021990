import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { EmulatorAnswer, Served } from './protocol.ts';

const FLOOD_CHUNK = Buffer.alloc(64 * 1024, ' ');

/** Writes an outcome to the socket in the way that its delivery says. */
export async function sendOutcome(
  response: ServerResponse,
  outcome: Served,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<void> {
  if (outcome.kind === 'dropped') {
    response.destroy();
    return;
  }
  const { answer, delivery } = outcome;
  const body = answer.bytes ?? Buffer.from(answer.body);
  switch (delivery.kind) {
    case 'whole':
      writeHead(response, answer, body.length);
      response.end(body);
      return;
    case 'truncate':
      writeHead(response, answer, body.length);
      response.write(body.subarray(0, delivery.bytes), () => response.destroy());
      return;
    case 'drip':
      writeHead(response, answer, body.length);
      await drip(response, body, delivery, sleep);
      return;
    case 'flood':
      writeHead(response, answer, delivery.bytes);
      await flood(response, delivery.bytes);
      return;
  }
}

function writeHead(response: ServerResponse, answer: EmulatorAnswer, length: number): void {
  response.statusCode = answer.status;
  response.sendDate = false;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  const isLengthOpen = answer.status !== 204 && !response.hasHeader('Content-Length');
  if (isLengthOpen) response.setHeader('Content-Length', length);
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  pace: { readonly chunkBytes: number; readonly milliseconds: number },
  sleep: (milliseconds: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += pace.chunkBytes) {
    response.write(body.subarray(at, at + pace.chunkBytes));
    await sleep(pace.milliseconds);
  }
  response.end();
}

async function flood(response: ServerResponse, bytes: number): Promise<void> {
  try {
    await pipeline(filler(bytes), response);
  } catch (error) {
    // A client that has seen enough closes the connection, which is the purpose of a flood.
    if (!response.destroyed) throw error;
  }
}

function* filler(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= FLOOD_CHUNK.length) {
    yield FLOOD_CHUNK.subarray(0, Math.min(left, FLOOD_CHUNK.length));
  }
}
