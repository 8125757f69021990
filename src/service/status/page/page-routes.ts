import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import { fleetDocument } from '../fleet-document.ts';
import { statusDocument } from '../status-document.ts';
import { SESSION_COOKIE, SESSION_MS } from './access.ts';
import { concealAll } from '../../conceal/conceal-all.ts';
import { fleetData } from './data/fleet-data.ts';
import { UNREACHABLE, fleetVerdict, renderFleet, renderUnreachable } from './views/fleet.ts';
import { overviewData } from './data/overview-data.ts';
import { renderOverview, verdictOf } from './views/overview.ts';
import { sendDomain } from './domain-page.ts';
import type { PagePorts } from './page-ports.ts';
import { parseQuery } from './query.ts';
import { sendPage, type PageAnswer } from './send-page.ts';
import { findRun } from './data/runs-data.ts';
import { renderMissingRun, renderRun } from './views/runs.ts';
import { SCRIPT } from './script.ts';
import { renderClosed, renderSignIn, type SignInFault } from './views/sign-in.ts';
import { ICON, STYLE } from './style.ts';

/** Adds the page, its parts, and `/status`, which shows the same. */
export function addPageRoutes(app: FastifyInstance, ports: PagePorts): void {
  const { statuses, conceal, streams, basePath } = ports;
  app.get('/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
  app.get('/script.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT));
  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(ICON));
  app.get('/', async (request, reply) => {
    if (mayNotSee(request, reply, ports, 'html')) return reply;
    if (ports.fleet !== undefined) return sendFleet(request, reply, ports, await ports.fleet());
    return sendOverview(request, reply, ports);
  });
  app.get<{ Params: { id: string } }>('/runs/:id', async (request, reply) => {
    if (mayNotSee(request, reply, ports, 'html')) return reply;
    return sendRun(request, reply, ports);
  });
  app.get<{ Params: { name: string } }>('/domains/:name', async (request, reply) => {
    if (mayNotSee(request, reply, ports, 'html')) return reply;
    return sendDomain(request, reply, ports);
  });
  app.get('/status', async (request, reply) => {
    if (mayNotSee(request, reply, ports, 'json')) return reply;
    const fleet = await ports.fleet?.();
    if (fleet === null) return reply.code(503).send({ error: `${UNREACHABLE}: see the log of the worker` });
    const document = fleet === undefined ? statusDocument(statuses()) : fleetDocument(fleet);
    const { program } = ports;
    return reply.type('application/json').send(conceal(JSON.stringify({ ...document, program })));
  });
  app.get('/events', (request, reply) => {
    if (mayNotSee(request, reply, ports, 'json')) return reply;
    const headers = reply.getHeaders() as Readonly<Record<string, string>>;
    reply.hijack();
    streams.open(reply.raw, headers);
    return reply;
  });
  app.post('/login', (request, reply) => signIn(request, reply, ports));
  app.post('/logout', (request, reply) =>
    reply.header('set-cookie', cookieOf('', 0, request, basePath)).redirect(`${basePath ?? ''}/`, 303),
  );
}

async function sendOverview(
  request: FastifyRequest,
  reply: FastifyReply,
  ports: PagePorts,
): Promise<FastifyReply> {
  const { statuses, histories, conceal, disclosure, clock, route, who, command } = ports;
  const query = parseQuery(request.query);
  const now = clock.now();
  const all = statuses();
  const found = overviewData(all, { query, now, disclosure, command });
  const shown = new Set(found.accounts.map(({ name }) => name));
  const lastRun = new Map(all.map(({ name, run }) => [name, run?.id ?? null]));
  const recent = await ports.recentRuns(
    histories().filter(({ account }) => shown.has(account)),
    (account) => lastRun.get(account) ?? null,
  );
  const { data, runs } = concealAll({ data: found, runs: recent }, conceal);
  const answer = query.route === '' ? null : route(query.route);
  const senders = query.to === '' ? null : concealAll(await who(query.to), conceal);
  const content = renderOverview(
    { data, runs, answer, senders },
    { basePath: ports.basePath ?? '', query, now, command },
  );
  return sendPage(reply, ports, { title: verdictOf(data), content, isLive: true, request });
}

function sendFleet(
  request: FastifyRequest,
  reply: FastifyReply,
  ports: PagePorts,
  fleet: Fleet | null,
): FastifyReply {
  if (fleet === null) {
    const content = renderUnreachable();
    return sendPage(reply, ports, { title: UNREACHABLE, content, isLive: true, request });
  }
  const query = parseQuery(request.query);
  const data = concealAll(fleetData(fleet, query, ports.command), ports.conceal);
  const content = renderFleet(data, {
    basePath: ports.basePath ?? '',
    query,
    now: fleet.at,
    command: ports.command,
  });
  return sendPage(reply, ports, { title: fleetVerdict(data), content, isLive: true, request });
}

async function sendRun(
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  ports: PagePorts,
): Promise<FastifyReply> {
  const { histories, conceal, disclosure, clock, command } = ports;
  const basePath = ports.basePath ?? '';
  const found = await findRun(request.params.id, histories(), disclosure);
  if (found === null) {
    const content = renderMissingRun(basePath);
    return sendPage(reply.code(404), ports, { title: 'No such run', content, isLive: false, request });
  }
  const run = concealAll(found, conceal);
  const content = renderRun(run, { basePath, now: clock.now(), command });
  return sendPage(reply, ports, { title: `Run ${run.id}`, content, isLive: false, request });
}

/** Answers a reader who may not see the page. Returns false if it sent no answer. */
function mayNotSee(
  request: FastifyRequest,
  reply: FastifyReply,
  ports: PagePorts,
  format: 'html' | 'json',
): boolean {
  const exposure = ports.exposure(request);
  const { authorization, cookie } = request.headers;
  const verdict = ports.access.judge({ authorization, cookie }, exposure !== null);
  switch (verdict.kind) {
    case 'granted':
      if (verdict.renewed !== null)
        void reply.header(
          'set-cookie',
          cookieOf(verdict.renewed, SESSION_MS / 1000, request, ports.basePath),
        );
      return false;
    case 'closed': {
      const why = `${exposure}, and there is no token: set FWDSYNC_PAGE_TOKEN or FWDSYNC_PAGE_TOKEN_FILE to serve it`;
      const content = renderClosed(why);
      reply.code(404);
      refuse(reply, ports, { title: 'Not served', content, isLive: false, request }, format, why);
      return true;
    }
    case 'unknown':
      sendSignIn(reply, ports, { request, fault: null, format });
      return true;
    case 'wrong':
      sendSignIn(reply, ports, { request, fault: 'wrong', format });
      return true;
    case 'slowed':
      sendSignIn(reply, ports, { request, fault: verdict, format });
      return true;
  }
}

interface SignInPage {
  readonly request: FastifyRequest;
  readonly fault: SignInFault;
  readonly format: 'html' | 'json';
}

function sendSignIn(reply: FastifyReply, ports: PagePorts, { request, fault, format }: SignInPage): void {
  const isSlowed = fault !== null && typeof fault === 'object';
  reply.code(isSlowed ? 429 : 401);
  if (isSlowed) reply.header('retry-after', String(fault.seconds));
  else reply.header('www-authenticate', 'Bearer realm="fwdsync"');
  const content = renderSignIn(fault, ports.basePath ?? '');
  const why = isSlowed
    ? `too many wrong tokens: try again in ${fault.seconds} s`
    : fault === 'wrong'
      ? 'wrong token'
      : 'a token is needed: send it as Authorization: Bearer TOKEN';
  refuse(reply, ports, { title: 'Sign in', content, isLive: false, request }, format, why);
}

function refuse(
  reply: FastifyReply,
  ports: PagePorts,
  page: PageAnswer,
  format: 'html' | 'json',
  error: string,
): void {
  if (format === 'json') void reply.send({ error });
  else sendPage(reply, ports, page);
}

function signIn(request: FastifyRequest, reply: FastifyReply, ports: PagePorts): FastifyReply {
  const token = request.body instanceof URLSearchParams ? (request.body.get('token') ?? '') : '';
  const answer = ports.access.signIn(token);
  if (answer.kind !== 'signed-in') {
    sendSignIn(reply, ports, { request, fault: answer.kind === 'wrong' ? 'wrong' : answer, format: 'html' });
    return reply;
  }
  const cookie = cookieOf(answer.cookie, SESSION_MS / 1000, request, ports.basePath);
  return reply.header('set-cookie', cookie).redirect(`${ports.basePath ?? ''}/`, 303);
}

function cookieOf(
  value: string,
  seconds: number,
  { headers }: FastifyRequest,
  basePath: string | null,
): string {
  const proxied = `${String(headers['x-forwarded-proto'] ?? '')} ${headers.forwarded ?? ''}`;
  const secure = /^https\b|proto="?https\b/i.test(proxied) ? '; Secure' : '';
  const path = basePath || '/';
  return `${SESSION_COOKIE}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
