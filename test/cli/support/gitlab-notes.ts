import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
}

/** Serves the notes of a merge request to a user with the id 1. Returns the address. */
export async function serveNotes(notes: Note[], token: string): Promise<string> {
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.statusCode = request.headers['private-token'] === token ? 200 : 401;
    response.end(JSON.stringify(await answer(notes, request)));
  };
  const server = createServer((request, response) => void reply(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(notes: Note[], request: IncomingMessage): Promise<object> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://gitlab');
  if (pathname === '/user') return { id: 1 };
  if (request.method !== 'GET') {
    const { body } = JSON.parse(await text(request)) as { body: string };
    const own = notes.find(({ id }) => pathname.endsWith(`/notes/${id}`));
    if (own === undefined) notes.push({ id: notes.length, author: { id: 1 }, body });
    else own.body = body;
  }
  const page = Number(searchParams.get('page'));
  return notes.slice((page - 1) * 100, page * 100);
}
