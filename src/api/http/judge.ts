import { type Endpoint, endpointText } from '../../model/endpoints.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import { ContradictionError, DecodeError, objectOf, type Json } from '../operations/decode.ts';
import { messageOf, readErrorBody } from './error-body.ts';
import type { ApiError } from '../errors.ts';
import type { PacedReply } from './pacing.ts';
import type { Reply } from './dispatch.ts';
import type { WireRequest } from './transport.ts';

type AnswerReply = Extract<Reply, { readonly kind: 'answer' }>;
type FailureReply = Extract<Reply, { readonly kind: 'failure' }>;
export type Decode<T> = (json: Json | null) => T;

/** What came of a request, as a value or as one of the errors (v4: Errors). Deletes are decoded from null. */
export function judge<T>(request: WireRequest, reply: PacedReply, decode: Decode<T>): Result<T, ApiError> {
  const endpoint = endpointText(request.endpoint);
  switch (reply.kind) {
    case 'stopped':
      return fail(stopped(endpoint, 'interrupted', 'interrupted'));
    case 'objected':
      return fail(stopped(endpoint, 'lock-lost', reply.message));
    case 'too-long':
      return fail({
        kind: 'rate-limited',
        endpoint,
        status: 429,
        waitSeconds: reply.seconds,
        message: `the service asks to wait ${reply.seconds} s, longer than a run may last`,
      });
    case 'failure':
      return fail(failureError(endpoint, reply));
    case 'answer':
      return reply.status >= 200 && reply.status < 300
        ? decodeAnswer(request, reply, decode)
        : fail(statusError(request.endpoint, reply));
  }
}

function stopped(endpoint: string, cause: 'interrupted' | 'lock-lost', message: string): ApiError {
  return { kind: 'stopped', endpoint, status: null, cause, message };
}

function failureError(endpoint: string, { cause, message }: FailureReply): ApiError {
  if (cause === 'unreachable') {
    const text = `the service cannot be reached: ${message}`;
    return { kind: 'unreachable', endpoint, status: null, message: text };
  }
  return {
    kind: 'unknown-outcome',
    endpoint,
    status: null,
    cause,
    message: `no complete answer: ${message}`,
  };
}

function decodeAnswer<T>(request: WireRequest, reply: AnswerReply, decode: Decode<T>): Result<T, ApiError> {
  const endpoint = endpointText(request.endpoint);
  const { status } = reply;
  try {
    const json = status === 204 ? null : objectOf(parseJson(reply.text), 'the body');
    // v3: General differences. A failure that comes with status 200.
    if (json?.['success'] === false && request.successFlag !== 'ignored') {
      return fail({
        kind: 'rejected',
        endpoint,
        status,
        ...messageOf(json, 'the answer says success: false'),
      });
    }
    return succeed(decode(json));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const cause = error instanceof ContradictionError ? 'contradictory' : 'undecodable';
    const message = `the answer cannot be used: ${error.message}`;
    return fail({ kind: 'unknown-outcome', endpoint, status, cause, message });
  }
}

function statusError(of: Endpoint, { status, text }: AnswerReply): ApiError {
  const endpoint = endpointText(of);
  const { message, errors } = readErrorBody(text, status);
  if (status === 401) {
    return { kind: 'unauthorised', endpoint, status, message: `401, the key is not accepted: ${message}` };
  }
  if (status === 403) return { kind: 'forbidden', endpoint, status, message };
  if (status === 404) return { kind: 'not-found', endpoint, status, message };
  if (status >= 400 && status < 500) return { kind: 'rejected', endpoint, status, message, errors };
  if (status >= 300 && status < 400) {
    const refusal = `the service redirects (${status}), which is never followed`;
    return { kind: 'redirect', endpoint, status, message: refusal };
  }
  const cause = 'server-error';
  return { kind: 'unknown-outcome', endpoint, status, cause, message: `status ${status}: ${message}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodeError(text.trim() === '' ? 'the body is empty' : 'the body is not JSON');
  }
}
