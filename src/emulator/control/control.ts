import {
  checkBody,
  CONTROL_ROUTES,
  type ControlledParts,
  type ControlReply,
  type ControlRoute,
} from './control-routes.ts';
import type { Dispatch } from '../http/dispatch.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../http/protocol.ts';
import { readJson } from '../http/request-body.ts';
import type { SchemaProblem } from '../http/schemas.ts';

/** Where the control interface is, beside `/v4` and `/v3`. */
export const CONTROL_ROOT = '/_emulator';

/** Whether a request target, with or without a query, is the control interface's. */
export function isControlTarget(target: string): boolean {
  return /^\/_emulator(?:[/?]|$)/.test(target);
}

/** An account that the control interface reads and changes. */
export interface Controlled extends ControlledParts {
  /** Called after each request that may have changed it. */
  readonly changed: () => void;
}

/**
 * Serves the control interface in front of the API. Its requests are in no journal, meet no fault and use up no budget.
 * `find` gives the account of an email, null the first one; null for an email that no account has.
 */
export function withControl(dispatch: Dispatch, find: (email: string | null) => Controlled | null): Dispatch {
  return async (request) => {
    if (!isControlTarget(request.target)) return dispatch(request);
    return { kind: 'answer', answer: answerControl(find, request), delivery: { kind: 'whole' } };
  };
}

function answerControl(find: Parameters<typeof withControl>[1], request: EmulatorRequest): EmulatorAnswer {
  const refused = refuseAccess(request);
  if (refused !== null) return failed(403, refused);
  const url = new URL(request.target, 'http://loopback');
  const email = url.searchParams.get('account');
  const account = find(email);
  if (account === null) return failed(404, `There is no account ${email}.`);
  const path = url.pathname.slice(CONTROL_ROOT.length).replace(/\/$/, '');
  if (path === '' && request.method === 'GET')
    return answer(200, { now: account.clock.now(), routes: ROUTE_LIST });
  const served = CONTROL_ROUTES.filter((route) => route.path === path);
  const route = served.find(({ method }) => method === request.method);
  if (route !== undefined) return answerRoute(account, route, { request, query: url.searchParams });
  if (served.length === 0) return failed(404, `There is no ${CONTROL_ROOT}${path}; see ${CONTROL_ROOT}.`);
  const allowed = served.map(({ method }) => method).join(', ');
  const refusal = failed(405, `${CONTROL_ROOT}${path} takes ${allowed}.`);
  return { ...refusal, headers: { ...refusal.headers, Allow: allowed } };
}

const ROUTE_LIST = CONTROL_ROUTES.map(({ method, path }) => `${method} ${CONTROL_ROOT}${path}`);

function answerRoute(
  account: Controlled,
  route: ControlRoute,
  { request, query }: { readonly request: EmulatorRequest; readonly query: URLSearchParams },
): EmulatorAnswer {
  const body = readJson(route.body === undefined ? undefined : request.body);
  if (body.kind !== 'json') return failed(body.kind === 'too-large' ? 413 : 400, `The body is ${body.kind}.`);
  const problems = checkBody(route, body.value);
  if (problems.length > 0) return failed(400, 'The body is not valid', problems);
  const reply = render(route.handle(account, { query, body: body.value }));
  if (route.method !== 'GET' && reply.status < 300) account.changed();
  return reply;
}

function render(reply: ControlReply): EmulatorAnswer {
  if (reply.kind === 'refused') return failed(reply.status, 'The request cannot be served', reply.problems);
  return reply.body === undefined ? { status: 204, headers: {}, body: '' } : answer(200, reply.body);
}

/** What is wrong, and where: `message` repeats the first problem. */
function failed(status: number, what: string, problems: readonly SchemaProblem[] = []): EmulatorAnswer {
  const [first] = problems;
  const message = first === undefined ? what : `${what}: ${first.path} ${first.message}.`;
  return answer(status, { message, problems });
}

function answer(status: number, body: unknown): EmulatorAnswer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/**
 * Why a request may not control the emulator; null: it may. The address alone does not say who asks: a page in a browser
 * on this machine reaches loopback too, under a name of its own (Host) or from another site (Origin).
 */
function refuseAccess({ remoteAddress, headers }: EmulatorRequest): string | null {
  if (remoteAddress === undefined || !isLoopbackAddress(remoteAddress.replace(/^::ffff:/i, ''))) {
    return 'The control interface answers requests from loopback only.';
  }
  if (!isLoopbackAuthority(headers['host'] ?? '')) {
    return 'The Host header must name loopback, such as 127.0.0.1 or localhost.';
  }
  const { origin } = headers;
  const isForeign = origin !== undefined && !isLoopbackAuthority(origin.replace(/^https?:\/\//, ''));
  return isForeign ? 'Pages of other sites may not use the control interface.' : null;
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}

/** `host` or `host:port`. */
function isLoopbackAuthority(authority: string): boolean {
  const host = authority.replace(/:\d{1,5}$/, '').toLowerCase();
  return host === 'localhost' || host === '[::1]' || isLoopbackAddress(host);
}
