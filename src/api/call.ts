import type { Clock } from '../model/clock.ts';
import type { Endpoint } from '../model/endpoints.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import { DecodeError, objectOf, type Json } from './decode.ts';
import type { ApiError, FieldErrors } from './errors.ts';
import type { PacedReply, Pacer } from './pacing.ts';
import type { FailureCause, Reply, Transport, WireRequest } from './transport.ts';

export interface CallPorts {
  readonly transport: Transport;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request and decodes its answer; status 204 and deletes are decoded from null. */
export type Call = <T>(
  request: WireRequest,
  decode: (json: Json | null, status: number) => T,
) => Promise<Result<T, ApiError>>;

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;

export function createCall(ports: CallPorts): Call {
  return async (request, decode) => {
    const { endpoint } = request;
    const prepared = ports.transport.prepare(request);
    if (!prepared.ok) return fail(notBuilt(nameOf(endpoint), prepared.message));
    for (let attempt = 1; ; attempt += 1) {
      const reply = await ports.pacer.run({
        endpoint: nameOf(endpoint),
        urgency: 'changed',
        send: prepared.send,
      });
      const result = judge(endpoint, reply, decode);
      if (result.ok || attempt === ATTEMPTS || !mayRepeat(endpoint, result.error)) return result;
      if (!withinRetryBudget(ports.pacer)) return result;
      ports.pacer.countRetry();
      // Full jitter: a service that comes back is not met by everybody at once.
      const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      await ports.clock.sleep(ports.random() * ceiling, ports.signal);
    }
  };
}

function notBuilt(endpoint: string, message: string): ApiError {
  return { kind: 'rejected', endpoint, status: null, message: `not sent: ${message}`, errors: {} };
}

/** A read may always be repeated; a write only when it certainly was not processed. */
function mayRepeat(endpoint: Endpoint, error: ApiError): boolean {
  if (error.kind === 'unreachable') return true;
  return endpoint.method === 'GET' && error.kind === 'unknown-outcome' && error.cause !== 'too-large';
}

/** A tenth of the requests, and at least ten. */
function withinRetryBudget(pacer: Pacer): boolean {
  const { total, retried } = pacer.totals();
  return retried < Math.max(10, total / 10);
}

function judge<T>(
  endpoint: Endpoint,
  reply: PacedReply,
  decode: (json: Json | null, status: number) => T,
): Result<T, ApiError> {
  const name = nameOf(endpoint);
  switch (reply.kind) {
    case 'stopped':
      return fail({ kind: 'stopped', endpoint: name, status: null, message: 'the run was asked to stop' });
    case 'too-long':
      return fail({
        kind: 'rate-limited',
        endpoint: name,
        status: 429,
        waitSeconds: reply.seconds,
        message: `the service asks to wait ${reply.seconds} s, longer than a run may last`,
      });
    case 'failure':
      return fail(failureError(name, reply.cause, reply.message));
    case 'answer':
      return reply.status >= 200 && reply.status < 300
        ? decodeAnswer(name, reply, decode)
        : fail(statusError(name, reply));
  }
}

function failureError(endpoint: string, cause: FailureCause, detail: string): ApiError {
  if (cause === 'unreachable') {
    return {
      kind: 'unreachable',
      endpoint,
      status: null,
      message: `the service cannot be reached: ${detail}`,
    };
  }
  return { kind: 'unknown-outcome', endpoint, status: null, cause, message: `no complete answer: ${detail}` };
}

function decodeAnswer<T>(
  endpoint: string,
  reply: Extract<Reply, { kind: 'answer' }>,
  decode: (json: Json | null, status: number) => T,
): Result<T, ApiError> {
  try {
    return succeed(
      decode(reply.status === 204 ? null : objectOf(parseJson(reply.text), 'the body'), reply.status),
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const cause = error instanceof ContradictionError ? 'contradictory' : 'undecodable';
    return fail({
      kind: 'unknown-outcome',
      endpoint,
      status: reply.status,
      cause,
      message: `the answer cannot be used: ${error.message}`,
    });
  }
}

/** An answer that can be decoded and cannot be true. */
export class ContradictionError extends DecodeError {}

function statusError(endpoint: string, reply: Extract<Reply, { kind: 'answer' }>): ApiError {
  const { status } = reply;
  const { message, errors } = readErrorBody(reply.text, status);
  if (status >= 300 && status < 400) {
    return {
      kind: 'redirect',
      endpoint,
      status,
      message: `the service redirects (${status}), which is never followed`,
    };
  }
  if (status === 401)
    return { kind: 'unauthorised', endpoint, status, message: `401, the key is not accepted: ${message}` };
  if (status === 403) return { kind: 'forbidden', endpoint, status, message };
  if (status === 404) return { kind: 'not-found', endpoint, status, message };
  if (status >= 400 && status < 500) return { kind: 'rejected', endpoint, status, message, errors };
  return {
    kind: 'unknown-outcome',
    endpoint,
    status,
    cause: 'server-error',
    message: `status ${status}: ${message}`,
  };
}

/** v4: Errors; the order message, error, first of errors, raw text also reads the bodies of v3. */
export function readErrorBody(text: string, status: number): { message: string; errors: FieldErrors } {
  const raw = text.replace(/\s+/g, ' ').trim().slice(0, 200);
  const json = parseLoose(text);
  if (json === null) return { message: raw === '' ? `status ${status}` : raw, errors: {} };
  const errors = decodeFieldErrors(json['errors']);
  const stated = [json['message'], json['error'], Object.values(errors)[0]?.[0]];
  const message = stated.find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate !== '',
  );
  return { message: message ?? (raw === '' ? `status ${status}` : raw), errors };
}

export function decodeFieldErrors(value: unknown): FieldErrors {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([field, messages]) => [
      field,
      (Array.isArray(messages) ? messages : [messages]).map(String),
    ]),
  );
}

function parseLoose(text: string): Json | null {
  try {
    return objectOf(JSON.parse(text), 'the body');
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodeError(text === '' ? 'the body is empty' : 'the body is not JSON');
  }
}

function nameOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.template}`;
}
