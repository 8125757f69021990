import { isAuthorised } from './auth.ts';
import { deliveryOf, tamperingOf, tamperWith, tamperWithAnswer } from '../faults/fault-replies.ts';
import type { EditRequest, FaultAction, FaultSource } from '../faults/faults.ts';
import type { JournalWriter } from './journal.ts';
import type { Generation } from '../account/model.ts';
import {
  failure,
  inVersion,
  type EmulatorAnswer,
  type EmulatorRequest,
  type RequestSummary,
  type Served,
  type HandlerReply,
} from './protocol.ts';
import { handleBySwitches } from './query-switches.ts';
import type { RateLimiter, RateVerdict } from './rate-limit.ts';
import { bodyValue, readJson, type Body } from './request-body.ts';
import type { RouteMatch, ApiRouter, Tampering } from './route-list.ts';
import type { EmulatorStore } from '../account/store.ts';

/** A request as listeners see it. `status` is null before the request is processed, and after a dropped connection. */
export interface ServedRequest extends RequestSummary {
  readonly phase: 'before' | 'after';
  readonly body: unknown;
  readonly status: number | null;
}

export type RequestListener = (event: ServedRequest) => void | Promise<void>;

export interface DispatcherParts {
  readonly store: EmulatorStore;
  readonly router: ApiRouter;
  readonly apiKey: string;
  readonly limiter: RateLimiter;
  readonly faults: FaultSource;
  readonly journal: JournalWriter;
  readonly listeners: ReadonlySet<RequestListener>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * Serves one request without a socket. An error in a handler becomes a 500 answer. The promise rejects only with an error of
 * a listener or a scripted edit.
 */
export type Dispatch = (request: EmulatorRequest) => Promise<Served>;

/**
 * Returns the answer to input that is not an HTTP request, in the version that its start names. It counts as a request
 * without a valid key.
 */
export function createRefusal(
  parts: Pick<DispatcherParts, 'limiter' | 'store'>,
): (version: Generation, status: number) => EmulatorAnswer {
  return (version, status) => {
    const unread = { version, method: '', endpoint: null, path: '', caller: 'stranger' } as const;
    const verdict = parts.limiter.admit(unread, parts.store.state.environment.now());
    return toAnswer(parts, inVersion(version, failure(status, 'The request cannot be read.')), verdict);
  };
}

interface Parsed {
  readonly request: EmulatorRequest;
  readonly version: Generation | null;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly match: RouteMatch | undefined;
  readonly body: Body;
}

export function createDispatch(parts: DispatcherParts): Dispatch {
  return async (request) => {
    const parsed = parse(request, parts.router);
    await notify(parts, parsed, 'before', null);
    const actions = parts.faults.hit(summaryOf(parsed));
    await applyBefore(parts, actions);
    const outcome = await serve(parts, parsed, actions);
    const status = outcome.kind === 'answer' ? outcome.answer.status : null;
    parts.journal.add({
      at: parts.store.state.environment.now(),
      ...summaryOf(parsed),
      body: bodyValue(parsed.body),
      status,
    });
    await notify(parts, parsed, 'after', status);
    return outcome;
  };
}

/** Applies the edits and delays that precede the handling of a request. */
async function applyBefore(parts: DispatcherParts, actions: readonly FaultAction[]): Promise<void> {
  for (const action of actions) {
    if (action.kind === 'edit') {
      if ('run' in action) action.run(parts.store);
      else editByAnother(parts, action.request);
    }
    if (action.kind === 'delay' && action.when !== 'after') await parts.sleep(action.ms);
  }
}

async function serve(
  parts: DispatcherParts,
  parsed: Parsed,
  actions: readonly FaultAction[],
): Promise<Served> {
  if (hasDrop(actions, 'before')) return { kind: 'dropped' };
  const answer = answerTo(parts, parsed, actions);
  for (const action of actions) {
    if (action.kind === 'delay' && action.when === 'after') await parts.sleep(action.ms);
  }
  if (hasDrop(actions, 'after')) return { kind: 'dropped' };
  return {
    kind: 'answer',
    answer: tamperWithAnswer(answer, actions),
    delivery: deliveryOf(actions),
  };
}

/** Counts the request, then processes it unless a scripted status takes its place. */
function answerTo(parts: DispatcherParts, parsed: Parsed, actions: readonly FaultAction[]): EmulatorAnswer {
  const { authorization } = parsed.request.headers;
  const authorised = isAuthorised(authorization, parts.apiKey, parsed.version ?? 'v4');
  const verdict = parts.limiter.admit(
    { ...summaryOf(parsed), caller: authorised ? 'account' : 'stranger' },
    parts.store.state.environment.now(),
  );
  const before = statusFault(actions, 'before');
  if (before !== undefined) return scriptedAnswer(parts, parsed, before, verdict);
  const reply = replyTo(parts, parsed, { authorised, verdict, actions });
  const after = statusFault(actions, 'after');
  if (after !== undefined) return scriptedAnswer(parts, parsed, after, verdict);
  return toAnswer(parts, inVersion(parsed.version, reply), verdict);
}

interface Decision {
  readonly authorised: boolean;
  readonly verdict: RateVerdict;
  readonly actions: readonly FaultAction[];
}

function replyTo(parts: DispatcherParts, parsed: Parsed, decision: Decision): HandlerReply {
  if (!decision.verdict.allowed) return failure(429, 'Too many requests.');
  if (!decision.authorised) return failure(401, 'Authentication required: missing or invalid credentials.');
  return tamperWith(handle(parts, parsed, tamperingOf(decision.actions)), decision.actions);
}

function handle(parts: DispatcherParts, parsed: Parsed, tampering: Tampering): HandlerReply {
  if (parsed.match === undefined) return failure(404, 'Not found.');
  if (parsed.body.kind !== 'json') return refuseBody(parsed.body.kind);
  const { state } = parts.store;
  const isWrite = parsed.method !== 'GET';
  if (isWrite && state.account.locked === true && state.switches.lockedAccount === 'refuse-writes') {
    return failure(403, state.account.lock_reason ?? 'The account is locked.');
  }
  try {
    return handleBySwitches(parsed.match.route, {
      version: parsed.match.route.version,
      state,
      params: parsed.match.params,
      query: parsed.query,
      body: parsed.body.value,
      tampering,
    });
  } catch {
    return failure(500, 'Server error.');
  }
}

function refuseBody(kind: Exclude<Body['kind'], 'json'>): HandlerReply {
  switch (kind) {
    case 'malformed':
      return failure(400, 'The request body is not valid JSON.');
    case 'too-deep':
      return failure(400, 'The request body is nested too deeply.');
    case 'unreadable':
      return failure(400, 'The request body cannot be read.');
    case 'too-large':
      return failure(413, 'The request body is too large.');
  }
}

function editByAnother(parts: DispatcherParts, edit: EditRequest): void {
  const body = edit.body === undefined ? undefined : JSON.stringify(edit.body);
  const parsed = parse({ method: edit.method, target: edit.path, headers: {}, body }, parts.router);
  handle(parts, parsed, tamperingOf([]));
}

function parse(request: EmulatorRequest, router: ApiRouter): Parsed {
  const mark = request.target.indexOf('?');
  const whole = mark === -1 ? request.target : request.target.slice(0, mark);
  const query = new URLSearchParams(mark === -1 ? '' : request.target.slice(mark + 1));
  const root = /^\/(v3|v4)(?=\/|$)/.exec(whole);
  const version = root === null ? null : (root[1] as Generation);
  const path = root === null ? whole : whole.slice(root[0].length);
  // v3 clients end paths with a slash; one slash is ignored.
  const plain = version === 'v3' && path.endsWith('/') ? path.slice(0, -1) : path;
  const match =
    version === null ? undefined : router.find(version, request.method, plain.split('/').slice(1));
  return {
    request,
    version,
    method: request.method,
    path: mark === -1 ? path : path + request.target.slice(mark),
    query,
    match,
    // v3 clients send bodies even with GET; they are ignored.
    body: readJson(request.method === 'GET' ? undefined : request.body),
  };
}

function toAnswer(
  parts: Pick<DispatcherParts, 'store'>,
  reply: HandlerReply,
  verdict: RateVerdict,
): EmulatorAnswer {
  const headers = commonHeaders(parts, verdict);
  if (reply.status === 429) headers['Retry-After'] = String(verdict.numbers?.retryAfter ?? 1);
  if (reply.body === undefined) return { status: reply.status, headers, body: '' };
  headers['Content-Type'] = 'application/json';
  return { status: reply.status, headers, body: JSON.stringify(reply.body) };
}

type StatusFault = Extract<FaultAction, { kind: 'status' }>;

function scriptedAnswer(
  parts: DispatcherParts,
  { version }: Parsed,
  fault: StatusFault,
  verdict: RateVerdict,
): EmulatorAnswer {
  const plain = inVersion(version, failure(fault.code, `Scripted status ${fault.code}.`));
  const body = fault.body ?? plain.body ?? null;
  const headers = commonHeaders(parts, verdict);
  headers['Content-Type'] = typeof body === 'string' ? 'text/html' : 'application/json';
  return {
    status: fault.code,
    headers: { ...headers, ...fault.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Returns the Date header and the rate-limit headers, which every answer carries (v4: Limits). */
function commonHeaders(parts: Pick<DispatcherParts, 'store'>, verdict: RateVerdict): Record<string, string> {
  const { state } = parts.store;
  const headers: Record<string, string> = { Date: new Date(state.environment.now()).toUTCString() };
  const { numbers } = verdict;
  if (numbers === undefined || state.switches.rateLimitHeaders === 'omitted') return headers;
  headers['X-RateLimit-Limit'] = String(numbers.limit);
  headers['X-RateLimit-Remaining'] = String(numbers.remaining);
  headers['X-RateLimit-Reset'] = String(numbers.reset);
  return headers;
}

function summaryOf({ version, method, match, path }: Parsed): RequestSummary {
  return { version, method, endpoint: match?.route.template ?? null, path };
}

async function notify(
  parts: DispatcherParts,
  parsed: Parsed,
  phase: 'before' | 'after',
  status: number | null,
): Promise<void> {
  for (const listener of parts.listeners) {
    await listener({ phase, ...summaryOf(parsed), body: bodyValue(parsed.body), status });
  }
}

function hasDrop(actions: readonly FaultAction[], when: 'before' | 'after'): boolean {
  return actions.some((action) => action.kind === 'drop' && (action.when ?? 'before') === when);
}

function statusFault(actions: readonly FaultAction[], when: 'before' | 'after'): StatusFault | undefined {
  return actions.find(
    (action): action is StatusFault => action.kind === 'status' && (action.when ?? 'before') === when,
  );
}
