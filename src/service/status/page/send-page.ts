import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_COOKIE } from './access.ts';
import type { PagePorts } from './page-ports.ts';
import type { Html } from './views/html.ts';
import { renderPage } from './views/layout.ts';

/** Content of an answer, and its request. */
export interface PageAnswer {
  readonly title: string;
  readonly content: Html;
  readonly isLive: boolean;
  readonly request: FastifyRequest;
}

/** Sends a whole page. */
export function sendPage(
  reply: FastifyReply,
  { program, basePath }: Pick<PagePorts, 'program' | 'basePath'>,
  { title, content, isLive, request }: PageAnswer,
): FastifyReply {
  const signedIn = reply.statusCode === 200 && (request.headers.cookie ?? '').includes(`${SESSION_COOKIE}=`);
  const page = renderPage(
    { title, basePath: basePath ?? '', version: program.version, signedIn, isLive },
    content,
  );
  return reply.type('text/html; charset=utf-8').send(page);
}
