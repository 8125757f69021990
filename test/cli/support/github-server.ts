import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: 'Bot' | 'User' };
}

/** The part of GitHub's REST API that the action uses, for one repository `acme/mail`. */
export interface GithubServer {
  readonly url: string;
  readonly comments: Comment[];
  /** Answers for a path: pull requests of a commit, or artifacts. */
  readonly answers: Map<string, unknown>;
}

export const TOKEN = 'token-of-the-workflow';

export async function githubServer(comments: Comment[] = []): Promise<GithubServer> {
  const answers = new Map<string, unknown>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = (code: number, value: unknown): void => {
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      };
      if (request.headers.authorization !== `Bearer ${TOKEN}`)
        return answer(401, { message: 'Bad credentials' });
      const url = new URL(request.url ?? '', 'http://localhost');
      const path = url.pathname.replace('/repos/acme/mail', '');
      const sent = body === '' ? null : (JSON.parse(body) as { body: string });
      if (path === '/issues/7/comments' && sent === null) {
        const page = Number(url.searchParams.get('page'));
        return answer(200, comments.slice((page - 1) * 100, page * 100));
      }
      if (path === '/issues/7/comments' && request.method === 'POST' && sent !== null) {
        comments.push({ id: 1000 + comments.length, body: sent.body, user: { type: 'Bot' } });
        return answer(201, {});
      }
      const edited = comments.find(({ id }) => path === `/issues/comments/${id}`);
      if (edited !== undefined && request.method === 'PATCH' && sent !== null) {
        edited.body = sent.body;
        return answer(200, {});
      }
      return answers.has(path) ? answer(200, answers.get(path)) : answer(404, { message: `no ${path}` });
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, answers };
}
