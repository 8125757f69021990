import { type Endpoint, endpointText } from '../../core/model/endpoints.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { ContradictionError, DecodeError, isObject, objectOf, type Json } from '../../core/fields/json.ts';
import { escapeInvisible } from '../../core/model/names.ts';
import type { ApiError, FieldErrors } from '../errors.ts';
import type { PacedReply } from './pacing.ts';
import type { Reply } from './dispatch.ts';
import type { WireRequest } from './transport.ts';

type AnswerReply = Extract<Reply, { readonly kind: 'answer' }>;
type FailureReply = Extract<Reply, { readonly kind: 'failure' }>;
export type Decode<T> = (json: Json | null) => T;

/** Converts a reply to a value or an error (v4: Errors). Answers to deletes are decoded from null. */
export function readAnswer<T>(
  request: WireRequest,
  reply: PacedReply,
  decode: Decode<T>,
): Result<T, ApiError> {
  const endpoint = endpointText(request.endpoint);
  switch (reply.kind) {
    case 'stopped':
      return fail(stopped(endpoint, 'interrupted', 'interrupted'));
    case 'objected':
      return fail(objected(request.endpoint, reply.message));
    case 'too-long':
      return fail({
        kind: 'rate-limited',
        endpoint,
        status: 429,
        waitSeconds: reply.seconds,
        message: `the service asks to wait ${reply.seconds} s, longer than a run may last`,
      });
    case 'failure':
      return fail(failureError(request.endpoint, reply));
    case 'answer':
      return reply.status >= 200 && reply.status < 300
        ? decodeAnswer(request, reply, decode)
        : fail(statusError(request.endpoint, reply));
  }
}

function stopped(endpoint: string, cause: 'interrupted' | 'lock-lost', message: string): ApiError {
  return { kind: 'stopped', endpoint, status: null, cause, message };
}

/** Returns the error of an objection. Only a limit can object to a read. */
function objected(of: Endpoint, message: string): ApiError {
  const endpoint = endpointText(of);
  if (of.method !== 'GET') return stopped(endpoint, 'lock-lost', message);
  return { kind: 'rejected', endpoint, status: null, message: `not sent: ${message}`, errors: {} };
}

function failureError(of: Endpoint, { cause, message }: FailureReply): ApiError {
  const endpoint = endpointText(of);
  // A read changes nothing, even if it arrived.
  if (cause === 'unsent' || (cause === 'cut' && of.method === 'GET')) {
    return stopped(endpoint, 'interrupted', 'interrupted');
  }
  if (cause === 'unreachable') {
    const text = `the service cannot be reached: ${message}`;
    return { kind: 'unreachable', endpoint, status: null, message: text };
  }
  return {
    kind: 'unknown-outcome',
    endpoint,
    status: null,
    cause: cause === 'cut' ? 'connection' : cause,
    message: `no complete answer: ${message}`,
  };
}

function decodeAnswer<T>(request: WireRequest, reply: AnswerReply, decode: Decode<T>): Result<T, ApiError> {
  const endpoint = endpointText(request.endpoint);
  const { status } = reply;
  try {
    const json = status === 204 ? null : objectOf(parseJson(reply.text), 'the body');
    // A failure with status 200 (v3: General differences).
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

interface ErrorBody {
  readonly message: string;
  readonly errors: FieldErrors;
}

const LONGEST_RAW_TEXT = 200;

/**
 * Reads an error body (v4: Errors). Trying message, error, first of errors and raw text in this order also reads the bodies
 * of v3.
 */
function readErrorBody(text: string, status: number): ErrorBody {
  const raw = escapeInvisible(text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_RAW_TEXT));
  const fallback = raw === '' ? `status ${status}` : raw;
  const body = parseLoose(text);
  return body === null ? { message: fallback, errors: {} } : messageOf(body, fallback);
}

/** Returns the message and field errors of an error body or of a batch's failure entry. */
export function messageOf(body: Readonly<Record<string, unknown>>, fallback: string): ErrorBody {
  const errors = decodeFieldErrors(body['errors']);
  const stated = [body['message'], body['error'], Object.values(errors).flat()[0]];
  const message = stated.find((text): text is string => typeof text === 'string' && text.trim() !== '');
  return { message: message === undefined ? fallback : escapeInvisible(message), errors };
}

/** Decodes field errors. Values are arrays of strings, or plain strings in some answers of v3. */
function decodeFieldErrors(value: unknown): FieldErrors {
  if (!isObject(value)) return {};
  const fields = Object.entries(value).map(([field, messages]): [string, readonly string[]] => {
    const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
    return [
      field,
      list.map((text) => escapeInvisible(typeof text === 'string' ? text : JSON.stringify(text))),
    ];
  });
  return Object.fromEntries(fields);
}

function parseLoose(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
