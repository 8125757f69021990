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

/** Path of the control interface, next to `/v4` and `/v3`. */
export const CONTROL_ROOT = '/_emulator';

/** True if a request target, with or without a query, belongs to the control interface. */
export function isControlTarget(target: string): boolean {
  return /^\/_emulator(?:[/?]|$)/.test(target);
}

/** An account that the control interface reads and changes. */
export interface Controlled extends ControlledParts {
  /** Called after each request that may have changed the account. */
  readonly changed: () => void;
  /** Extensions, which are asked before the routes that every account has. */
  readonly controlExtensions: readonly ControlExtension[];
}

/** Additional paths of the control interface. null means that the path is not one of them. */
export interface ControlExtension {
  readonly routes: readonly string[];
  answer(request: {
    readonly method: string;
    /** Path below `/_emulator`. */
    readonly path: string;
    readonly query: URLSearchParams;
    readonly body: unknown;
  }): Promise<EmulatorAnswer | null>;
}

/**
 * Serves the control interface in front of the API. Its requests are not in the journal, meet no faults and use no budget.
 * `find` returns the account of an email, or the first account if the email is null. It returns null if no account has the
 * email.
 */
export function withControl(dispatch: Dispatch, find: (email: string | null) => Controlled | null): Dispatch {
  return async (request) => {
    if (!isControlTarget(request.target)) return dispatch(request);
    return { kind: 'answer', answer: await answerControl(find, request), delivery: { kind: 'whole' } };
  };
}

async function answerControl(
  find: Parameters<typeof withControl>[1],
  request: EmulatorRequest,
): Promise<EmulatorAnswer> {
  const refused = refuseAccess(request);
  if (refused !== null) return controlFailure(403, refused);
  const { pathname, searchParams: query } = new URL(request.target, 'http://loopback');
  const email = query.get('account');
  const account = find(email);
  if (account === null) return controlFailure(404, `There is no account ${email}.`);
  const asked = {
    method: request.method,
    path: pathname.slice(CONTROL_ROOT.length).replace(/\/$/, ''),
    query,
  };
  return (await answerExtended(account, asked, request)) ?? answerPath(account, asked, request);
}

async function answerExtended(
  { controlExtensions, changed }: Controlled,
  asked: ControlTarget,
  request: EmulatorRequest,
): Promise<EmulatorAnswer | null> {
  for (const extension of controlExtensions) {
    const body = readJson(asked.method === 'GET' ? undefined : request.body);
    const extended = await extension.answer({ ...asked, body: body.kind === 'json' ? body.value : null });
    if (extended === null) continue;
    if (asked.method !== 'GET' && extended.status < 300) changed();
    return extended;
  }
  return null;
}

interface ControlTarget {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

function answerPath(
  account: Controlled,
  { method, path, query }: ControlTarget,
  request: EmulatorRequest,
): EmulatorAnswer {
  if (path === '' && method === 'GET') {
    const more = account.controlExtensions.flatMap(({ routes }) => routes);
    return controlAnswer(200, { now: account.clock.now(), routes: [...ROUTE_LIST, ...more] });
  }
  const served = CONTROL_ROUTES.filter((route) => route.path === path);
  const route = served.find((candidate) => candidate.method === method);
  if (route !== undefined) return answerRoute(account, route, { request, query });
  if (served.length === 0) {
    return controlFailure(404, `There is no ${CONTROL_ROOT}${path}; see ${CONTROL_ROOT}.`);
  }
  const allowed = served.map((candidate) => candidate.method).join(', ');
  const refusal = controlFailure(405, `${CONTROL_ROOT}${path} takes ${allowed}.`);
  return { ...refusal, headers: { ...refusal.headers, Allow: allowed } };
}

const ROUTE_LIST = CONTROL_ROUTES.map(({ method, path }) => `${method} ${CONTROL_ROOT}${path}`);

function answerRoute(
  account: Controlled,
  route: ControlRoute,
  { request, query }: { readonly request: EmulatorRequest; readonly query: URLSearchParams },
): EmulatorAnswer {
  const body = readJson(route.body === undefined ? undefined : request.body);
  if (body.kind !== 'json')
    return controlFailure(body.kind === 'too-large' ? 413 : 400, `The body is ${body.kind}.`);
  const problems = checkBody(route, body.value);
  if (problems.length > 0) return controlFailure(400, 'The body is not valid', problems);
  const reply = render(route.handle(account, { query, body: body.value }));
  if (route.method !== 'GET' && reply.status < 300) account.changed();
  return reply;
}

function render(reply: ControlReply): EmulatorAnswer {
  if (reply.kind === 'refused')
    return controlFailure(reply.status, 'The request cannot be served', reply.problems);
  return reply.body === undefined ? { status: 204, headers: {}, body: '' } : controlAnswer(200, reply.body);
}

/** Returns an error answer. `message` repeats the first problem. */
export function controlFailure(
  status: number,
  what: string,
  problems: readonly SchemaProblem[] = [],
): EmulatorAnswer {
  const [first] = problems;
  const message = first === undefined ? what : `${what}: ${first.path} ${first.message}.`;
  return controlAnswer(status, { message, problems });
}

export function controlAnswer(status: number, body: unknown): EmulatorAnswer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/**
 * Returns why a request may not control the emulator, or null if it may. The remote address alone is not enough: a web page
 * in a browser on this machine also connects from loopback, but with its own host name (Host) or from another site (Origin).
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

/** True for a loopback `host` or `host:port`. */
function isLoopbackAuthority(authority: string): boolean {
  const host = authority.replace(/:\d{1,5}$/, '').toLowerCase();
  return host === 'localhost' || host === '[::1]' || isLoopbackAddress(host);
}
